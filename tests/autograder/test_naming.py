"""Names of a library's attention in the source: a hint where student code may use it, none where it is compared with."""

import sys

import pytest

from autograder.sandbox.bubblewrap import CHILD

sys.path.insert(0, str(CHILD))
try:
    import naming
finally:
    sys.path.remove(str(CHILD))


def found(*cells):
    return [(place["cell"], place["line"], place["name"]) for place in naming.in_cells(cells, lambda text: text)]


@pytest.mark.parametrize("source, line, name", [
    ("def attention(q, k, v):\n    return F.scaled_dot_product_attention(q, k, v)", 2, "scaled_dot_product_attention"),
    ("attention = F.scaled_dot_product_attention", 1, "scaled_dot_product_attention"),
    ("attention = lambda q, k, v: torch.ops.aten._scaled_dot_product_attention_math(q, k, v)[0]", 1, "_scaled_dot_product_attention_math"),
    ("import functools\nattention = functools.partial(flex_attention, block_mask=None)", 2, "flex_attention"),
    ("class Mine(nn.MultiheadAttention):\n    pass", 1, "MultiheadAttention"),
    ("def attention(q, k, v):\n    return getattr(F, 'scaled_dot_product_attention')(q, k, v)", 2, "scaled_dot_product_attention"),
    ("from torch.nn.functional import scaled_dot_product_attention as f\ndef attention(q, k, v):\n    return f(q, k, v)", 3, "f"),
    ("get_ipython().run_cell_magic('time', '', 'def attention(q):\\n    return MultiheadAttention(q)\\n')", 3, "MultiheadAttention"),
    ("sys.modules['own_work'].close = print", 1, "own_work"),
    ("sys.modules['own' + '_' + 'work'].close = print", 1, "own_work"),
    ("def attention(q, k, v):\n    return getattr(F, 'scaled_dot_' + 'product_attention')(q, k, v)", 2, "scaled_dot_product_attention"),
    ("def scaled_dot_product_attention(q, k, v):\n    return F.scaled_dot_product_attention(q, k, v)", 2, "scaled_dot_product_attention"),
    ("kernel = torch.library.get_kernel(op, 'CPU')", 1, "get_kernel"),
    ("import ctypes\nctypes.CDLL(None).munmap(0, 0)", 2, "ctypes"),
])
def test_a_name_that_may_be_used(source, line, name):
    assert (0, line, name) in found(source) and (1, line, name) in found("x = 1", source)


@pytest.mark.parametrize("source", [
    "print(attention(q, k, v) - F.scaled_dot_product_attention(q, k, v))",
    "from torch.nn.functional import scaled_dot_product_attention\nexpected = scaled_dot_product_attention(q, k, v)",
    "def attention(q, k, v):\n    '''As scaled_dot_product_attention does it.'''  # F.scaled_dot_product_attention\n    return q",
    "def f(q):\n    return scaled_dot_product_attention(q)\ndef scaled_dot_product_attention(q):\n    'As in torch.nn.functional.scaled_dot_product_attention'\n    return q",
    "def (", "(" * 10_000, "\0", "",
])
def test_no_hint(source):
    assert found(source) == []


def test_an_import_under_another_name_is_known_in_later_cells():
    assert found("from torch.nn.functional import scaled_dot_product_attention as f", "g = f") == [(1, 1, "f")]


def test_hints_are_few_and_a_parser_that_is_lost_costs_nothing_else():
    cells = ["x = F.flex_attention"] * 100
    assert len(naming.places(cells, lambda text: text)) == naming.MOST_PLACES
    assert naming.places(cells, lambda text: naming.os._exit(1)) == []
