"""Bodies from the reference go into the cells' heads: functions, helpers, classes, given lines; and what does not fit is named."""

import pytest

from autograder.exercise.bodies import Mismatch, fill

REFERENCE = '''
import numpy as np


def double(x, times=2):
    """English."""
    # Why.
    y = x * times
    return helper(y)  # done


def helper(y):
    """Helper."""
    return y


class Cache(list):
    """English."""

    limit = 3

    def __init__(self, size, kind="a"):
        """English init."""
        super().__init__()
        self.size = size

    @property
    def full(self):
        return len(self) >= self._most()

    def push(self, x):
        """English push."""
        self.append(x)
        return self

    def _most(self):
        return self.size
'''


def test_a_function_keeps_its_own_docstring_and_gets_the_body():
    cell = 'def double(x, times=2):\n    """Svenska."""'
    assert fill(cell, REFERENCE).splitlines() == [
        "def double(x, times=2):",
        '    """Svenska."""',
        "    ### BEGIN SOLUTION",
        "    # Why.",
        "    y = x * times",
        "    return helper(y)  # done",
        "    ### END SOLUTION",
    ]


def test_helpers_go_inside_the_solution():
    filled = fill('def double(x, times=2):\n    """Svenska."""', REFERENCE, ["helper"])
    inside = filled.split("### BEGIN SOLUTION")[1].split("### END SOLUTION")[0]
    assert "def helper(y):" in inside
    namespace = {}
    exec(filled, namespace)
    assert namespace["double"](4) == 8


def test_given_code_has_no_marks():
    assert fill('def helper(y):\n    """Hjälp."""', REFERENCE, marked=False) == 'def helper(y):\n    """Hjälp."""\n    return y'


def test_lines_that_the_cell_gives_stay_outside():
    cell = 'def double(x, times=2):\n    """Doc."""\n    y = x * times\n    # Now return it.\n    ...'
    assert fill(cell, REFERENCE).splitlines()[2:] == [
        "    y = x * times",
        "    # Now return it.",
        "    ### BEGIN SOLUTION",
        "    return helper(y)  # done",
        "    ### END SOLUTION",
    ]


def test_lines_given_below_stay_outside_too():
    cell = 'def double(x, times=2):\n    """Doc."""\n    ...\n    return helper(y)'
    lines = fill(cell, REFERENCE).splitlines()
    assert lines[2:6] == ["    ### BEGIN SOLUTION", "    # Why.", "    y = x * times", "    ### END SOLUTION"]
    assert lines[6] == "    return helper(y)"


CLASS = '''class Cache(list):
    """Ett minne."""

    limit = 3

    def __init__(self, size, kind="a"):
        """Börjar tomt."""

    @property
    def full(self):
        """Om det är fullt."""

    def push(self, x):
        """Lägger till."""
'''


def test_a_class_gets_the_body_of_each_method():
    filled = fill(CLASS, REFERENCE)
    namespace = {}
    exec(filled, namespace)
    cache = namespace["Cache"](1)
    assert not cache.full and cache.push(7).full and list(cache) == [7]
    assert namespace["Cache"].__doc__ == "Ett minne."
    assert filled.count("### BEGIN SOLUTION") == filled.count("### END SOLUTION") == 3


def test_methods_that_the_cell_leaves_out_go_inside_the_last_solution():
    last = fill(CLASS, REFERENCE).split("### BEGIN SOLUTION")[-1]
    assert "    def _most(self):" in last.split("### END SOLUTION")[0]


def test_nbgrader_clears_a_class_method_by_method():
    from nbformat.v4 import new_code_cell, new_notebook
    from nbgrader.preprocessors import ClearSolutions

    meta = {"nbgrader": {"grade": False, "grade_id": "x", "locked": False, "solution": True, "schema_version": 3, "task": False}}
    notebook = new_notebook(cells=[new_code_cell(fill(CLASS, REFERENCE), metadata=meta)])
    ClearSolutions().preprocess(notebook, {})
    namespace = {}
    exec(notebook.cells[0].source, namespace)
    assert "_most" not in notebook.cells[0].source
    with pytest.raises(NotImplementedError):
        namespace["Cache"](1)


@pytest.mark.parametrize(
    ("cell", "named"),
    [
        ('def double(x, times=3):\n    """Doc."""', "head of 'double'"),
        ('def double(x):\n    """Doc."""', "head of 'double'"),
        ('def treble(x):\n    """Doc."""', "no 'treble'"),
        ('class Cache:\n    """Doc."""\n\n    def push(self, x):\n        """Doc."""', "head of 'Cache'"),
        ('class Cache(list):\n    """Doc."""\n\n    def pull(self, x):\n        """Doc."""', "no 'pull'"),
        ('def double(x, times=2):\n    """Doc."""\n    return x', "holds code"),
        ('def double(x, times=2):\n    """Doc."""\n    y = x + times\n    ...', "where the reference has"),
        ('def double(x, times=2):\n    """Doc."""\n    y = x * times\n    ...\n    return helper(y)', "nothing to write"),
        ("x = 1", "no function"),
    ],
)
def test_what_does_not_fit_is_named(cell, named):
    with pytest.raises(Mismatch, match=named):
        fill(cell, REFERENCE)
