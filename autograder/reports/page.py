"""The class report: one HTML page that loads nothing, runs no script, and can be mailed, printed and read in the dark.

Everything that comes from a result passes through Jinja's escaping; besides, the page forbids scripts to itself (Content-Security-Policy).
"""

import datetime
import functools
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import jinja2
from markupsafe import Markup

from autograder.reports import charts, room, text
from autograder.reports.figures import figures, histogram, short_name

SYMBOLS = {"passed": "✓", "failed": "✗", "error": "!", "timeout": "…", "deferred": "○"}
CLASSES = {"passed": "p", "failed": "f", "error": "e", "timeout": "t", "deferred": "d"}
BUDGET = 1_900_000  # bytes of a page
FLAGS, NOTES, SKIPPED = 150_000, 150_000, 75_000  # bytes of these sections in it
NAME, LONG_NAME, MESSAGE, EVIDENCE = 48, 200, 600, 600  # characters
EACH = ((10, EVIDENCE), (3, 300), (1, 120))  # flags of one student and characters of each: as many as find room for everybody
NAMED = 60  # students named one by one beside a misconception
COMMONEST = 6  # misconceptions that are not folded away
HERE = Path(__file__).parent
DETAILS_HERE = Markup("<!-- details -->")  # nothing else can look like it: all text is escaped


@dataclass(frozen=True)
class Row:
    """A student's row in the picture; the ranks are places in the orders that a reader may choose."""

    number: int
    result: object
    cells: Markup
    ranks: str  # CSS
    detailed: bool  # there is something to read about it below


def render(class_results, assignment, made=None):
    """The page as text. Details that would make it longer than BUDGET are left out, the highest scores' first, and it says so.

    Flags, notes and files that were passed over have their own bounds, so that few students' cannot take the details from all.
    """
    results = class_results.results
    found = figures(results, assignment)
    page = _template().render(
        assignment=class_results.assignment,
        made=(made or datetime.datetime.now()).strftime("%Y-%m-%d %H:%M"),
        style=Markup((HERE / "page.css").read_text(encoding="utf-8")),
        results=results, found=found,
        skipped=class_results.skipped, passed_over=room.fitting([_passed_over(*entry) for entry in class_results.skipped], SKIPPED),
        tiles=list(_tiles(results, found)),
        histogram=charts.histogram(histogram(results), found.max_score),
        scatter=charts.scatter([result for result in results if result.duration_s and result.peak_memory_bytes]),
        rows=_rows(results, found), parts=_parts(found.tests), bars=[_bar(test) for test in found.tests],
        noted=room.fitting([_noted(result) for result in results if result.note], NOTES),
        flagged=room.flags(results, _flags_of, EACH, FLAGS),
        deferred=[test for test in found.tests if test.counts["deferred"]],
        remarks=list(_remarks(results, found)),
        slowest=sorted(results, key=lambda result: -result.duration_s)[:5],
        largest=sorted(results, key=lambda result: -result.peak_memory_bytes)[:5],
        symbols=SYMBOLS, classes=CLASSES,
        details=DETAILS_HERE,
    )
    before, after = page.split(DETAILS_HERE)
    return before + str(_details(results, assignment.name, BUDGET - len((before + after).encode()))) + after


@functools.cache
def _template():
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, undefined=jinja2.StrictUndefined,
                                     trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(
        points=text.points, seconds=text.seconds, size=text.size, marked_up=text.marked_up,
        name=lambda result: bdi(result.name, NAME), long_name=lambda result: bdi(result.name, LONG_NAME),
        breakable=lambda name: Markup("_<wbr>").join(name.split("_")),
        cut=lambda value, longest=EVIDENCE: text.cut(value, longest), short=short_name,
    )
    environment.globals.update(percent=text.percent, counted=text.counted, zip=zip, NAMED=NAMED, COMMONEST=COMMONEST)
    return environment.get_template("page.html")


def bdi(name, longest):
    """A name as an element that keeps its direction of writing to itself."""
    return Markup("<bdi>{}</bdi>").format(text.cut(name, longest))


def _tiles(results, found):
    """(number, what it counts) for the head of the page."""
    yield str(len(results)), "submission" if len(results) == 1 else "submissions"
    if not results:
        return
    yield f"{text.points(found.mean)}", f"mean of {text.points(found.max_score)} points"
    yield f"{text.points(found.median)}", "median"
    yield str(sum(result.score >= result.max_score for result in results)), "full marks"
    if found.misconceptions:
        explained = sum(bool(result.misconceptions) for result in results)
        yield f"{explained} of {explained + len(found.unexplained)}", "with failures show a known misconception"
    open_points = sum(result.open_points for result in results)
    if open_points:
        yield text.points(open_points), "points still open"
    flags = sum(bool(result.flags) for result in results)
    if flags:
        yield str(flags), "flagged"
    unreadable = sum(bool(result.note) for result in results)
    if unreadable:
        yield str(unreadable), "unreadable"


def _remarks(results, found):
    """What an instructor ought to know about the results as a whole."""
    kinds = Counter(tuple(sorted((test.id, test.max_points) for test in result.tests)) for result in results)
    if len(kinds) > 1:
        odd = sum(kinds.values()) - kinds.most_common(1)[0][1]
        yield (f"{text.counted(odd, 'submission was', 'submissions were')} graded with other tests than the rest. "
               "Grade them again to compare like with like.")
    if found.left_out:
        yield f"{text.counted(found.left_out, 'test is', 'tests are')} left out of the pictures."
    wrong = [result for result in results if abs(result.score - sum(test.points for test in result.tests)) > 0.01]
    if wrong:
        names = [text.cut(result.name, NAME) for result in wrong[:10]] + ["…"] * (len(wrong) > 10)
        yield f"The score is not the sum of the tests' points in {text.counted(len(wrong), 'result', 'results')}: {', '.join(names)}."


def _parts(tests):
    """(part, number of its tests) in the order of the columns."""
    spans = []
    for test in tests:
        if spans and spans[-1][0] == test.part:
            spans[-1][1] += 1
        else:
            spans.append([test.part, 1])
    return spans


def _bar(test):
    """The shares of a test's outcomes as a strip: [(class, number, symbol)] without those that are 0."""
    return [(CLASSES[status], number, SYMBOLS[status]) for status, number in test.counts.items() if number]


def _rows(results, found):
    """The Rows of the picture, by name, with their places in the other orders."""
    patterns = [_pattern(result, found.tests) for result in results]
    orders = {
        "s": _places(results, lambda n: results[n].score),
        "d": _places(results, lambda n: -results[n].duration_s),
        "m": _places(results, lambda n: -results[n].peak_memory_bytes),
        "g": _places(results, lambda n: [status == "passed" for status in patterns[n]]),
    }
    return [
        Row(n + 1, result, _cells(result, found.tests), ";".join(f"--{key}:{places[n]}" for key, places in orders.items()),
            _has_details(result))
        for n, result in enumerate(results)
    ]


def _places(results, key):
    places = [0] * len(results)
    for place, n in enumerate(sorted(range(len(results)), key=key)):
        places[n] = place
    return places


def _pattern(result, tests):
    status = {test.id: test.status for test in result.tests}
    return [status.get(test.id, "passed") for test in tests]


def _cells(result, tests):
    """A row's cells, each a colour and a symbol; end tags are left out, as HTML allows: a class of 500 has 10,000 cells and more."""
    by_id = {test.id: test for test in result.tests}
    cells, part = [], None
    for column in tests:
        begin = " b" if part not in (None, column.part) else ""
        part = column.part
        test = by_id.get(column.id)
        if test is None:
            cells.append(Markup('<td role=cell class="n{}">–').format(begin))
        elif test.misconception:
            cells.append(Markup('<td role=cell class="{}{}" title="{}">{}').format(
                CLASSES[test.status], begin, test.misconception, SYMBOLS[test.status]))
        else:
            cells.append(Markup('<td role=cell class="{}{}">{}').format(CLASSES[test.status], begin, SYMBOLS[test.status]))
    return Markup("").join(cells)


def _passed_over(path, reason):
    return Markup("<li><code>{}</code>: {}</li>").format(text.cut(path, LONG_NAME), reason)


def _noted(result):
    return Markup('<tr><th scope="row">{}</th><td lang="{}" dir="auto">{}</td></tr>').format(
        bdi(result.name, NAME), result.language, text.cut(result.note, EVIDENCE))


def _flags_of(result, most, longest):
    """The rows of one student's flags, the last of which says how many are left out."""
    row = Markup('<tr><th scope="row">{}</th><td>⚑ {}</td><td><pre class="evidence">{}</pre></td></tr>\n')
    rows = [row.format(bdi(result.name, NAME), kind, text.cut(evidence, longest)) for kind, evidence in result.flags[:most]]
    left = len(result.flags) - len(rows) + result.further_flags
    more = Markup('<tr><th scope="row">{}</th><td colspan="2">… and {} more</td></tr>\n').format(bdi(result.name, NAME), left)
    return Markup("").join(rows + [more] * bool(left))


def _details(results, assignment, space):
    """What each student was told, by name; those with the lowest scores come first where there is no room, `space` bytes, for all."""
    parts = {n: _left_out(n + 1, result) for n, result in enumerate(results) if _has_details(result)}
    space -= sum(len(part.encode()) + 1 for part in parts.values())
    for n in sorted(parts, key=lambda n: results[n].score):
        part = _student(n + 1, results[n], assignment)
        more = len(part.encode()) - len(parts[n].encode())
        if more <= space:
            parts[n] = part
            space -= more
    return Markup("\n").join(parts.values()) or Markup("<p>Every test was passed by everybody.</p>")


def _left_out(number, result):
    return Markup('<p id="s{}"><strong>{}</strong>: left out, to keep this page small.</p>').format(number, bdi(result.name, NAME))


def _has_details(result):
    return bool(result.note or result.flags or any(is_told(test) for test in result.tests))


def is_told(test):
    """Whether a test's message is shown beside its student: a deferred one says the same to all, and has a place of its own."""
    return test.status not in ("passed", "deferred")


def _student(number, result, assignment):
    head = Markup('<details id="s{}"><summary>{} <span class="soft">{} / {}{}</span></summary>').format(
        number, bdi(result.name, LONG_NAME), text.points(result.score), text.points(result.max_score),
        "".join(f" · {misconception}" for misconception in result.misconceptions[:3]))
    facts = Markup('<p class="soft small">Language {} · device {} · seed {} · SHA-256 {}</p>').format(
        result.language, result.device, result.seed, text.cut(result.sha256, 17))
    if result.note:  # every test says the same
        return head + facts + Markup('<p class="said" lang="{}" dir="auto">{}</p></details>').format(result.language, result.note)
    items = Markup("").join(_told(test, result.language, assignment) for test in result.tests if is_told(test))
    return head + facts + Markup("<ul class=told>{}</ul></details>").format(items)


def _told(test, language, assignment):
    kind = CLASSES[test.status]
    return Markup('<li><span class="mark {}">{}</span> <code>{}</code> <span class="soft">{}{}</span>'
                  '<div class="said" lang="{}" dir="auto">{}</div></li>').format(
        kind, SYMBOLS[test.status], short_name(test.id, assignment), test.status, f" · {test.misconception}" if test.misconception else "",
        language, text.marked_up(text.cut(test.message, MESSAGE)))
