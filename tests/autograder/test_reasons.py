"""Which mistake is named for a test that has failed."""

import pytest

from autograder.assignment import load
from autograder.grade import Grader
from autograder.hidden.diagnose import same_complaint
from autograder.hidden.outcomes import Outcome

from .conftest import by_id

GIVEN = 'raise ValueError(f"queries have d_head {q.shape[-1]}, keys have {k.shape[-1]}")'


def raised(message, line=""):
    return Outcome("forward", error={"type": "ValueError", "bases": ["ValueError"], "message": message, "line": line, "function": "forward"})


@pytest.mark.parametrize(
    ("student", "wrong", "alike"),
    [
        (raised("queries have d_head 2, keys have 1", GIVEN), raised("queries have d_head 4, keys have 3"), True),
        (raised("queries have d_head 2, keys have 1", GIVEN), raised("a mask of shape (3, 1, 3) does not fit"), False),
        (raised("the cache is full", 'raise ValueError("the cache is full")'), raised("5 tokens fit, and there would be 6"), True),
        (raised("shape '[2, 3]' is invalid", "y = x.reshape(2, 3)"), raised("mat1 and mat2 shapes cannot be multiplied"), False),
        (Outcome("forward", 1), raised("queries have d_head 2, keys have 1"), True),
    ],
)
def test_unexpected_exceptions_are_alike_in_their_words(student, wrong, alike):
    """Unless the student has chosen them."""
    assert same_complaint(student, wrong, source=GIVEN) is alike


def test_a_mistake_of_an_earlier_part_goes_before_one_of_the_part_itself(needs_sandbox):
    """Heads that are merged wrongly look to the module like heads that are not merged at all."""
    exercise = load("multi-head")
    with Grader(exercise, secret="a secret of the tests") as grader:
        result = grader.grade("student", exercise.wrong["merge-joins-heads-and-tokens"].source.encode(), "student.py")
    entries = by_id(result)
    assert entries["module-values"]["misconception"] == entries["merge-values"]["misconception"] == "merge-joins-heads-and-tokens"


def test_the_mistake_that_explains_most_goes_before_one_that_a_single_test_names(needs_sandbox):
    """With one token a step, a mask that leaves out the diagonal gives what attending before the append gives."""
    exercise = load("kv-cache")
    with Grader(exercise, secret="a secret of the tests") as grader:
        result = grader.grade("student", exercise.wrong["mask-without-itself"].source.encode(), "student.py")
    named = [test["misconception"] for test in result["tests"] if test["status"] == "failed"]
    assert len(named) > 3 and set(named) == {"mask-without-itself"}


UNSETTLED = "The same call gave another result the second time"
NOISY = """
_forward = MultiHeadAttention.forward
def forward(self, x, mask=None):
    return torch.nn.functional.dropout(_forward(self, x, mask), 0.5)
MultiHeadAttention.forward = forward
"""
REMEMBERS = """
_split, seen = split_heads, []
def split_heads(x, n_heads):
    seen.append(n_heads)
    return _split(x, n_heads) * len(seen)
"""
DOUBLED = """
_split = split_heads
def split_heads(x, n_heads):
    return _split(x, n_heads) * 2
"""
LARGE = """
def split_heads(x, n_heads):
    return torch.rand(3 << 20)
"""


@pytest.mark.parametrize(("code", "entry", "told"), [
    (NOISY, "module-values", True),
    (REMEMBERS, "split-values", True),
    (DOUBLED, "split-values", False),
    (LARGE, "split-values", False),
], ids=["dropout", "from one call to the next", "the same each time", "12 MB, which are not asked for again"])
def test_a_result_that_is_another_each_time_is_told(needs_sandbox, code, entry, told):
    exercise = load("multi-head")
    with Grader(exercise, secret="a secret of the tests") as grader:
        result = grader.grade("student", (exercise.solution_source + code).encode(), "student.py", language="en")
    entry = by_id(result)[entry]
    assert entry["status"] == "failed"
    assert (UNSETTLED in entry["message"]) is told


def test_what_keeps_a_state_may_answer_differently(needs_sandbox):
    """A cache that is appended to once more is longer, and that is no mistake."""
    exercise = load("kv-cache")
    with Grader(exercise, secret="a secret of the tests") as grader:
        for name in ("attends-before-append", "counts-appends"):
            result = grader.grade("student", exercise.wrong[name].source.encode(), "student.py", language="en")
            assert result["score"] < result["max_score"]
            assert [test["id"] for test in result["tests"] if UNSETTLED in test["message"]] == [], name
