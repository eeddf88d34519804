"""Grading one submission: load it in the sandbox, run every hidden test in a process of its own, say what is wrong."""

import dataclasses
import hashlib
import secrets
import time
from dataclasses import dataclass

from autograder.hidden import diagnose
from autograder.hidden.backends import RemoteBackend
from autograder.hidden.host import HiddenTests, seed_of
from autograder.hidden.judge import Wrong
from autograder.hidden.outcomes import StudentMissing, StudentRaised
from autograder.hidden.student import Student
from autograder.languages import DEFAULT
from autograder.messages import clean, message, quoted
from autograder.notebook import Unreadable, read
from autograder.results import SCHEMA
from autograder.sandbox.child_modules import wire
from autograder.sandbox.limits import Limits
from autograder.sandbox.sandbox import Sandbox

LOAD_TRIES = 4  # a cell that ends the process is left out in the next try


@dataclass(frozen=True)
class Verdict:
    """What came of one test."""

    status: str
    what: object = None  # Message or None
    misconception: str | None = None


class Grader:
    """Grades submissions of one assignment, one at a time. Use as a context manager: it holds a sandbox and a pytest session."""

    def __init__(self, assignment, secret, sandbox="bubblewrap", device="cpu", limits=Limits()):
        self.assignment, self.secret, self.device, self.limits = assignment, secret, device, limits
        self.sandbox = Sandbox(assignment.framework, sandbox, limits)

    def __enter__(self):
        self.sandbox.start()
        try:
            self.hidden = HiddenTests(self.assignment)
        except BaseException:
            self.sandbox.stop()
            raise
        return self

    def __exit__(self, *exception):
        self.hidden.close()
        self.sandbox.stop()

    def grade(self, student, data, name, seed=None, language=None, note=None):
        """The result, as a dictionary in the published form, of a file's bytes.

        data is None, and note a Message, where there is no file to grade. language overrides the student's own.
        """
        begun = time.monotonic()
        seed = secrets.randbits(63) if seed is None else seed
        run = _Run(self, seed)
        try:
            if data is None:
                raise Unreadable(note)
            work = read(data, name)
            language = language or work.language
            run.whole(work.cells, begun + self.limits.total_s)
        except Unreadable as unreadable:
            note = unreadable.note
            language = language or DEFAULT
            run.verdicts = {test.id: Verdict("error", note) for test in self.hidden.tests}
        return {
            "schema": SCHEMA,
            "assignment": self.assignment.name,
            "assignment_version": self.assignment.version,
            "student": student,
            "submission_sha256": None if data is None else hashlib.sha256(data).hexdigest(),
            "language": language,
            "device": self.device,
            "seed": seed,
            "score": round(sum(test.points for test in self.hidden.tests if run.verdicts[test.id].status == "passed"), 6),
            "max_score": round(sum(test.points for test in self.hidden.tests), 6),
            "duration_s": round(time.monotonic() - begun, 3),
            "peak_memory_bytes": run.peak_memory_bytes,
            "note": note.say(language) if note else None,
            "flags": run.flags(),
            "tests": [self.entry(test, run.verdicts[test.id], language) for test in self.hidden.tests],
        }

    def entry(self, test, verdict, language):
        """A test's line in the result, in the student's language."""
        sentences = [message(test.sentence), verdict.what]
        if verdict.misconception:
            sentences.append(message(self.assignment.wrong[verdict.misconception].explanation))
        return {
            "id": test.id,
            "part": test.part,
            "status": verdict.status,
            "points": test.points if verdict.status == "passed" else 0.0,
            "max_points": test.points,
            "misconception": verdict.misconception,
            "message": clean("\n".join(sentence.say(language) for sentence in sentences if sentence)),
        }


class _Run:
    """One submission's way through the sandbox."""

    def __init__(self, grader, seed):
        self.grader, self.seed = grader, seed
        self.verdicts, self.peak_memory_bytes = {}, 0
        self.asked = {}  # of each failed test, the backend that knows what was asked and answered, and the seed of its inputs
        self.library = {}  # attention functions of a library that were called, and the first test in which they were
        self.named = []  # the places in which the source names one

    def whole(self, cells, deadline):
        """Run all tests; every test gets a verdict. Tests with a bound on memory run in processes that have had it from the start."""
        tests = self.grader.hidden.tests
        for memory_bytes in sorted({test.memory_bytes for test in tests}, key=lambda most: (most is not None, most)):
            self._together(cells, [test for test in tests if test.memory_bytes == memory_bytes], memory_bytes, deadline)

    def _together(self, cells, tests, memory_bytes, deadline):
        """Load the cells and run some tests.

        A cell that ends the process is left out in the next try; a process that is lost between two tests is loaded again for the rest.
        """
        skip, trouble, tries, plots = set(), None, LOAD_TRIES, plotting(cells)
        while tries and not all(test.id in self.verdicts for test in tests) and time.monotonic() < deadline:
            known = len(self.verdicts)
            with self.grader.sandbox.submission(memory_bytes, plots) as process:
                trouble = self._load(process, cells, skip, deadline)
                if trouble is None:
                    self._tests(process, tests, deadline)
                else:
                    skip.add(process.current_cell)
            self.peak_memory_bytes = max(self.peak_memory_bytes, process.peak_memory_bytes)
            tries -= len(self.verdicts) == known  # a try that has got on costs none: each test gets its turn
        left = Verdict("error", process_ended()) if time.monotonic() < deadline else Verdict("timeout", out_of_time())
        for test in tests:
            self.verdicts.setdefault(test.id, trouble or left)
        self._name_again()

    def _name_again(self):
        """A mistake that one test has named often fails others, too: see whether it explains what they saw."""
        named = {verdict.misconception for verdict in self.verdicts.values()} - {None}
        for test, (backend, seed) in self.asked.items():
            verdict = self.verdicts[test.id]
            if named and verdict.status in ("failed", "error") and not verdict.misconception:
                known = diagnose.misconception(self.grader.hidden, test, backend, seed, sorted(named))
                self.verdicts[test.id] = dataclasses.replace(verdict, misconception=known)

    def _load(self, process, cells, skip, deadline):
        """Run the cells. Returns the Verdict that all tests get where that has failed, or None."""
        self.errors = []
        try:
            until = min(deadline, time.monotonic() + self.grader.limits.load_s)
            self.errors = process.load(cells, skip, until, self.grader.assignment.own_work)
            self.named = self.named or process.named
        except wire.TimedOut:
            return Verdict("timeout", message("Cell {cell} of the notebook did not come to an end.", cell=cell_number(process)))
        except wire.WireError:
            return Verdict("error", message("Cell {cell} of the notebook ended the Python process.", cell=cell_number(process)))
        return None

    def flags(self):
        """What the instructor should look at: calls that were noticed, which have cost points, and names in the source, which cost none."""
        called = [("library-attention", f"{function} was called in {test}") for function, test in self.library.items()]
        places = {}
        for place in self.named:
            places.setdefault(place["name"], f"{place['name']} is named in cell {place['cell'] + 1}, line {place['line']}")
        named = [("library-attention-source", evidence) for evidence in places.values()]
        return [{"kind": kind, "evidence": quoted(evidence)} for kind, evidence in called + named]

    def _tests(self, process, tests, deadline):
        """Run the tests that have no verdict yet, until time or the submission's process has ended."""
        limits = self.grader.limits
        open_tests = [test for test in tests if test.id not in self.verdicts]
        for test in open_tests:
            now = time.monotonic()
            if now >= deadline:
                return
            hangs = any(self.verdicts[other.id].status == "timeout" for other in self.grader.hidden.tests
                        if other.part == test.part and other.id in self.verdicts)
            until = min(deadline, now + (limits.again_s if hangs else limits.test_s))
            try:
                self.verdicts[test.id] = self._test(process, test, until, last=test is open_tests[-1])
            except wire.WireError:  # the submission's process has gone, or does not answer
                return

    def _test(self, process, test, deadline, last):
        """Run one test in a process of its own, and judge what it has ended with. Raises a WireError where there is no such process."""
        seed = seed_of(self.grader.secret, self.seed, test)
        with process.test(deadline, last) as test_process:
            backend = RemoteBackend(test_process, self.grader.assignment.framework)
            error = self.grader.hidden.run(test, Student(backend), seed).error
        if backend.library:
            self.library |= dict.fromkeys(backend.library, test.id) | self.library
            return Verdict("failed", message("This exercise asks for attention of your own, and your code called {function}.", function=backend.library[0]))
        verdict = self._judge(error)
        if verdict.status not in ("failed", "error"):
            return verdict
        self.asked[test] = backend, seed
        return Verdict(verdict.status, verdict.what, diagnose.misconception(self.grader.hidden, test, backend, seed, test.catches))

    def _judge(self, error):
        if error is None:
            return Verdict("passed")
        if isinstance(error, Wrong):
            return Verdict("failed", error.message)
        if isinstance(error, StudentMissing):
            return Verdict("error", self._missing(error.outcome.missing))
        if isinstance(error, StudentRaised):
            return Verdict("error", raised(error.outcome))
        if isinstance(error, wire.TimedOut):
            return Verdict("timeout", out_of_time())
        if isinstance(error, wire.WireError):
            return Verdict("error", process_ended())
        return Verdict("failed", message("What came back could not be judged ({kind}).", kind=type(error).__name__))

    def _missing(self, name):
        """What to say about a name that is not there: a cell that raised is the likeliest reason."""
        if not self.errors:
            return message("`{name}` is not defined in the notebook.", name=name)
        error = self.errors[0]
        what = quoted(f"{error['type']}: {error['message']}")
        return message("`{name}` is not defined. Cell {cell} of the notebook raised {error}", name=name, cell=error["cell"] + 1, error=what)


def cell_number(process):
    """The cell that was being run, counted from one."""
    return 1 if process.current_cell is None else process.current_cell + 1


def plotting(cells):
    """Whether the cells seem to plot. Where this is mistaken they run all the same, in other time."""
    return any(library in cell for cell in cells for library in ("matplotlib", "pylab", "pyplot", "seaborn"))


def process_ended():
    return message("The Python process ended, or used more than it may, while your code ran.")


def out_of_time():
    return message("No result came in time: the code runs for too long, or does not end.")


def raised(outcome):
    """What to say about an exception of the student's."""
    error = quoted(f"{outcome.error['type']}: {outcome.error['message']}")
    if outcome.error["type"] == "NotImplementedError":
        function = quoted(outcome.error["function"])
        if function.isidentifier() and function != outcome.name and not function.startswith("__"):
            return message("`{name}` calls `{function}`, which is not written yet.", name=outcome.name, function=function)
        return message("`{name}` is not written yet.", name=outcome.name)
    if outcome.error["line"]:
        return message("`{name}` raised {error} (in the line: {line})", name=outcome.name, error=error, line=quoted(outcome.error["line"]))
    return message("`{name}` raised {error}", name=outcome.name, error=error)
