"""When an exception tells which mistake it is, and when it does not."""

from autograder.learner.diagnosis import likely
from autograder.learner.outcome import Raised
from autograder.learner.recorded import Recorded
from autograder.learner.running import Result
from autograder.learner.stage import Stage

NAMES = ("RuntimeError", "Exception", "BaseException")
PRODUCT = "mat1 and mat2 shapes cannot be multiplied ({} and 4x4)"
NOT_CALLABLE = "'tuple' object is not callable"


def raised(message):
    return Raised(NAMES, message)


def made(name, **fields):
    """A stage of that name."""

    def run(student):
        """Nothing."""

    run.__name__ = name
    return Stage("module", run, **fields)


def reasons(outcomes, mistakes, **fields):
    """The mistakes that explain what a student's code gave: outcomes {stage: value, or None where it passed}; the last stage is the one with these fields."""
    last = list(outcomes)[-1]
    results = {name: Result(made(name, **(fields if name == last else {})), "failed" if value else "passed", value) for name, value in outcomes.items()}
    recorded = Recorded(["module"], {}, {stage: {m: values[stage] for m, values in mistakes.items() if stage in values} for stage in outcomes}, {})
    return likely(next(result for result in results.values() if result.status == "failed"), results, recorded)


def test_the_same_message_tells_two_mistakes_apart():
    mistakes = {"not-merged": {"one_token": raised(PRODUCT.format("2x2"))}, "a-pair": {"one_token": raised("a pair")}}
    assert reasons({"one_token": raised(PRODUCT.format("2x2"))}, mistakes) == ["not-merged"]


def test_the_kind_of_an_exception_alone_is_no_evidence():
    assert reasons({"one_token": raised("something else")}, {"not-merged": {"one_token": raised(PRODUCT.format("2x2"))}}) == []


def test_other_numbers_are_another_mistake_but_where_the_kind_is_telling():
    mistakes = {"keeps-length": {"other_length": raised(PRODUCT.format("2x2"))}}
    assert reasons({"other_length": raised(PRODUCT.format("3x3"))}, mistakes) == []
    assert reasons({"other_length": raised(PRODUCT.format("3x3"))}, mistakes, telling=True) == ["keeps-length"]
    assert reasons({"other_length": raised(NOT_CALLABLE)}, mistakes, telling=True) == []


def test_any_exception_of_the_kind_will_do_where_another_was_asked_for():
    mistakes = {"unchecked": {"widths": raised(PRODUCT.format("2x2"))}}
    assert reasons({"widths": raised("einsum: sizes differ")}, mistakes, telling=True, raises="ValueError") == ["unchecked"]


def test_a_mistake_that_earlier_stages_contradict_is_none():
    mistakes = {"a-pair": {"attention": 1, "module": raised(NOT_CALLABLE)}}
    assert reasons({"attention": None, "module": raised(NOT_CALLABLE)}, mistakes) == []
    assert reasons({"attention": 1, "module": raised(NOT_CALLABLE)}, mistakes) == ["a-pair"]
