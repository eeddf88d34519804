"""A pytest session that collects an assignment's hidden tests once, and runs them for one submission after the other."""

import queue
import threading
import types
import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from _pytest.runner import runtestprotocol

from autograder.assignment import Unusable, parsed, shown
from autograder.hidden.draw import Draw, seed_for

QUIET = ["-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:terminal", "-p", "no:logging", "-p", "no:unraisableexception",
         "--capture=no", "--import-mode=importlib", "-c", "/dev/null", "--noconftest",
         # No rewriting of asserts, no plugins of others: both build syntax trees, which Python 3.11 cannot do in two threads at once.
         "--assert=plain", "--disable-plugin-autoload",
         "--rootdir=/"]  # modules are named after their whole path: every assignment has a test_hidden.py


FIXTURES = {"student", "gpu", "draw", "reference"}
MARKS = {"points", "catches", "memory", "compiled", "cuda"}


class BadTests(Unusable):
    """The assignment's own tests cannot be used."""


@dataclass(frozen=True)
class HiddenTest:
    """A hidden test as the results name it."""

    id: str  # gqa.group-order
    points: float
    part: str
    catches: tuple
    sentence: str  # the docstring in one line, in English
    cuda: bool  # it needs a GPU
    compiled: bool  # it is about kernels that Triton compiles, where the other tests interpret them
    memory_bytes: int | None  # the most that the test may take on top of what the notebook has taken; None: as the limits say
    item: pytest.Item
    direct: bool  # asks nothing of pytest but to be found: it is called as it is, which saves half a millisecond


@dataclass(frozen=True)
class Run:
    """What a run of a test gave: the exception that ended it, or None."""

    test: HiddenTest
    error: BaseException | None


class HiddenTests:
    """The hidden tests of one assignment, ready to run. Close it, or use it as a context manager."""

    def __init__(self, assignment):
        self.assignment = assignment
        self.plugin = _Plugin(self)
        self.orders, self.answers = queue.Queue(), queue.Queue()
        self.thread = threading.Thread(target=self._session, daemon=True, name=f"hidden tests of {assignment.name}")
        self.thread.start()
        ready = self.answers.get()
        if isinstance(ready, BaseException):
            raise ready
        self.tests = ready

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """End the pytest session."""
        self.orders.put(None)
        self.thread.join()

    def run(self, test, student, seed):
        """Run one test on a student's functions with inputs from the seed."""
        if test.direct:
            return Run(test, alone(self.plugin.call(test, student, seed)))
        self.orders.put((test, student, seed))
        answer = self.answers.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _session(self):
        try:
            code = pytest.main([*QUIET, str(self.assignment.hidden_tests)], plugins=[self.plugin])
            if not self.plugin.started:
                why = reason(self.assignment.hidden_tests, code)
                self.answers.put(self.plugin.trouble or BadTests(f"the hidden tests of {self.assignment.name} cannot be collected: {why}"))
        except BaseException as error:
            self.answers.put(error)


def reason(path, code):
    """Why the tests of a file cannot be collected, as far as it can be told; code: pytest's exit status."""
    try:
        parsed(path)
    except Unusable as error:
        return str(error)
    return f"{shown(path)}: pytest ended with {code}"


class _Plugin:
    """The fixtures of hidden tests, and a run loop that waits for orders."""

    def __init__(self, host):
        self.host, self.started, self.trouble = host, False, None
        self.current = None  # (student, seed) of the test that runs
        self.error = None
        self.reference_module = types.SimpleNamespace(**host.assignment.namespace())

    @pytest.fixture
    def student(self):
        """The student's functions, called in the sandbox."""
        return self.current[0]

    @pytest.fixture
    def gpu(self):
        """The student's functions, called on a GPU."""
        return self.current[0]

    @pytest.fixture
    def draw(self):
        """Random inputs of this test."""
        return Draw(self.current[1])

    @pytest.fixture
    def reference(self):
        """The reference solution, in the grader's own process."""
        return self.reference_module

    def call(self, test, student, seed):
        """Call a test that asks for these fixtures alone; returns what it has raised, or None."""
        fixtures = {"student": lambda: student, "gpu": lambda: student, "draw": lambda: Draw(seed), "reference": lambda: self.reference_module}
        arguments = {name: fixtures[name]() for name in test.item.fixturenames}
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                test.item.function(**arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # pytest's own, to skip a test, are no Exceptions
            return error
        return None

    def pytest_configure(self, config):
        config.addinivalue_line("markers", "points(number, part): what the test is worth")
        config.addinivalue_line("markers", "catches(*misconceptions): what the test is there to catch")
        config.addinivalue_line("markers", "memory(n_bytes): the most that the student's process may take")
        config.addinivalue_line("markers", "cuda: it needs a GPU")
        config.addinivalue_line("markers", "compiled: Triton compiles, and does not interpret")

    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None:
            self.error = call.excinfo.value

    def pytest_runtestloop(self, session):
        if session.testsfailed or not session.items:
            return True
        try:
            described = [describe(item, self.host.assignment) for item in session.items]
        except BadTests as error:
            self.trouble = error
            return True
        self.started = True
        self.host.answers.put(described)
        while (order := self.host.orders.get()) is not None:
            test, student, seed = order
            self.current, self.error = (student, seed), None
            try:
                test.item._initrequest()  # fresh fixtures: the same test runs for many students
                runtestprotocol(test.item, log=False, nextitem=None)
                self.host.answers.put(Run(test, alone(self.error)))
            except BaseException as error:
                self.host.answers.put(error)
        return True


def alone(error):
    """The exception without the frames it went through: they hold all answers of the student's, and itself, and would be kept with it."""
    if error is not None:
        error.__traceback__ = error.__cause__ = error.__context__ = None
    return error


def describe(item, assignment):
    """The HiddenTest of a pytest item; raises BadTests where a mark is missing."""
    mark = item.get_closest_marker("points")
    if mark is None or mark.kwargs.get("part") not in assignment.parts:
        raise BadTests(f"{item.nodeid} needs @points(number, part=…), the part one of {', '.join(assignment.parts)}")
    caught = item.get_closest_marker("catches")
    memory = item.get_closest_marker("memory")
    name = item.name.removeprefix("test_").replace("_", "-")
    sentence = " ".join((item.function.__doc__ or "").split())
    if not sentence:
        raise BadTests(f"{item.nodeid} needs a docstring: the sentence that a student reads")
    cuda = item.get_closest_marker("cuda") is not None
    if cuda is not ("gpu" in item.fixturenames) or (cuda and "student" in item.fixturenames):
        raise BadTests(f"{item.nodeid}: a test with @cuda asks for the fixture gpu in place of student, and no other test does")
    return HiddenTest(f"{assignment.name}.{name}", float(mark.args[0]), mark.kwargs["part"], caught.args if caught else (), sentence, cuda,
                      item.get_closest_marker("compiled") is not None, memory.args[0] if memory else None, item, is_direct(item))


def is_direct(item):
    """Whether a test is a plain function of our fixtures, without parameters, classes, set-up or marks of pytest's."""
    return (type(item) is pytest.Function and item.cls is None and not hasattr(item, "callspec") and set(item.fixturenames) <= FIXTURES
            and {mark.name for mark in item.iter_markers()} <= MARKS)


def seed_of(secret, seed, test):
    """The seed of a test's inputs in a run."""
    return seed_for(secret, seed, test.id.split(".")[0], test.id)
