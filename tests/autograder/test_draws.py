"""What a wrong solution loses, and which mistake it is told, is the same whatever is drawn: who hands in the same gets the same points.

The catalogue's solutions are the course's own, so they run in this process, where one takes a fraction of a second. Of single-head
all are tried; of the others some, on two draws. Which ones, and which draws, depends on the assignment's version: they are the same
in each run, and others after each change.
"""

import dataclasses
import types
import zlib

import pytest
import torch

from autograder.assignment import load, names
from autograder.hidden import diagnose
from autograder.hidden.backends import LocalBackend, copied
from autograder.hidden.host import HiddenTests, seed_of
from autograder.hidden.judge import NotHere
from autograder.hidden.student import Student
from autograder.run import SubmissionRun

QUICK, SLOW = "single-head", "triton-flash"  # the interpreter of kernels takes some seconds a solution
SHARE = 24  # one solution in so many is tried


def chosen(name, wrong):
    return name == QUICK or name != SLOW and zlib.crc32(f"{load(name).version} {wrong}".encode()) % SHARE == 0


CHOSEN = [(name, wrong) for name in names() for wrong in load(name).wrong if chosen(name, wrong)]


class Copying(LocalBackend):
    """What it is asked is asked of other solutions, too, and the arrays of a question are used up by its answer."""

    def exchange(self, order, arrays):
        return super().exchange(order, [copied(array) for array in arrays])


class Here(SubmissionRun):
    """A run of all tests that do not need a process of their own, in this one."""

    def all_of(self, solution):
        """{test: (status, misconception)}."""
        hidden = self.grader.hidden
        for test in hidden.tests:
            if test.cuda or test.compiled or test.memory_bytes:
                continue
            seed, backend = seed_of(self.grader.secret, self.seed, test), Copying(solution.namespace(), hidden.assignment.arrays)
            error = hidden.run(test, Student(backend), seed).error
            verdict = self._judge(error)
            if verdict.status in ("failed", "error"):
                self.asked[test] = backend, seed
                known = None if isinstance(error, NotHere) else diagnose.misconception(hidden, test, backend, seed, test.catches)
                verdict = dataclasses.replace(verdict, misconception=known)
            self.verdicts[test.id] = verdict
        self._name_again()
        return {test: (verdict.status, verdict.misconception) for test, verdict in self.verdicts.items()}


@pytest.fixture(scope="module")
def hidden():
    opened, threads = {name: HiddenTests(load(name)) for name in {name for name, _ in CHOSEN}}, torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are small, and threads that wait for one another take longer
    yield opened
    torch.set_num_threads(threads)
    for tests in opened.values():
        tests.close()


@pytest.mark.parametrize("assignment, wrong", CHOSEN)
def test_points_and_names_do_not_depend_on_the_draw(hidden, assignment, wrong):
    """Of the others than single-head the name is asked for at the solution's own test: elsewhere two mistakes may by chance pick the same wrong key."""
    loaded, first = load(assignment), int(load(assignment).version, 16)
    grader = types.SimpleNamespace(hidden=hidden[assignment], assignment=loaded, secret="a secret of the tests")
    one, other = (Here(grader, first + more).all_of(loaded.wrong[wrong]) for more in range(2))
    assert {test: status for test, (status, _) in one.items()} == {test: status for test, (status, _) in other.items()}
    assert assignment != QUICK or one == other
    own = next(test.id for test in hidden[assignment].tests if wrong in test.catches)
    assert all(run[own][1] == wrong for run in (one, other) if own in run)
