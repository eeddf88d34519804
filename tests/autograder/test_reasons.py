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
