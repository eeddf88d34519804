"""Cells that are computed once for all languages: what they depend on, what they keep, what they refuse."""

import ast
import contextlib
import importlib.metadata
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient

from book.tools import runtime, shared_cells, skeleton, toc
from book.tools.compare import differences
from book.tools.kernels import SocketKernelManager
from book.tools.languages import CODES
from book.tools.paths import BOOK
from tests.book.test_build import HEAD

# --- what a cell depends on


def key(*cells):
    return shared_cells.key(cells[:-1], cells[-1], skeleton)


EARLIER = (
    '%config InlineBackend.figure_formats = ["svg"]\nimport numpy as np\n\nlabels = {"loss": "loss"}',
    'def train(n, name="adam"):\n    """Trains."""\n    return [step(i) for i in range(n)]\n\n\ndef step(i):\n    if i < 0:\n        raise ValueError(f"no step {i}")\n    assert i < 9, "far"\n    return i * rate\n\n\nrate = 0.5',
    'if rate < 1:\n    print("slow")\n    rate = 1\nfor rate_shown in ["rate"]:\n    print(rate_shown)\nfor i in ["one", "two"]:\n    print(i)',
    'def draw(ax):\n    """Draws."""\n    ax.set(xlabel="step", ylabel=labels["loss"])',
)
CELL = "# shared\nlosses = train(3)"


@pytest.mark.parametrize("was, becomes", [
    ('{"loss": "loss"}', '{"loss": "förlust"}'),
    ('"""Trains."""', '"""Tränar."""'),
    ('"""Draws."""', '"""Ritar."""'),
    ('xlabel="step"', 'xlabel="steg"'),
    ("rate = 0.5", "rate = 0.5  # hur fort"),
    ('f"no step {i}"', 'f"inget steg {i}"'),
    ('i < 9, "far"', 'i < 9, "långt"'),
    ('print("slow")', 'print("långsam")'),
    ('for rate_shown in ["rate"]', 'for rate_shown in ["takt"]'),
    ('["one", "two"]', '["ett", "två"]'),
])
def test_what_a_translation_changes_is_no_other_cell(was, becomes):
    translated = [cell.replace(was, becomes) for cell in EARLIER]
    assert translated != list(EARLIER)
    assert key(*translated, CELL) == key(*EARLIER, CELL)


@pytest.mark.parametrize("was, becomes", [
    ("rate = 0.5", "rate = 0.25"),
    ("i * rate", "i + rate"),
    ('name="adam"', 'name="sgd"'),
    ("import numpy as np", "import numpy as np\nnp.random.seed(1)"),
    ("draw(ax)", "draw(ax, n)"),
    ('["svg"]', '["png"]'),
    ("train(3)", "train(4)"),
    ("losses", "loss"),
])
def test_other_code_is_another_cell(was, becomes):
    cells = [*EARLIER, CELL]
    changed = [cell.replace(was, becomes) for cell in cells]
    assert changed != cells
    assert key(*changed) != key(*cells)


@pytest.mark.parametrize("earlier", [
    'text = "the cat"',
    'texts = ["the cat"]\ntext = texts[0]',
    'def words():\n    return "the cat"\n\n\ntext = words()',
    'text = []\ntext.append("the cat")',
    'text = {}\ntext["a"] = "the cat"',
    'class Words:\n    said = "the cat"\n\n\ntext = Words()',
    'for each in ["the cat"]:\n    text = each',
])
def test_a_string_that_the_cell_depends_on_counts(earlier):
    cell = "# shared\nn = len(text)"
    assert key(earlier, cell) != key(earlier.replace("the cat", "katten"), cell)
    assert key(earlier, "# shared\nn = 3") == key(earlier.replace("the cat", "katten"), "# shared\nn = 3")


@pytest.mark.parametrize("earlier, read", [
    ("x = 1\nfor i in range(3):\n    y = x", {"range"}),
    ("for i in rows:\n    a = f(i)\n    b += a", {"rows", "f", "b"}),
    ("with open(name) as file:\n    text = file.read()", {"open", "name"}),
    ("def f(n):\n    n += 1\n    return n + m", {"m"}),
    ("try:\n    import a\nexcept ImportError:\n    a = None\na()", {"ImportError", "a"}),
    ("x[i] = 1", {"x", "i"}),
    ("total += 1", {"total"}),
])
def test_what_is_read_from_before(earlier, read):
    assert shared_cells.reads(ast.parse(earlier).body) == read


@pytest.mark.parametrize("name", [name for name in toc.chapters() if name[0].isdigit()])
def test_all_languages_share_their_shared_cells(name):
    """A loop's variable of the name of something that a cell needs is enough to have every language compute it anew."""
    found = {}
    for code in CODES:
        cells = [cell.source for cell in jupytext.read(BOOK / code / f"{name}.md").cells if cell.cell_type == "code"]
        found[code] = [key(*cells[: n + 1]) for n, cell in enumerate(cells) if shared_cells.is_shared(cell)]
    assert len(set(map(tuple, found.values()))) == 1, found


def test_strings_of_shared_cells_count():
    first = '# shared\nkind = "a"'
    assert key(first, CELL) != key(first.replace('"a"', '"b"'), CELL)
    assert key('kind = "a"', CELL) == key('kind = "b"', CELL)


def test_the_mark_has_to_be_in_every_language():
    page = HEAD + "# Title\n\n```{code-cell} ipython3\n# shared\nx = 1\n```\n"
    assert differences(page, page) == []
    assert "first line is no mark, and # shared in English" in differences(page, page.replace("# shared", "# delad"))[0]


# --- in kernels

@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """A function that runs cells in a kernel of the build, whose shared cells are kept in a folder of the test, and gives what each printed."""
    monkeypatch.setattr(runtime, "RUNTIME", tmp_path / "runtime")
    monkeypatch.setattr(runtime, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(runtime, "SHARED", tmp_path / "shared")
    runtime.prepare()
    for variable, value in runtime.environment().items():
        monkeypatch.setenv(variable, value)

    def run(*cells, errors=False):
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        NotebookClient(book, timeout=900, kernel_name="python3", kernel_manager_class=SocketKernelManager, allow_errors=errors,
                       resources={"metadata": {"path": str(tmp_path)}}).execute()
        return ["".join(each.get("text", "") or f"{each.get('ename')}: {each.get('evalue')}" for each in cell.outputs) for cell in book.cells]

    run.kept = lambda: list((tmp_path / "shared").glob("*.pickle"))
    return run


MODEL = """
import random
import time

import numpy as np
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)


torch.manual_seed(0)
rng = np.random.default_rng(0)
model = Model()
tied = [model]
untouched = "LANGUAGE"
gone = 1
same = rng
"""
TRAIN = """# shared
from time import time_ns


def step(x):
    return x - 1


optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(1, 2)) if False else None
with torch.no_grad():
    model.layer.weight += rng.normal() + torch.rand(()) + random.random()
clock = time_ns()
loss = nn.functional.mse_loss
del gone
_private = 3
np.random.rand(5)
torch.rand(3);
"""
SHOW = """
print(clock, model.layer.weight.tolist(), type(model) is Model, isinstance(model, Model), tied[0] is model, same is rng)
print(optimizer.param_groups[0]["params"][0] is model.layer.weight, step(2), loss(torch.ones(1), torch.zeros(1)).item(), _private, "gone" in globals())
print(rng.normal(), np.random.rand(), torch.rand(1).item(), random.random(), time_ns() > clock)
print([name for name in dir() if name in ("runpy", "shared_cells", "start", "SharedCells", "pickle", "os")])
"""


def test_a_second_language_loads_what_the_first_has_computed(kernels):
    first = kernels(MODEL.replace("LANGUAGE", "en"), TRAIN, SHOW + "print(untouched)")
    assert "True True True True\nTrue 1 1.0 3 False\n" in first[2] and "[]\nen" in first[2]
    assert len(kernels.kept()) == 1
    second = kernels(MODEL.replace("LANGUAGE", "sv"), TRAIN, SHOW + "print(untouched)")
    assert second[2].replace("[]\nsv", "[]\nen") == first[2], "the clock, the weights and the random numbers after it are the first one's"
    assert second[:2] == ["", ""]


def test_a_class_and_a_function_of_the_cell_itself(kernels):
    cell = "# shared\nclass Point:\n    def __init__(self, x):\n        self.x = x\n\n\nimport time\npoints = [Point(time.time_ns())]"
    first, second = kernels(cell, "print(points[0].x, type(points[0]) is Point)"), kernels(cell, "print(points[0].x, type(points[0]) is Point)")
    assert first == second and "True" in first[1]


def test_two_languages_at_once_compute_once(kernels):
    cells = ("# shared\nimport time\n\nclock = time.time_ns()\ntime.sleep(2)", "print(clock)")
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: kernels(*cells), range(2))
    assert first == second and len(kernels.kept()) == 1


def test_a_cell_that_cannot_be_shared_is_refused(kernels):
    wrong = {
        "x = 1\nprint('loss', x)": "prints 'loss 1'",
        "import warnings\nwarnings.warn('careful')": "careful",
        "import matplotlib.pyplot as plt\nfig = plt.figure()": "draws a figure",
        "from IPython.display import display\ndisplay(1)": "shows something",
        "3 + 4": "last line shows 7",
        "f = lambda x: x": "f cannot be",
        "stream = open('/dev/null')": "stream cannot be",
        "import math\nm = math": "m cannot be",
    }
    said = kernels("import matplotlib", *(f"# shared\n{cell}" for cell in wrong), errors=True)[1:]
    for (cell, fault), message in zip(wrong.items(), said):
        assert "SharedCellError: A cell that begins with '# shared' is computed once for all languages" in message, (cell, message)
        assert fault in message, (cell, message)
    assert kernels.kept() == []


def test_a_fault_in_the_cell_shows_its_line(kernels):
    said = kernels("# shared\nx = 1\nnowhere + x", errors=True)[0]
    assert "NameError: name 'nowhere' is not defined" in said and kernels.kept() == []


def test_what_was_computed_goes_with_the_cache(tmp_path, kernels, monkeypatch):
    kernels("# shared\nx = 1")
    (tmp_path / "cache" / "executed").touch()
    runtime.prepare()
    assert len(kernels.kept()) == 1 and (tmp_path / "cache" / "executed").exists()
    changed = tmp_path / "shared_cells.py"
    changed.write_text(runtime.KERNEL[0].read_text(encoding="utf-8") + "\n", encoding="utf-8")
    monkeypatch.setattr(runtime, "KERNEL", [changed, runtime.KERNEL[1]])
    runtime.prepare()
    assert kernels.kept() == [] and not (tmp_path / "cache" / "executed").exists()


def test_the_cache_goes_with_what_was_computed(tmp_path, kernels):
    import shutil

    (tmp_path / "cache" / "executed").touch()
    shutil.rmtree(tmp_path / "shared")
    runtime.prepare()
    assert not (tmp_path / "cache" / "executed").exists()


def test_the_tables_are_there_before_languages_begin_at_once(tmp_path, kernels):
    with contextlib.closing(sqlite3.connect(tmp_path / "cache" / "global.db")) as database:
        tables = {name for name, in database.execute("select name from sqlite_master where type = 'table'")}
    assert {"nbcache", "nbproject"} <= tables


def test_a_folder_that_a_package_adds_when_it_is_imported_changes_nothing(tmp_path, kernels, monkeypatch):
    (tmp_path / "cache" / "executed").touch()
    carried = tmp_path / "vendor" / "carried-1.0.dist-info"
    carried.mkdir(parents=True)
    (carried / "METADATA").write_text("Name: carried\nVersion: 1.0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(carried.parent)
    assert "carried==1.0" in {f"{each.name}=={each.version}" for each in importlib.metadata.distributions()}
    runtime.prepare()
    assert (tmp_path / "cache" / "executed").exists() and "numpy" in {each.split("==")[0] for each in runtime.packages()}


def test_a_readers_notebook_computes(tmp_path):
    """Plain Python, with nothing of the build around it."""
    code = f"{MODEL}\n{TRAIN}\n{SHOW}"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    assert "True True True True\nTrue 1 1.0 3 False" in done.stdout


def test_the_kernels_part_needs_nothing_of_the_course():
    for path in runtime.KERNEL:
        assert "book." not in "".join(line for line in path.read_text(encoding="utf-8").splitlines() if "import" in line)
        assert path.is_relative_to(BOOK)


def test_readers_do_not_see_the_mark():
    assert shared_cells.without_mark("# shared\n\nx = 1\n# shared\n") == "x = 1\n# shared\n"
    assert shared_cells.without_mark("x = 1") == "x = 1"
