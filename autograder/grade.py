"""Grading one submission: load it in the sandbox, run every hidden test in a process of its own, say what is wrong."""

import dataclasses
import hashlib
import secrets
import time
from collections import Counter
from dataclasses import dataclass

from autograder.gpu.device import GpuLost
from autograder.hidden import diagnose
from autograder.hidden.backends import RemoteBackend
from autograder.hidden.gpu import Gpu
from autograder.hidden.host import HiddenTests, seed_of
from autograder.hidden.judge import NotHere, Wrong
from autograder.hidden.outcomes import StudentMissing, StudentRaised
from autograder.hidden.student import Student
from autograder.languages import DEFAULT
from autograder.messages import clean, message, quoted
from autograder.notebook import Unreadable, read
from autograder.results import SCHEMA
from autograder.sandbox.child_modules import wire
from autograder.sandbox.limits import Limits
from autograder.sandbox.patience import clock
from autograder.sandbox.sandbox import Sandbox

LOAD_TRIES = 4  # a cell that ends the process is left out in the next try


@dataclass(frozen=True)
class Verdict:
    """What came of one test."""

    status: str
    what: object = None  # Message or None
    misconception: str | None = None
    measured: dict | None = None  # on a GPU: numbers for the instructor


class Grader:
    """Grades submissions of one assignment, one at a time. Use as a context manager: it holds a sandbox and a pytest session."""

    def __init__(self, assignment, secret, sandbox="bubblewrap", device="cpu", limits=Limits()):
        self.assignment, self.secret, self.device, self.limits = assignment, secret, device, limits
        self.sandbox = Sandbox(assignment.framework, sandbox, limits)
        self.station = None  # where tests of a GPU run, made when the first one does
        self.lost = None  # why the last submission's tests of a GPU are not all filled in, where they are not
        self.compiler = None  # a sandbox where Triton compiles, made when a test asks for it
        self.kind = sandbox

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
        if self.compiler:
            self.compiler.stop()
        if self.station:
            self.station.__exit__(*exception)

    def sandbox_for(self, test):
        """The sandbox that a test's processes are made in."""
        if not test.compiled:
            return self.sandbox
        if self.compiler is None:
            self.compiler = Sandbox(f"{self.assignment.framework}-compiled", self.kind, self.limits)
            self.compiler.start()
        return self.compiler

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
            run.whole(work.cells, clock() + self.limits.total_s)
        except Unreadable as unreadable:
            note = unreadable.note
            language = language or DEFAULT
            run.verdicts = {test.id: Verdict("error", note) for test in self.hidden.tests}
        result = {
            "schema": SCHEMA,
            "assignment": self.assignment.name,
            "assignment_version": self.assignment.version,
            "student": student,
            "submission_sha256": None if data is None else hashlib.sha256(data).hexdigest(),
            "language": language,
            "device": "cpu",
            "seed": seed,
            "score": round(sum(test.points for test in self.hidden.tests if run.verdicts[test.id].status == "passed"), 6),
            "max_score": round(sum(test.points for test in self.hidden.tests), 6),
            "duration_s": round(time.monotonic() - begun, 3),
            "peak_memory_bytes": run.peak_memory_bytes,
            "note": note.say(language) if note else None,
            "flags": run.flags(),
            "tests": [self.entry(test, run.verdicts[test.id], language) for test in self.hidden.tests],
        }
        return result if self.device == "cpu" else self.fill_in(result, data, name)

    def fill_in(self, result, data, name):
        """The result with the deferred tests filled in, on this machine's GPU; all else in it stays as it is.

        Raises NoGpu or SandboxFailed, with the reason, where no GPU works. Where one is lost on the way the rest stays deferred, and `lost` of
        this grader says why.
        """
        if not deferred(result) or result["note"]:
            return result
        if self.station is None:
            from autograder.gpu.station import Station

            self.station = Station(self.assignment, self.kind, self.limits).__enter__()
        open_ids = {test["id"] for test in deferred(result)}
        run = _Run(self, result["seed"])
        run.on_gpu(read(data, name).cells, [test for test in self.hidden.tests if test.id in open_ids])
        self.lost = run.lost
        if not run.verdicts:
            return result
        filled = {test.id: self.entry(test, run.verdicts[test.id], result["language"]) for test in self.hidden.tests if test.id in run.verdicts}
        tests = [filled.get(entry["id"], entry) for entry in result["tests"]]
        flags = result["flags"] + [flag for flag in run.flags() if flag not in result["flags"]]
        return result | {"device": "cuda", "score": round(sum(entry["points"] for entry in tests), 6), "flags": flags, "tests": tests}

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
            "message": clean("\n".join(sentence.say(language) for sentence in flat(sentences) if sentence)),
            **({"measured": verdict.measured} if verdict.measured else {}),
        }


def deferred(result):
    """The entries of a result that wait for a GPU."""
    return [entry for entry in result["tests"] if entry["status"] == "deferred"]


def flat(sentences):
    """The sentences one by one; several may stand in a list in the place of one."""
    return [one for sentence in sentences for one in (sentence if isinstance(sentence, list) else [sentence])]


class _Run:
    """One submission's way through the sandbox."""

    def __init__(self, grader, seed):
        self.grader, self.seed = grader, seed
        self.verdicts, self.peak_memory_bytes = {}, 0
        self.asked = {}  # of each failed test, the backend that knows what was asked and answered, and the seed of its inputs
        self.library = {}  # attention functions of a library that were called, and the first test in which they were
        self.named = []  # the places in which the source names one
        self.lost = None  # why the GPU was lost, where it was

    def whole(self, cells, deadline):
        """Run all tests; every test gets a verdict. Tests with a bound on memory, and those of compiled kernels, run in processes made for them."""
        kinds = {}
        self.verdicts = {test.id: Verdict("deferred", deferred_here()) for test in self.grader.hidden.tests if test.cuda}
        for test in (test for test in self.grader.hidden.tests if not test.cuda):
            kinds.setdefault((test.compiled, test.memory_bytes or 0), []).append(test)
        for _, tests in sorted(kinds.items()):
            self._together(cells, tests, deadline)

    def _together(self, cells, tests, deadline):
        """Load the cells and run some tests, all of one kind.

        A cell that ends the process is left out in the next try; a process that is lost between two tests is loaded again for the rest.
        """
        skip, trouble, tries, plots = set(), None, LOAD_TRIES, plotting(cells)
        while tries and not all(test.id in self.verdicts for test in tests) and clock() < deadline:
            known = len(self.verdicts)
            with self.grader.sandbox_for(tests[0]).submission(tests[0].memory_bytes, plots) as process:
                trouble = self._load(process, cells, skip, deadline)
                if trouble is None:
                    self._tests(process, tests, deadline)
                else:
                    skip.add(process.current_cell)
            self.peak_memory_bytes = max(self.peak_memory_bytes, process.peak_memory_bytes)
            tries -= len(self.verdicts) == known  # a try that has got on costs none: each test gets its turn
        left = Verdict("error", process_ended()) if clock() < deadline else Verdict("timeout", out_of_time())
        for test in tests:
            self.verdicts.setdefault(test.id, trouble or left)
        self._name_again()

    def on_gpu(self, cells, tests):
        """Run tests on the GPU, each in a process that has loaded the notebook for it alone. Tests get no verdict where the GPU is lost."""
        station, deadline = self.grader.station, clock() + self.grader.limits.gpu_total_s
        skip, doubtful = set(), False
        for test in tests:
            try:
                station.make_ready(doubtful)
                self.verdicts[test.id] = self._on_gpu(station, cells, skip, test, deadline)
                doubtful = self.verdicts[test.id].status in ("error", "timeout")
                if doubtful:
                    station.make_ready(doubtful)  # a card that is lost now has failed this test, and no other
            except GpuLost as error:
                self.lost = str(error)
                return

    def _on_gpu(self, station, cells, skip, test, deadline):
        """The verdict of one test on the GPU. skip: cells that have ended their process; more may be found."""
        for _ in range(LOAD_TRIES):
            if clock() >= deadline:
                return Verdict("timeout", out_of_time())
            with station.sandbox.submission(None, plotting(cells)) as process:
                trouble = self._load(process, cells, skip, deadline)
                if trouble is None:
                    return self._ask_on_gpu(station, process, test, min(deadline, clock() + self.grader.limits.gpu_test_s))
                skip.add(process.current_cell)
        return trouble

    def _ask_on_gpu(self, station, process, test, deadline):
        """Run one test in the process that has loaded the notebook."""
        seed = seed_of(self.grader.secret, self.seed, test)
        backend = None
        with station.meter() as meter:
            try:
                with station.backend(process, meter, deadline) as backend:
                    error = self.grader.hidden.run(test, Gpu(backend), seed).error
            except wire.WireError as ended:
                error = ended
        if meter.exceeded:
            return Verdict("failed", message("Your code took more of the GPU's memory than it may: {n} MB.", n=(meter.exceeded - meter.first) >> 20))
        if meter.lost:
            return Verdict("error", message("The GPU stopped answering while your code ran."))
        if backend and backend.library:
            return self._not_own(backend, test)
        verdict = self._judge(error)
        if verdict.status != "passed":
            return verdict
        return dataclasses.replace(verdict, what=backend.remarks, measured=backend.measured)

    def _not_own(self, backend, test):
        """The verdict where a library's attention was called; it is noted for the flags."""
        self.library |= dict.fromkeys(backend.library, test.id) | self.library
        return Verdict("failed", message("This exercise asks for attention of your own, and your code called {function}.", function=backend.library[0]))

    def _name_again(self):
        """A mistake that one test has named often fails others, too: see whether it explains what they saw."""
        for test, (backend, seed) in self.asked.items():
            candidates = self._likelier(test)
            known = diagnose.misconception(self.grader.hidden, test, backend, seed, candidates) if candidates else None
            if known:
                self.verdicts[test.id] = dataclasses.replace(self.verdicts[test.id], misconception=known)

    def _likelier(self, test):
        """The named mistakes that are a likelier reason than the one named for this test, if any: those of earlier parts, which the later ones
        call, and where it ended in an exception, which says little, those that more tests have named."""
        verdict, counts = self.verdicts[test.id], Counter(verdict.misconception for verdict in self.verdicts.values())
        named = sorted(set(counts) - {None, verdict.misconception})
        if verdict.status not in ("failed", "error") or verdict.misconception is None:
            return named if verdict.status in ("failed", "error") else []
        home = {mistake: other.part for other in self.grader.hidden.tests for mistake in other.catches}
        place = list(self.grader.assignment.parts).index
        often = verdict.status == "error"
        return [one for one in named if place(home[one]) < place(test.part) or often and counts[one] > counts[verdict.misconception]]

    def _load(self, process, cells, skip, deadline):
        """Run the cells. Returns the Verdict that all tests get where that has failed, or None."""
        self.errors = []
        try:
            until = min(deadline, clock() + self.grader.limits.load_s)
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
            now = clock()
            if now >= deadline:
                return
            hangs = any(self.verdicts[other.id].status == "timeout" for other in self.grader.hidden.tests
                        if other.part == test.part and other.id in self.verdicts)
            until = min(deadline, now + (limits.again_s if hangs else limits.compile_s if test.compiled else limits.test_s))
            try:
                self.verdicts[test.id] = self._test(process, test, until, last=test is open_tests[-1])
            except wire.WireError:  # the submission's process has gone, or does not answer
                return

    def _test(self, process, test, deadline, last):
        """Run one test in a process of its own, and judge what it has ended with. Raises a WireError where there is no such process."""
        seed = seed_of(self.grader.secret, self.seed, test)
        with process.test(deadline, last) as test_process:
            backend = RemoteBackend(test_process, self.grader.assignment.arrays)
            error = self.grader.hidden.run(test, Student(backend), seed).error
        if backend.library:
            return self._not_own(backend, test)
        verdict = self._judge(error)
        if verdict.status not in ("failed", "error"):
            return dataclasses.replace(verdict, what=backend.remarks) if verdict.status == "passed" and backend.remarks else verdict
        self.asked[test] = backend, seed
        known = None if isinstance(error, NotHere) else diagnose.misconception(self.grader.hidden, test, backend, seed, test.catches)
        return Verdict(verdict.status, verdict.what, known)

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


def deferred_here():
    return message("This test runs where there is a GPU; it counts neither way until then.")


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
