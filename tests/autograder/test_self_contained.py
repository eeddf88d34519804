"""A solution that builds on earlier ones becomes one source, which runs by itself."""

import pytest

from autograder.assignment import SOLUTIONS, load, names
from autograder.self_contained import NotSelfContained, self_contained

EARLIER = '''"""Earlier."""

import math

from torch import nn

# why five
LIMIT = 5


def double(x):
    """Twice x."""
    return 2 * within(x)


def within(x):
    return min(x, LIMIT)


def unneeded(x):
    return nn.Linear(x, math.floor(x))
'''


@pytest.fixture
def written(tmp_path):
    """A function that gives a source's self-contained form, where earlier.py lies beside it."""
    (tmp_path / "earlier.py").write_text(EARLIER)

    def write(source, name="later"):
        (tmp_path / f"{name}.py").write_text(source)
        return self_contained(tmp_path / f"{name}.py")

    return write


def test_what_is_imported_comes_with_all_that_it_needs(written):
    source = written('"""Later."""\n\nfrom solutions.earlier import double\n\n\ndef four(x):\n    return double(double(x))\n')
    assert source.startswith('"""Later."""\n') and "solutions" not in source and "unneeded" not in source and "import math" not in source
    assert "# why five\nLIMIT = 5" in source
    namespace = {}
    exec(source, namespace)
    assert namespace["four"](1) == 4 and namespace["double"](9) == 10


def test_what_an_earlier_one_imports_comes_too(written):
    written('"""Between."""\n\nimport math\n\nfrom solutions.earlier import double\n\n\ndef root(x):\n    return math.sqrt(double(x))\n', "between")
    namespace = {}
    exec(written('"""Later."""\n\nfrom solutions.between import root\nfrom solutions.earlier import double\n\n\ndef f(x):\n    return root(double(x))\n'), namespace)
    assert namespace["f"](4) == 10**0.5


def test_a_source_that_imports_nothing_of_ours_stays_as_it_is(written):
    assert written(EARLIER) == EARLIER


@pytest.mark.parametrize("line, said", [
    ("from solutions.earlier import triple", "earlier.py has no triple"),
    ("from solutions.earlier import double as twice", "line 3: import names from solutions.earlier as they are"),
    ("from solutions.earlier import *", "line 3"),
    ("from solutions.earlier import double\n\n\ndef within(x):\n    return x", "two different things called 'within'"),
])
def test_what_cannot_be_replaced_is_named(written, line, said):
    with pytest.raises(NotSelfContained, match=said):
        written(f'"""Later."""\n\n{line}\n\n\ndef f(x):\n    return x\n')


def test_every_solution_runs_by_itself():
    for name in names():
        assert "solutions" not in load(name).solution_source.replace(str(SOLUTIONS), "")
        assert load(name).namespace()
