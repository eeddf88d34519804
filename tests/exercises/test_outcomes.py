"""Outcomes survive the way through JSON, and differences are found in the order in which a student has to mend them."""

import json

import numpy as np
import pytest

from autograder.learner.compare import difference, rejection
from autograder.learner.outcome import Raised, frozen, from_json, to_json

VALUES = [
    np.array([[1.5, np.nan], [np.inf, -np.inf]]),
    np.zeros((0, 3), dtype=np.float32),
    np.array(2.0, dtype=np.float16),
    np.array([[True, False]]),
    np.array([[1, 2]], dtype=np.int32),
    (np.ones(2), np.zeros(3)),
    [1, 2.5, "text", None, True],
    {"x": np.arange(3)},
    Raised(("ValueError", "Exception", "BaseException")),
    Raised(("ValueError", "Exception", "BaseException"), "with a message"),
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_through_json_and_back(value):
    back = from_json(json.loads(json.dumps(to_json(value), allow_nan=False)))
    assert difference(value, back) is None and difference(back, value) is None
    if isinstance(value, np.ndarray):
        assert back.dtype == value.dtype and back.shape == value.shape


def test_the_last_digits_of_a_processor_are_not_recorded():
    assert to_json(np.array([0.1 + 0.2, 1e-17])) == to_json(np.array([0.3, 0.0]))


ONES = np.ones((2, 3))


@pytest.mark.parametrize(
    ("expected", "came", "kind"),
    [
        (ONES, None, "nothing"),
        (ONES, [1.0], "type"),
        (ONES, np.ones((3, 2)), "shape"),
        (ONES, np.ones((2, 3), dtype=np.float32), "dtype"),
        (ONES, ONES + 1e-6, "values"),
        (ONES, ONES * np.nan, "values"),
        (ONES, Raised(("ValueError",)), "raised"),
        ((ONES, ONES), ONES, "type"),
        ((ONES, ONES), (ONES,), "count"),
        ((ONES, ONES), (ONES, ONES * 2), "values"),
        (3, 3.0, "type"),
        (3, 4, "values"),
        (Raised(("ValueError",)), Raised(("KeyError",)), "exception"),
        (Raised(("ValueError",)), ONES, "returned"),
    ],
)
def test_the_kind_of_a_difference(expected, came, kind):
    assert difference(expected, came).kind == kind


SINGLE = ONES.astype(np.float32)
ODD = np.array([np.nan, np.inf])


@pytest.mark.parametrize(("expected", "came"), [(ONES, ONES + 1e-12), (SINGLE, SINGLE + np.float32(1e-6)), (ODD, ODD.copy())])
def test_what_counts_as_equal(expected, came):
    assert difference(expected, came) is None


def test_the_message_of_an_exception_is_kept():
    assert from_json(to_json(Raised(("ValueError",), "6 and 4"))).message == "6 and 4"


def test_small_numbers_beside_large_ones_carry_the_rounding_of_the_large_ones():
    small, large = np.array([0.0, 1.0], np.float32), np.array([0.0, 8.0], np.float32)
    shift = np.array([4e-6, 0], np.float32)
    assert difference(small, small + shift).kind == "values" and difference(large, large + shift) is None


def test_float32_arithmetic_is_not_enough_for_float64():
    x = np.array([0.1, 0.7, 0.2])
    assert difference(x, x.astype(np.float32).astype(np.float64)).kind == "values"


def test_the_item_to_look_at_first_is_reported_first():
    assert difference((ONES, ONES), (ONES * 2, ONES * 2), ("output", "weights"), "weights").name == "weights"


@pytest.mark.parametrize(
    ("message", "numbers", "accepted"),
    [
        ("4 and 5", (4, 5), True),
        ("(3,4) (5,2)", (4, 5), True),
        ("45", (4, 5), False),
        ("4.5", (4,), False),
        ("there are 4.", (4,), True),
        ("length -1", (-1,), True),
        ("length −1", (-1,), True),
        ("length 1", (-1,), False),
    ],
)
def test_numbers_in_a_message(message, numbers, accepted):
    found = rejection(Raised(("ValueError",)), Raised(("ValueError", "Exception"), message), numbers)
    assert (found is None) == accepted


def test_a_more_special_exception_is_accepted():
    assert rejection(Raised(("ValueError",)), Raised(("UnicodeError", "ValueError", "Exception")), ()) is None


def test_frozen_is_not_reached_by_later_changes():
    x = np.zeros(2)
    kept = frozen((x, [x], {"x": x}))
    x[:] = 1
    assert not kept[0].any() and not kept[1][0].any() and not kept[2]["x"].any()
