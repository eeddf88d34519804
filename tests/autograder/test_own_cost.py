"""What a student's answers cost the grader's own process: nothing of them is kept, and none is compared before its shape is known."""

import gc
import time
import types
import weakref

import pytest

from autograder import run as grading
from autograder.assignment import load
from autograder.grade import Grader
from autograder.sandbox import patience
from autograder.sandbox.child_modules import wire
from autograder.sandbox.limits import Limits
from autograder.sandbox.patience import clock
from autograder.sandbox.sandbox import Sandbox, SubmissionProcess
from autograder.verdict import Verdict
from tests.attacks.attack import notebook
from tests.autograder.conftest import by_id

SECRET = "a secret of the tests"
LARGE = """
import torch
def large(*args, **kwargs):
    return torch.zeros(30 << 20, dtype=torch.int8)
split_heads = merge_heads = scaled_dot_product_attention = large
class MultiHeadAttention(torch.nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self.w_q = self.w_k = self.w_v = self.w_o = torch.nn.Linear(1, 1)
    forward = large
"""


@pytest.fixture(scope="module")
def flash(needs_sandbox):
    with Grader(load("flash"), SECRET) as grader:
        yield grader


def sent_to(grader, more):
    """The result of the assignment's own solution with something added to it."""
    return grader.grade("student", (grader.assignment.solution_source + more).encode(), "student.py", language="en", seed=1)


def test_a_graded_submission_is_forgotten_at_once(needs_sandbox, monkeypatch):
    """Not when the garbage is collected: until then there may be gigabytes of it."""
    runs = []

    class Watched(grading.SubmissionRun):
        def __init__(self, *args):
            super().__init__(*args)
            runs.append(weakref.ref(self))

    monkeypatch.setattr("autograder.grade.SubmissionRun", Watched)
    exercise = load("multi-head")
    with Grader(exercise, SECRET) as grader:
        gc.collect()
        gc.disable()
        try:
            for source in (LARGE, exercise.wrong["merge-joins-heads-and-tokens"].source):
                assert grader.grade("student", source.encode(), "student.py", seed=1)["score"] < 10
            assert len(runs) == 2 and [one for one in runs if one() is not None] == []
        finally:
            gc.enable()


def test_large_answers_are_not_kept_for_a_second_look(needs_sandbox, monkeypatch):
    kept = []
    name_again = grading.SubmissionRun._name_again
    monkeypatch.setattr(grading.SubmissionRun, "_name_again", lambda self: (kept.extend(self.asked), name_again(self)))
    exercise = load("multi-head")
    with Grader(exercise, SECRET) as grader:
        result = grader.grade("student", LARGE.encode(), "student.py", seed=1)
        assert result["score"] == 0
        assert not {"multi-head.split-values", "multi-head.merge-values"} & {test.id for test in kept}
        kept.clear()
        grader.grade("student", exercise.wrong["merge-joins-heads-and-tokens"].source.encode(), "student.py", seed=1)
        assert kept


def test_states_of_another_shape_are_not_compared(flash):
    """Forty thousand numbers beside forty thousand others would be compared each with each."""
    result = sent_to(flash, """
_online, _finish = online_softmax, finish
def online_softmax(state, scores, values):
    inner = None if state is None else state[0]
    if state is not None:
        state[1] = torch.zeros(1, 300)
    return [_online(inner, scores, values), torch.zeros(300, 1)]
def finish(state):
    return _finish(state[0])
""")
    told = [test["message"] for test in result["tests"] if "state as before" in test["message"]]
    assert told and all("should have shape (300, 1), and it has (1, 300)" in each for each in told)


@pytest.mark.parametrize("demonstration", [
    "q, k, v = (torch.randn(2, 8, 1024, 64) for _ in range(3))\nout, lse = flash_attention(q, k, v)",
    "kept = torch.randn(20_000_000)",
], ids=["a result", "80 MB"])
def test_what_a_notebook_keeps_does_not_count_as_its_functions_memory(flash, demonstration):
    result = sent_to(flash, demonstration)
    assert [test["id"] for test in result["tests"] if test["status"] not in ("passed", "deferred")] == []


def test_what_functions_take_does(flash):
    wrong = flash.assignment.wrong["backward-whole-matrix"]
    result = flash.grade("student", (wrong.source + "\nkept = torch.randn(20_000_000)").encode(), "student.py", seed=1)
    assert by_id(result)["backward-memory"]["misconception"] == "backward-whole-matrix"


def test_a_notebook_that_fills_its_memory_can_be_held(needs_sandbox):
    """What it has and what the test may take are more together than a submission may have; no limit is raised."""
    with Sandbox("numpy", limits=Limits(memory_bytes=200 << 20)) as sandbox:
        with sandbox.submission(memory_bytes=150 << 20) as process:
            assert process.load(["import numpy as np\nkept = np.ones(100 << 20, np.int8)", "def f():\n    return np.ones(120 << 20, np.int8).size"]) == []
            with process.test(clock() + 10) as test:
                answer, _ = test.ask({"order": "call", "target": {"name": "f"}, "args": [], "kwargs": {}}, [])
            assert "allocate" in answer["error"]["message"]


SLEEPS = "import time\ntime.sleep(60)"


def test_whether_a_cell_was_interrupted_says_its_process_and_no_clock_of_the_graders(monkeypatch):
    """The grader may hear of a cell's beginning a little late, and its interval is then shorter than the child's."""
    monkeypatch.setattr(SubmissionProcess, "cell_took_s", lambda self: 60.0)
    ours, theirs = wire.pair()
    with ours, theirs:
        said = ({"cell": 0, "interrupted": False}, {"cell": 1, "interrupted": "no"}, {"cell": 2, "interrupted": True})
        for answer in (*said, {"loaded": True, "errors": [], "interrupted": True}):
            wire.send(theirs, answer)
        process = SubmissionProcess(ours, "numpy", Limits())
        process.load(["a = 1", SLEEPS, SLEEPS], deadline=clock() + 10)
    assert process.slow == {1, 2}


def test_a_cell_that_catches_the_interruption_was_interrupted(needs_sandbox):
    with Sandbox("numpy", limits=Limits(cell_s=0.5)) as sandbox, sandbox.submission() as process:
        assert process.load(["import time\ntry:\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    pass"]) == []
        assert process.slow == {0}


def test_on_a_busy_machine_a_cell_has_more_of_the_walls_seconds(needs_sandbox, monkeypatch):
    """And what is said of it are the seconds of its limit."""
    monkeypatch.setattr(patience.clock, "factor", lambda: 4.0)
    with Sandbox("numpy", limits=Limits(cell_s=0.5)) as sandbox, sandbox.submission() as process:
        began = time.monotonic()
        (error,) = process.load([SLEEPS])
        assert error["message"] == "interrupted after 0.5 s" and time.monotonic() - began >= 2.0


def test_a_slow_cell_is_interrupted_sooner_the_second_time(needs_sandbox):
    with Sandbox("numpy", limits=Limits(cell_s=1.5)) as sandbox:
        with sandbox.submission() as process:
            (error,) = process.load(["a = 1", SLEEPS, "b = 2"])
            assert error["message"] == "interrupted after 1.5 s" and process.slow == {1}
        with sandbox.submission() as process:
            (error,) = process.load(["a = 1", SLEEPS, "b = 2"], slow=process.slow | {1})
            assert error["message"] == "interrupted after 1.0 s"


def test_what_was_slow_is_known_when_the_notebook_is_loaded_again(needs_sandbox, monkeypatch):
    """Some exercises are loaded once for each kind of test."""
    slow, load_ = [], SubmissionProcess.load

    def noted(self, cells, skip, until, own_work, slow_cells):
        slow.append(set(slow_cells))
        return load_(self, cells, skip, until, own_work, slow_cells)

    exercise = load("mqa")
    with Grader(exercise, SECRET, limits=Limits(cell_s=3.0)) as grader:
        monkeypatch.setattr(SubmissionProcess, "load", noted)
        result = grader.grade("student", notebook(exercise.solution_source, SLEEPS), "student.ipynb", seed=1)
    assert result["score"] == result["max_score"] and len(slow) > 1
    assert slow == [set()] + [{1}] * (len(slow) - 1)


@pytest.mark.parametrize(("ran_s", "left_out"), [(1.0, False), (10.5, False), (28.0, True)])
def test_a_cell_that_was_running_when_time_was_over_may_only_be_slow(grader, ran_s, left_out):
    run, skip = grading.SubmissionRun(grader, 1), set()
    process = types.SimpleNamespace(current_cell=3, cell_took_s=lambda: ran_s)
    run._leave_out(process, Verdict("timeout"), skip)
    assert (skip, run.slow) == (({3}, set()) if left_out else (set(), {3}))
    run._leave_out(process, Verdict("error"), skip)
    assert skip == {3}


def test_parameters_may_begin_as_anything(needs_sandbox):
    exercise = load("gqa")
    begin = """
_init = GroupedQueryAttention.__init__
def __init__(self, *args, **kwargs):
    _init(self, *args, **kwargs)
    for place, parameter in enumerate(self.parameters()):
        torch.nn.init.constant_(parameter, float("nan") if place % 2 else float("inf"))
GroupedQueryAttention.__init__ = __init__
"""
    with Grader(exercise, SECRET) as grader:
        assert sent_to(grader, begin)["score"] == 10.0


@pytest.mark.parametrize("more", [
    "softmax = lambda x, axis=-1: type('int.\\n\\nEverything is right: 10 of 10 points.', (), {})()",
    "import calls\ndef raising(*args): raise calls.Missing('softmax`\\n\\nEverything is right')\ncalls.resolve = raising",
], ids=["the name of a class", "a name that is missing"])
def test_no_name_makes_a_line_of_its_own(grader, more):
    message = by_id(sent_to(grader, more))["softmax-rows"]["message"]
    assert "Everything is right" in message
    assert not [line for line in message.splitlines() if line.startswith("Everything")]


def test_flags_are_a_few(grader):
    run = grading.SubmissionRun(grader, 1)
    run.library = {f"function {n}": "single-head.softmax-rows" for n in range(700)}
    assert len(run.flags()) == grading.MOST_FLAGS
