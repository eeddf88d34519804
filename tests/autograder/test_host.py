"""The pytest session that runs hidden tests: several assignments in one process, and tests that cannot be used."""

import dataclasses
from pathlib import Path

import pytest

from autograder.assignment import load, read
from autograder.hidden.host import BadTests, HiddenTests

TOY = Path(__file__).parent / "toy"


def test_several_assignments_in_one_process_keep_their_own_tests(single_head):
    toy = dataclasses.replace(read(TOY), solution=str(TOY / "solution.py"))
    with HiddenTests(single_head) as first, HiddenTests(toy) as second, HiddenTests(single_head) as third:
        assert {test.id.split(".")[0] for test in second.tests} == {"toy"}
        assert [test.id for test in first.tests] == [test.id for test in third.tests] and len(first.tests) > 10


@pytest.mark.parametrize("source, says", [
    ("def test_it():\n    \"\"\"A sentence.\"\"\"", "needs @points"),
    ("from autograder.hidden import points\n@points(1, part='nowhere')\ndef test_it():\n    \"\"\"A sentence.\"\"\"", "the part one of"),
    ("from autograder.hidden import points\n@points(1, part='softmax')\ndef test_it():\n    pass", "needs a docstring"),
    ("this is no Python", "cannot be collected"),
    ("", "cannot be collected"),
])
def test_tests_that_cannot_be_used_are_named(tmp_path, source, says):
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "test_hidden.py").write_text(source)
    with pytest.raises(BadTests, match=says):
        HiddenTests(dataclasses.replace(load("single-head"), name="bad", place=tmp_path))


def test_plain_tests_are_called_directly_and_all_others_by_pytest(tmp_path, single_head):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "test_hidden.py").write_text("""
import warnings
import numpy as np
import pytest
from autograder.hidden import points

@points(1, part="softmax")
def test_plain(draw):
    "A sentence."
    warnings.warn("nobody reads it")
    raise ValueError(draw.size(0, 10**9), float(np.float64(0) / np.float64(0)))

@points(1, part="softmax")
@pytest.mark.parametrize("n", [7])
def test_with_a_parameter(draw, n):
    "A sentence."
    raise ValueError(draw.size(0, 10**9), n)

@points(1, part="softmax")
@pytest.mark.skipif(True, reason="never")
def test_with_a_mark(draw):
    "A sentence."

@points(1, part="softmax")
def test_with_a_fixture_of_pytests(tmp_path):
    "A sentence."
    assert tmp_path.is_dir()
""", encoding="utf-8")
    with HiddenTests(single_head) as hidden:
        assert all(test.direct for test in hidden.tests)
    with HiddenTests(dataclasses.replace(single_head, name="other", place=tmp_path)) as hidden:
        assert [test.direct for test in hidden.tests] == [True, False, False, False]
        errors = [hidden.run(test, None, seed=5).error for test in hidden.tests]
    assert [type(error).__name__ for error in errors] == ["ValueError", "ValueError", "Skipped", "NoneType"]
    assert errors[0].args[0] == errors[1].args[0]
