"""The results of a class, read from DIR/<student>/<assignment>.json. A file that is no result is named with the reason, and passed over."""

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path

from autograder import remark
from autograder.languages import LANGUAGES
from autograder.messages import clean
from autograder.names import safe_name
from autograder.reports.text import cut, visible
from autograder.results import SCHEMA

STATUSES = ("passed", "failed", "error", "timeout", "deferred")
LARGEST_FILE = 8 << 20  # bytes; the grader's own are a few dozen KiB
LARGEST_NUMBER = 1e15  # of anything counted here: points, seconds, bytes
MOST_TESTS = 500
MOST_FLAGS = 100  # the grader's own are fewer; a result with more counts all the same, and the rest of them are only counted
LONGEST_NAME, LONGEST_ID = 1000, 120  # characters


class NotAResult(ValueError):
    """The file is no result of this assignment; the text says why."""


@dataclass(frozen=True)
class Test:
    """One hidden test's line in a result."""

    id: str
    status: str
    points: float
    max_points: float
    misconception: str | None
    message: str
    part: str


@dataclass(frozen=True)
class Result:
    """One submission's result, its texts cleaned of control and direction characters."""

    student: str  # as the grader wrote it
    name: str  # fit to be shown: one line, every character visible
    score: float
    max_score: float
    tests: tuple
    flags: tuple  # of (kind, evidence), MOST_FLAGS at most
    further_flags: int  # how many more the file holds
    note: str | None
    language: str
    device: str
    seed: str
    sha256: str
    duration_s: float
    peak_memory_bytes: float
    folder: str

    @property
    def open_points(self):
        """What the deferred tests are worth."""
        return sum(test.max_points for test in self.tests if test.status == "deferred")

    @property
    def failures(self):
        """How many tests ended otherwise than passed, deferred ones aside."""
        return sum(test.status not in ("passed", "deferred") for test in self.tests)

    @property
    def misconceptions(self):
        """The misconceptions that were recognised, each once, in the tests' order."""
        return remark.misconceptions(self.found)

    @property
    def found(self):
        """The (status, misconception) of each test."""
        return tuple((test.status, test.misconception) for test in self.tests)


@dataclass(frozen=True)
class ClassResults:
    """All results of an assignment, by the students' names, and what had to be passed over: (file, reason)."""

    assignment: str
    results: tuple
    skipped: tuple


def read(folder, assignment):
    """The ClassResults of a folder. Raises OSError where the folder itself cannot be read."""
    found, skipped = {}, []
    for path in _paths(Path(folder), assignment):
        shown = visible(f"{path.parent.name}/{path.name}")
        try:
            result = read_result(path, assignment)
        except NotAResult as reason:
            skipped.append((shown, str(reason)))
            continue
        other = found.get(result.student)
        if other is None:
            found[result.student] = result
            continue
        kept, dropped = (result, other) if path.parent.name == safe_name(result.student) else (other, result)
        found[result.student] = kept
        skipped.append((visible(f"{dropped.folder}/{path.name}"), f"{kept.name} has a result in {visible(kept.folder)}/ already"))
    return ClassResults(assignment, tuple(sorted(found.values(), key=lambda result: natural(result.student))), tuple(skipped))


def _paths(folder, assignment):
    """Where results of the assignment lie or ought to be looked for, in a fixed order."""
    for student in sorted(folder.iterdir()):
        path = student / f"{assignment}.json"
        try:
            path.lstat()
        except PermissionError:
            yield path
        except OSError:  # nothing there, or `student` is a file
            continue
        else:
            yield path


def read_result(path, assignment):
    """The Result in a file; raises NotAResult with the reason."""
    try:
        if not path.is_file():
            raise NotAResult("it is not a file")
        if path.stat().st_size > LARGEST_FILE:
            raise NotAResult(f"it is larger than {LARGEST_FILE >> 20} MiB")
        record = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except OSError as error:
        raise NotAResult(f"it cannot be read ({error.strerror or type(error).__name__})") from None
    except UnicodeDecodeError:
        raise NotAResult("it is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, NotAResult):
            raise
        raise NotAResult("it is not valid JSON") from None
    return result_of(record, assignment, path.parent.name)


def result_of(record, assignment, folder):
    """The Result that a JSON value describes; raises NotAResult where it does not describe one."""
    if not isinstance(record, dict):
        raise NotAResult("it is not a result: no JSON object")
    if record.get("schema") != SCHEMA or isinstance(record["schema"], bool):
        raise NotAResult(f"it is not a result of this format (schema {SCHEMA})")
    if record.get("assignment") != assignment:
        raise NotAResult(f"it is a result of another assignment ({quote(record.get('assignment'))})")
    student = _text(record, "student")
    if not student or len(student) > LONGEST_NAME:
        raise NotAResult("`student` is no name")
    tests = tuple(_test(entry) for entry in _list(record, "tests", MOST_TESTS))
    if len({test.id for test in tests}) < len(tests):
        raise NotAResult("it holds a test twice")
    flags = _list(record, "flags", optional=True)
    language, max_score = record.get("language"), _number(record, "max_score")
    return Result(
        student=student,
        name=visible(student),
        score=_number(record, "score", most=max_score),
        max_score=max_score,
        tests=tests,
        flags=tuple(_flag(entry) for entry in flags[:MOST_FLAGS]),
        further_flags=len(flags[MOST_FLAGS:]),
        note=None if record.get("note") is None else clean(_text(record, "note")),
        language=language if language in LANGUAGES else "und",
        device=quote(record.get("device")),
        seed=quote(record.get("seed")),
        sha256=quote(record.get("submission_sha256")),
        duration_s=_number(record, "duration_s"),
        peak_memory_bytes=_number(record, "peak_memory_bytes"),
        folder=folder,
    )


def _test(entry):
    if not isinstance(entry, dict):
        raise NotAResult("`tests` holds something that is no test")
    max_points = _number(entry, "max_points")
    if entry.get("status") not in STATUSES:
        raise NotAResult(f"a test has the status {quote(entry.get('status'))}")
    misconception = entry.get("misconception")
    return Test(
        id=_label(entry, "id"),
        status=entry["status"],
        points=_number(entry, "points", most=max_points),
        max_points=max_points,
        misconception=None if misconception is None else _label(entry, "misconception"),
        message=clean(_text(entry, "message")),
        part=_label(entry, "part") if entry.get("part") else "",
    )


def _flag(entry):
    if not isinstance(entry, dict):
        raise NotAResult("`flags` holds something that is no flag")
    return _label(entry, "kind"), clean(_text(entry, "evidence"))


def _text(record, key):
    value = record.get(key)
    if not isinstance(value, str):
        raise NotAResult(f"`{key}` is not a text")
    return value


def _label(record, key):
    """A short name that is not empty."""
    value = cut(visible(_text(record, key)), LONGEST_ID)
    if not value.strip():
        raise NotAResult(f"`{key}` is empty")
    return value


def _number(record, key, most=LARGEST_NUMBER):
    value = record.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise NotAResult(f"`{key}` is not a number")
    if not 0 <= value <= most + 1e-6:  # NaN fails this too
        raise NotAResult(f"`{key}` is out of range")
    return float(value)


def _list(record, key, most=math.inf, optional=False):
    value = record.get(key)
    if value is None and optional:
        return []
    if not isinstance(value, list):
        raise NotAResult(f"`{key}` is not a list")
    if len(value) > most:
        raise NotAResult(f"`{key}` holds more than {most} entries")
    return value


def _no_constant(name):
    raise NotAResult(f"it holds a number that is none ({name})")


def quote(value):
    """A JSON value in a few characters, as it may be shown."""
    if isinstance(value, float) and not math.isfinite(value):
        return "?"
    if value is None or isinstance(value, (dict, list)):
        return "none" if value is None else type(value).__name__
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER ** 2:
        return "?"
    return cut(visible(str(value)), LONGEST_ID)


def natural(name):
    """A key that sorts s2 before s10, and capitals beside small letters."""
    pieces = re.split(r"([0-9]{1,15})", name.casefold())
    return [(0, int(piece), "") if n % 2 else (1, 0, piece) for n, piece in enumerate(pieces)], name
