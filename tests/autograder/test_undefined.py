"""A name that is not there: the cell that defines it is named where it has failed, and no other cell is."""

import json
import time

import pytest

from autograder.notebook import Work
from autograder.undefined import defines, did_not_end
from tests.autograder.conftest import by_id

UNCLOSED = "import numpy as np\n\ndef softmax(x, axis=-1):\n    largest = np.max(x, axis=axis\n    return x"
CALLS = "def attention(q, k, v, mask=None):\n    weights = softmax(q)\n    return v, weights"
OF_SOFTMAX = "`softmax` is not defined, because the cell that defines it raised "
LINE = "It happened in the line: largest = np.max(x, axis=axis"


@pytest.mark.parametrize(("source", "defined"), [
    ("def softmax(x): return x", True), ("x = 1\nasync def softmax(x):\n", True), ("class softmax:", True),
    ("    def softmax(x):\n        return (x", True),
    ("%%time\ndef softmax(x):", True), ("softmax = np.exp", True), ("attention = softmax = f = g", True), ("softmax, f = make()", True),
    ("from mine import other, softmax", True), ("try:\n    from mine import softmax", True), ("from mine import *", True),
    ("import softmax", True),
    ("def softmax_rows(x):", False), ("y = softmax", False), ("softmax(x, axis=1)", False), ("def f(x):\n    softmax = 1", False),
    ("class A:\n    def softmax(self):", False), ("# softmax = 1", False), ("", False), ("import numpy", False), ("\x00\xff", False),
])
def test_what_defines_a_name(source, defined):
    assert defines(source, "softmax") is defined


def test_a_hostile_source_takes_no_time():
    begun = time.process_time()
    for source in ("a," * 1_000_000, "a=" * 1_000_000, " " * 2_000_000, "import " + "softma " * 300_000, "(" * 2_000_000, "from " * 400_000,
                   "\n" * 2_000_000):
        assert not defines(source, "softmax")
    assert time.process_time() - begun < 30


def notebook(*cells, exercise="single-head"):
    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None} for source in cells]
    metadata = {"course": {"assignment": exercise, "language": "en"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


@pytest.fixture
def said(grader):
    """said(*cells) gives what the tests of a notebook say beside their sentence, by their names."""
    def of(*cells):
        entries = by_id(grader.grade("student", notebook(*cells), "x.ipynb", seed=1))
        return {name: entry["message"].split("\n")[1:] for name, entry in entries.items()}
    return of


def test_a_cell_that_is_no_python_is_blamed_for_its_own_name_alone(said):
    told = said(UNCLOSED, CALLS)
    assert told["softmax-rows"] == [OF_SOFTMAX + "SyntaxError: '(' was never closed", LINE]
    assert told["causal-square"] == ["`causal_mask` is not defined in the submission."]


def test_where_another_function_needs_the_name_the_one_cause_is_told(said):
    told = said(UNCLOSED, CALLS)["attention-rows"]
    assert told == ["`attention` raised NameError: name 'softmax' is not defined (in the line: weights = softmax(q))",
                    OF_SOFTMAX + "SyntaxError: '(' was never closed", LINE]
    assert len(said("", CALLS)["attention-rows"]) == 1, "no cell defines it: there is nothing to add"


def test_a_cell_that_raised_before_the_definition_is_named(said):
    assert said("1 / 0", "5 % 0\n\ndef softmax(x, axis=-1):\n    return x")["softmax-rows"] == [
        OF_SOFTMAX + "ZeroDivisionError: integer modulo by zero", "It happened in the line: 5 % 0"]


def test_a_cell_that_ended_the_process_is_named(said):
    told = said("import os\n\ndef softmax(x, axis=-1):\n    return x\n\nos._exit(1)", "x = 1")
    lost = "`softmax` is not defined: the cell that defines it ended the Python process, or did not come to an end."
    assert told["softmax-rows"] == [lost]
    assert told["causal-square"] == ["`causal_mask` is not defined in the submission."]


def test_a_cell_that_is_to_be_found_is_named_by_its_first_line(said):
    told = said(*(f"\nimport os  # {n}\nos._exit(1)" for n in range(6)))
    assert told["softmax-rows"] == ["A cell of the notebook ended the Python process.", "The cell begins with the line: import os # 3"]


def test_a_cell_without_end_is_named_by_its_first_line():
    told = did_not_end(Work(("x = 1", "\n  \nwhile True:\n    pass"), "en"), 1)
    assert [str(one) for one in told] == ["A cell of the notebook did not come to an end.", "The cell begins with the line: while True:"]
    (told,) = did_not_end(Work(("while True: pass",), "en", is_file=True), 0)
    assert str(told) == "Running the file did not come to an end."


@pytest.mark.parametrize(("source", "told"), [
    ("x = 1", ["`softmax` is not defined in the submission."]),
    (UNCLOSED, ["`softmax` is not defined, because the file raised SyntaxError: '(' was never closed", LINE]),
    ("import os\nos._exit(1)\ndef softmax(x): pass",
     ["`softmax` is not defined: running the file ended the Python process, or did not come to an end."]),
], ids=["not there", "no Python", "ends the process"])
def test_of_a_python_file_no_notebook_is_spoken(grade, source, told):
    assert by_id(grade(source, seed=1))["softmax-rows"]["message"].split("\n")[1:] == told


def test_the_notebook_of_another_exercise_is_noticed_where_a_name_is_missing(grader, single_head):
    result = grader.grade("student", notebook("x = 1", exercise="gqa"), "x.ipynb")
    assert result["flags"] == [{"kind": "another-exercise", "evidence": "the notebook is that of gqa"}]
    said = "The notebook is that of the exercise `gqa`, and what is graded is `single-head`."
    assert {test["message"].split("\n")[2] for test in result["tests"]} == {said}
    for cell, exercise in (("x = 1", "no such exercise"), ("x = 1", "single-head"), (single_head.solution_source, "gqa")):
        assert grader.grade("student", notebook(cell, exercise=exercise), "x.ipynb")["flags"] == []
