"""One submission's way through the sandbox: load it, run every hidden test in a process of its own, judge what each has ended with."""

import dataclasses
from collections import Counter

from autograder import undefined
from autograder.assignment import names
from autograder.gpu.device import GpuLost
from autograder.hidden import diagnose
from autograder.hidden.backends import RemoteBackend
from autograder.hidden.gpu import Gpu
from autograder.hidden.host import seed_of
from autograder.hidden.judge import NotHere, Wrong
from autograder.hidden.outcomes import StudentMissing, StudentRaised
from autograder.hidden.student import Student
from autograder.languages import DEFAULT
from autograder.messages import message, quoted
from autograder.notebook import Work
from autograder.sandbox.child_modules import wire
from autograder.sandbox.patience import clock
from autograder.verdict import Verdict, another_result, current_cell, deferred_here, flat, out_of_time, process_ended, raised

UNHEEDED_S = 1.5  # a cell that goes on for so long after it was interrupted does not mean to end
MOST_FLAGS = 50
LOAD_TRIES = 4  # a cell that ends the process is left out in the next try


class SubmissionRun:
    """One submission's way through a grader's sandboxes; `verdicts` are what has come of it."""

    def __init__(self, grader, seed, work=None):
        self.grader, self.seed, self.work = grader, seed, work or Work((), DEFAULT)
        self.verdicts, self.peak_memory_bytes = {}, 0
        self.slow = set()  # cells that were interrupted, and would cost as much time when the notebook is loaded again
        self.asked = {}  # of each failed test, the backend that knows what was asked and answered, and the seed of its inputs
        self.library = {}  # attention functions of a library that were called, and the first test in which they were
        self.named = []  # the places in which the source names one
        self.errors, self.left_out = [], set()  # of the cells: what they raised, and which were not run again
        self.elsewhere = None  # the exercise that the notebook was handed out for, where a name was missing and it is another one
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
                    self._leave_out(process, trouble, skip)
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
                self._leave_out(process, trouble, skip)
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
        return Verdict("failed", message("This exercise asks for attention of your own, and your code called {function}.",
                                         function=quoted(backend.library[0])))

    def _name_again(self):
        """A mistake that one test has named often fails others, too: see whether it explains what they saw.

        Tests without a name come first: the mistake that then is named most often is likelier than one that a single test has named.
        """
        for test, (backend, seed) in sorted(self.asked.items(), key=lambda one: self.verdicts[one[0].id].misconception is not None):
            candidates = self._likelier(test)
            known = diagnose.misconception(self.grader.hidden, test, backend, seed, candidates) if candidates else None
            if known:
                self.verdicts[test.id] = dataclasses.replace(self.verdicts[test.id], misconception=known)

    def _likelier(self, test):
        """The named mistakes that are a likelier reason than the one named for this test, if any, the likeliest first: those of earlier parts, which
        the later ones call, and those that more tests have named."""
        verdict, counts = self.verdicts[test.id], Counter(verdict.misconception for verdict in self.verdicts.values())
        if verdict.status not in ("failed", "error"):
            return []
        home = {mistake: other.part for other in self.grader.hidden.tests for mistake in other.catches}
        place = {part: number for number, part in enumerate(self.grader.assignment.parts)}
        named = sorted(set(counts) - {None, verdict.misconception}, key=lambda one: (place[home[one]], -counts[one], one))
        if verdict.misconception is None:
            return named
        return [one for one in named if place[home[one]] < place[test.part] or counts[one] > counts[verdict.misconception]]

    def _load(self, process, cells, skip, deadline):
        """Run the cells. Returns the Verdict that all tests get where that has failed, or None."""
        self.errors, self.left_out = [], set(skip)
        try:
            until = min(deadline, clock() + self.grader.limits.load_s)
            self.errors = process.load(cells, skip, until, self.grader.assignment.own_work, self.slow)
            self.named = self.named or process.named
        except wire.TimedOut:
            return Verdict("timeout", undefined.did_not_end(self.work, current_cell(process)))
        except wire.WireError:
            return Verdict("error", undefined.ended_process(self.work, current_cell(process)))
        finally:
            self.slow |= process.slow
        return None

    def _leave_out(self, process, trouble, skip):
        """Note what to do without in the next try: a cell that does not end even when it is interrupted, or ends the process.

        One that was running when the time for all was over may only be slow.
        """
        if trouble.status == "timeout" and process.current_cell is not None and process.cell_took_s() <= self.grader.limits.cell_s + UNHEEDED_S:
            self.slow.add(process.current_cell)
        else:
            skip.add(process.current_cell)

    def flags(self):
        """What the instructor should look at.

        Calls that were noticed, which have cost points; names in the source, which cost none; the notebook of another exercise.
        """
        other = [("another-exercise", f"the notebook is that of {self.elsewhere}")] if self.elsewhere else []
        called = [("library-attention", f"{function} was called in {test}") for function, test in self.library.items()]
        places = {}
        for place in self.named:
            places.setdefault(place["name"], f"{place['name']} is named in {self._where(place)}")
        named = [("library-attention-source", evidence) for evidence in places.values()]
        return [{"kind": kind, "evidence": quoted(evidence)} for kind, evidence in (other + called + named)[:MOST_FLAGS]]

    def _where(self, place):
        """A place in the source, for the instructor, who may count the code cells."""
        return f"line {place['line']}" if self.work.is_file else f"code cell {place['cell'] + 1}, line {place['line']}"

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
            unsettled = isinstance(error, Wrong) and not backend.library and diagnose.unsettled(self.grader.hidden, test, backend)
        if backend.library:
            return self._not_own(backend, test)
        verdict = self._judge(error)
        if verdict.status not in ("failed", "error"):
            return dataclasses.replace(verdict, what=backend.remarks) if verdict.status == "passed" and backend.remarks else verdict
        if backend.received <= diagnose.MOST_KEPT:
            self.asked[test] = backend, seed
        known = None if isinstance(error, NotHere) else diagnose.misconception(self.grader.hidden, test, backend, seed, test.catches)
        return Verdict(verdict.status, flat([verdict.what, another_result()]) if unsettled and not known else verdict.what, known)

    def _judge(self, error):
        if error is None:
            return Verdict("passed")
        if isinstance(error, Wrong):
            return Verdict("failed", error.message)
        if isinstance(error, StudentMissing):
            return Verdict("error", self._missing(quoted(error.outcome.missing)))
        if isinstance(error, StudentRaised):
            return Verdict("error", flat([raised(error.outcome), self._why(undefined.asked_for(error.outcome.error))]))
        if isinstance(error, wire.TimedOut):
            return Verdict("timeout", out_of_time())
        if isinstance(error, wire.WireError):
            return Verdict("error", process_ended())
        return Verdict("failed", message("What came back could not be judged ({kind}).", kind=type(error).__name__))

    def _missing(self, name):
        """What to say about a name that the test asks for and that is not there."""
        self.elsewhere = undefined.of_another(self.work, self.grader.assignment.name, names())
        if self.elsewhere:
            return [undefined.nowhere(name), undefined.elsewhere(self.elsewhere, self.grader.assignment.name)]
        return self._why(name) or [undefined.nowhere(name)]

    def _why(self, name):
        """What has become of the cell that defines a name, as sentences; none where it has run."""
        return undefined.why(name, self.work, self.errors, self.left_out)


def plotting(cells):
    """Whether the cells seem to plot. Where this is mistaken they run all the same, in other time."""
    return any(library in cell for cell in cells for library in ("matplotlib", "pylab", "pyplot", "seaborn"))
