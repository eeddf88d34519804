"""The judge passes what is right to rounding, and nothing else."""

import numpy as np
import pytest

from autograder.hidden.judge import Wrong, expect, expect_unchanged, fails
from autograder.hidden.outcomes import Opaque, Outcome, StudentRaised

WANT = np.linspace(0.1, 1, 12).reshape(3, 4)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_rounding_passes(dtype):
    got = (WANT.astype(dtype) * dtype(1 + 2 * np.finfo(dtype).eps)).astype(dtype)
    expect(got, WANT, low=WANT.astype(dtype))


@pytest.mark.parametrize("got", [
    WANT.T, WANT.astype(np.float32), WANT * 1.000001, WANT.tolist(), None, WANT[:2], np.where(WANT > 0.9, np.nan, WANT), np.where(WANT > 0.9, np.inf, WANT),
    Opaque("Equal", 0), np.zeros_like(WANT), WANT.astype(int),
], ids=range(11))
def test_anything_else_does_not(got):
    with pytest.raises(Wrong):
        expect(got, WANT)


def test_one_wrong_element_in_many_is_found_and_named():
    want = np.zeros((200, 300))
    got = want.copy()
    got[123, 45] = 1e-3
    with pytest.raises(Wrong, match=r"1 element of 60000 .*\[123, 45\].*0 was expected, and 0.001 came"):
        expect(got, want)


def test_float16_arithmetic_in_a_float32_task_does_not_pass():
    with pytest.raises(Wrong):
        expect(WANT.astype(np.float16).astype(np.float32), WANT, low=WANT.astype(np.float32))


def test_numbers_are_shown_with_as_many_digits_as_tell_them_apart():
    with pytest.raises(Wrong) as wrong:
        expect(np.array([0.63181234000001]), np.array([0.63181234]))
    said = str(wrong.value)
    assert "0.63181234 was expected" in said and "0.63181234000001 came" in said


def test_changed_arguments_are_noticed():
    before = np.ones(3)
    expect_unchanged(Outcome("f", arguments=(np.ones(3),)), before)
    with pytest.raises(Wrong, match="argument number 1"):
        expect_unchanged(Outcome("f", arguments=(np.zeros(3),)), before)


def raised(kind, text, *bases):
    return StudentRaised(Outcome("f", error={"type": kind, "bases": [kind, *bases], "message": text, "line": ""}))


def test_an_expected_error_has_to_come_with_its_numbers():
    with fails("ValueError", 3, 5):
        raise raised("ShapeError", "3 is not 5", "ValueError")
    with pytest.raises(Wrong, match="5 is missing"):
        with fails("ValueError", 3, 5):
            raise raised("ValueError", "3 does not fit")
    with pytest.raises(Wrong, match="should raise ValueError here, and it raised IndexError"):
        with fails("ValueError"):
            raise raised("IndexError", "")
    for expected in ("ValueError", "TypeError"):
        with pytest.raises(Wrong, match=f"should raise {expected} here, and it raised Both"):
            with fails(expected):
                raise raised("Both", "3 is not 5", "ValueError", "TypeError")
    with pytest.raises(Wrong, match="returned a result"):
        with fails("ValueError"):
            pass
