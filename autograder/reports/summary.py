"""A summary in Markdown, as GitHub shows it on the page of a workflow's run ($GITHUB_STEP_SUMMARY)."""

from autograder.reports.figures import figures
from autograder.reports.text import counted, cut, percent, points

LIMIT = 1_000_000  # bytes; GitHub refuses more than 1 MiB
NAME, EVIDENCE = 60, 300  # characters
COMMONEST = 20
HARMLESS = " ,;()-"


def render(class_results, assignment):
    """The Markdown as text, under LIMIT bytes: students who find no room are counted."""
    results = class_results.results
    found = figures(results, assignment)
    head = f"## {literal(class_results.assignment)}\n\n{_sentence(results, found)}\n"
    tail = _misconceptions(found, len(results)) + _flags(results) + _skipped(class_results.skipped)
    tail = tail if len(tail.encode()) < LIMIT // 2 else ""
    table = "\n| Student | Score | Of | Open | Remark |\n| :-- | --: | --: | --: | :-- |\n"
    room = LIMIT - len((head + table + tail).encode()) - 200
    rows, left = [], len(results)
    for result in results:
        row = _row(result)
        room -= len(row.encode())
        if room < 0:
            break
        rows.append(row)
        left -= 1
    more = f"\n… and {counted(left, 'student', 'students')} more.\n" if left else ""
    return head + (table + "".join(rows) if results else "") + more + tail


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
        remark = ", ".join(f"<code>{literal(misconception)}</code>" for misconception in result.misconceptions[:5])
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
    flags = ((result, kind, evidence) for result in results for kind, evidence in result.flags)
    rows = "".join(f"| {name(result.name)} | {literal(kind)} | {literal(cut(evidence, EVIDENCE))} |\n" for result, kind, evidence in flags)
    return f"\n### Flags\n\n| Student | Kind | Evidence |\n| :-- | :-- | :-- |\n{rows}" if rows else ""


def _skipped(skipped):
    rows = "".join(f"| <code>{literal(cut(path, 2 * NAME))}</code> | {literal(reason)} |\n" for path, reason in skipped)
    return f"\n### Files passed over\n\n| File | Reason |\n| :-- | :-- |\n{rows}" if rows else ""
