"""Names of a library's attention in the source: a hint where student code may use it, none where it is compared with."""

import sys

import pytest

from autograder import assignment as assignments
from autograder import notebook
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


@pytest.mark.parametrize("source, line, name", [
    ("import kernels\nkernels.observed = lambda *a: None", 1, "kernels"),
    ("import torch, kernels as k", 1, "kernels"),
    ("from values import packed as p", 1, "values"),
    ("def f():\n    from wire import send\n    return send", 2, "wire"),
    ("__import__('calls').serve = print", 1, "calls"),
    ("import importlib\nimportlib.import_module('gra' + 'dients')", 2, "gradients"),
    ("import importlib as i\ni.import_module(name=f'gradients')", 2, "gradients"),
    ("from importlib import import_module as load\nload('zygote')", 2, "zygote"),
    ("load = __import__\nload('cells')", 2, "cells"),
    ("getattr(builtins, '__import__')('forking')", 1, "forking"),
    ("import sys\nsys.modules['student'].fork_test = None", 2, "student"),
    ("import sys as s\nm = s.modules\nm.get('namespaces')", 3, "namespaces"),
    ("from sys import modules as m\nm['watching']", 2, "watching"),
    ("__import__('sys').modules['device']", 1, "device"),
    ("getattr(sys, 'modules').pop('syscalls')", 1, "syscalls"),
    ("get_ipython().run_cell_magic('time', '', 'import kernels\\n')", 2, "kernels"),
])
def test_an_import_of_the_graders_own_modules(source, line, name):
    assert found(source) == [(0, line, name)] and found("x = 1", source) == [(1, line, name)]


@pytest.mark.parametrize("source", [
    "values = wire = student = device = 1\nkernels = [values, student]\nkernels[0]",
    "def gradients(values, *, device):\n    return {'values': values, 'kernels': device}['values']\ngradients(values=1, device='device')",
    "class student:\n    values = 1\nstudent().values\nstudent.calls()\nget('student')\nself.modules['values']\nmodules['cells']",
    "from torch import device\nfrom course import kernels\nimport torch.kernels\nfrom .values import x\nfrom numpy import values as wire",
    "import sys\n'kernels' in sys.modules\nsys.modules['torch']\nsys.modules.get('numpy', 'values')\n__import__('torch').device('student')",
    "import importlib\nimportlib.import_module('.values', 'torch')\n'import kernels'  # import kernels",
])
def test_a_name_that_is_only_like_that_of_a_module(source):
    assert found(source) == []


def test_the_graders_own_modules_are_those_of_the_folder():
    assert naming.MODULES == {path.stem for path in CHILD.glob("*.py")} - {"__init__"} >= {"kernels", "own_work", "zygote"}


@pytest.mark.parametrize("name", assignments.names())
def test_no_solution_right_or_wrong_gets_a_hint(name):
    assignment = assignments.load(name)
    notebooks = sorted((assignments.ROOT / "exercises").glob(f"*/{name}/{name}.ipynb"))
    cells = {str(path): notebook.read(path.read_bytes(), path.name).cells for path in notebooks}
    cells |= {variant.name: (variant.override,) for variant in (*assignment.wrong.values(), *assignment.right.values())}
    cells["reference"] = (assignment.solution_source,)
    assert len(notebooks) == 4 and {which: hints for which, texts in cells.items() if (hints := found(*texts))} == {}


def test_an_import_under_another_name_is_known_in_later_cells():
    assert found("from torch.nn.functional import scaled_dot_product_attention as f", "g = f") == [(1, 1, "f")]


def test_hints_are_few_and_a_parser_that_is_lost_costs_nothing_else():
    cells = ["x = F.flex_attention"] * 100
    assert len(naming.places(cells, lambda text: text)) == naming.MOST_PLACES
    assert naming.places(cells, lambda text: naming.os._exit(1)) == []
