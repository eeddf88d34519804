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
