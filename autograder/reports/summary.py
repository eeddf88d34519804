"""A summary in Markdown, as GitHub shows it on the page of a workflow's run ($GITHUB_STEP_SUMMARY)."""

from autograder.remark import endings
from autograder.reports import room
from autograder.reports.figures import figures
from autograder.reports.text import counted, cut, percent, points

LIMIT = 1_000_000  # bytes; GitHub refuses more than 1 MiB
FLAGS, SKIPPED = 4, 8  # the part of LIMIT that these sections may fill: a quarter, an eighth
NAME, EVIDENCE = 60, 300  # characters
EACH = ((10, EVIDENCE), (3, 150), (1, 80))  # flags of one student and characters of each: as many as find room for everybody
COMMONEST = 20
MISCONCEPTIONS = 5  # of one student
HARMLESS = " ,;()-"


def render(class_results, assignment):
    """The Markdown as text, under LIMIT bytes: each section is shortened for itself, and what finds no room in it is counted."""
    results = class_results.results
    found = figures(results, assignment)
    head = f"## {literal(class_results.assignment)}\n\n{_sentence(results, found)}\n"
    tail = _misconceptions(found, len(results)) + _flags(results) + _skipped(class_results.skipped)
    table = "\n| Student | Score | Of | Open | Remark |\n| :-- | --: | --: | --: | :-- |\n"
    rows, left = room.fitting([_row(result) for result in results], LIMIT - len((head + table + tail).encode()) - 200)
    return head + (table + "".join(rows) if results else "") + _more(left, "student", "students") + tail


def _more(left, one, many):
    """A line below a table that says how much it leaves out; none where that is nothing."""
    return f"\n… and {counted(left, one, many)} more.\n" if left else ""


def literal(text):
    """A text that stands as it is in Markdown: ASCII's signs, of which Markdown, HTML and links are made, become character references."""
    return "".join(c if c.isalnum() or c in HARMLESS or ord(c) > 127 else f"&#{ord(c)};" for c in text)


def name(text):
    """A student's name; within <code> nothing becomes a mention or a link."""
    return f"<code>{literal(cut(text, NAME))}</code>"


def _sentence(results, found):
    if not results:
        return "No results."
    full = sum(result.score >= result.max_score for result in results)
    return (f"{counted(len(results), 'submission', 'submissions')}, mean **{points(found.mean)}** and median **{points(found.median)}** "
            f"of {points(found.max_score)}; {full} with full marks.")


def _row(result):
    if result.note:
        remark = f"unreadable: {literal(cut(result.note, EVIDENCE))}"
    else:
        named = [f"<code>{literal(misconception)}</code>" for misconception in result.misconceptions[:MISCONCEPTIONS]]
        remark = ", ".join(named or map(literal, endings(result.found)))
    flag = "⚑ " if result.flags else ""
    still_open = points(result.open_points) if result.open_points else ""
    return f"| {name(result.name)} | {points(result.score)} | {points(result.max_score)} | {still_open} | {flag}{remark} |\n"


def _misconceptions(found, whole):
    if not found.misconceptions:
        return ""
    rows = "".join(
        f"| {len(m.results)} ({percent(len(m.results), whole)}) | <code>{literal(m.id)}</code> | {literal(m.explanation)} |\n"
        for m in found.misconceptions[:COMMONEST]
    )
    return f"\n### The commonest misconceptions\n\n| Students | Misconception | Explanation |\n| --: | :-- | :-- |\n{rows}"


def _flags(results):
    rows, left = room.flags(results, _flags_of, EACH, LIMIT // FLAGS)
    if not rows and not left:
        return ""
    head = "\n### Flags\n\n| Student | Kind | Evidence |\n| :-- | :-- | :-- |\n"
    return head + "".join(rows) + _more(left, "student", "students")


def _flags_of(result, most, longest):
    """The rows of one student, the last of which says how many flags are left out."""
    rows = [f"| {name(result.name)} | {literal(kind)} | {literal(cut(evidence, longest))} |\n" for kind, evidence in result.flags[:most]]
    left = len(result.flags) - len(rows) + result.further_flags
    return "".join(rows) + (f"| {name(result.name)} | | … and {left} more |\n" if left else "")


def _skipped(skipped):
    rows = [f"| <code>{literal(cut(path, 2 * NAME))}</code> | {literal(reason)} |\n" for path, reason in skipped]
    rows, left = room.fitting(rows, LIMIT // SKIPPED)
    if not rows and not left:
        return ""
    return f"\n### Files passed over\n\n| File | Reason |\n| :-- | :-- |\n{''.join(rows)}" + _more(left, "file", "files")
