"""What IPython makes of a cell before it runs, and what is passed by for speed."""

import sys

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from autograder.assignment import ROOT, load
from autograder.notebook import read
from autograder.sandbox.bubblewrap import CHILD

sys.path.insert(0, str(CHILD))
try:
    import cells
finally:
    sys.path.remove(str(CHILD))


@pytest.mark.parametrize("source", [
    "%time 1", "%%time\n1", "!ls", "x = !ls", "x = %time 1", "np.zeros?", "?np", "  x = 1", "\n  x = 1", ">>> x = 1", "... x", "In [1]: x = 1",
    ",f a b", ";f a b", "/f a b", "x\r\ny", "def f():\n    %time 1",
])
def test_whatever_ipython_writes_anew_goes_through_it(source):
    assert cells.MAY_BE_MAGIC(source)


def test_what_does_not_go_through_it_would_come_out_the_same():
    paths = sorted(ROOT.glob("exercises/*/single-head/*.ipynb"))
    sources = [cell for path in paths for cell in read(path.read_bytes(), path.name).cells]
    sources += [load("single-head").solution_source, "", "\n", "\n\nx = 1", "x = 1", "x;", "f(\n    1)", "'''\n\n'''", "x = 1 \\\n+ 2", "#"]
    plain = [source for source in sources if not cells.MAY_BE_MAGIC(source)]
    assert len(plain) > len(sources) / 2
    transform = TransformerManager().transform_cell
    assert all(transform(source) == (source if source.endswith("\n") else source + "\n") for source in plain)
