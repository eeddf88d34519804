"""Grading one submission: its result in the published form, in the student's language."""

import hashlib
import secrets
import time

from autograder.hidden.host import HiddenTests
from autograder.languages import DEFAULT
from autograder.messages import clean, message
from autograder.notebook import Unreadable, read
from autograder.results import SCHEMA
from autograder.run import SubmissionRun
from autograder.sandbox.limits import Limits
from autograder.sandbox.patience import clock
from autograder.sandbox.sandbox import Sandbox
from autograder.verdict import Verdict, flat


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
        _ = self.assignment.wrong  # or Unusable, before anything is started
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
        run = SubmissionRun(self, seed)
        try:
            if data is None:
                raise Unreadable(note)
            work = read(data, name)
            run.work, language = work, language or work.language
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
        work = read(data, name)
        run = SubmissionRun(self, result["seed"], work)
        run.on_gpu(work.cells, [test for test in self.hidden.tests if test.id in open_ids])
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
