"""Where a submission's source names a library's attention: a hint for the instructor, worth no points, found before any of its code runs.

Own work is watched while student code runs (own_work.py), and what runs in the same process can switch the watch off. It cannot switch
off what was read before. A library called outside functions, to compare with, is nothing to hint at; neither are comments and prose.
The same process holds the grader's own modules, those in this folder, which student code has no reason to import: that is hinted at, too,
and only that, since a student may call anything of his own `values` or `student`.
"""

import ast
import json
import os
import signal

from own_work import FUNCTIONS, OPERATORS

AROUND = ("own_work", "get_kernel", "call_boxed", "redispatch", "_op_dk", "make_fx", "fuse_attention", "THPVariable_Wrap", "ctypes")  # the watch
NAMES = frozenset((*OPERATORS, *(name for _, name in FUNCTIONS), "MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer",
                   "flash_attn_func", "memory_efficient_attention", *AROUND))
FILES = os.listdir(os.path.dirname(os.path.abspath(__file__)))  # read before any student code runs, like this module
MODULES = frozenset(name.removesuffix(".py") for name in FILES if name.endswith(".py")) - {"__init__"}
LOADERS = ("__import__", "import_module")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
MOST_PLACES = 20
MOST_BYTES = 16_000
MOST_S = 10  # then the reading ends, without hints


def places(cells, transform):
    """[{"cell", "line", "name"}] of the cells' texts, read in a process of its own: what is hard to parse ends that one alone.

    transform(text): IPython's, which turns magics into Python.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(MOST_S)
            os.close(read)
            os.write(write, json.dumps(in_cells(cells, transform)).encode()[:MOST_BYTES])
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        found = file.read()
    os.waitpid(pid, 0)
    try:
        return json.loads(found)
    except ValueError:
        return []


def in_cells(cells, transform):
    """The same in this process. A name that one cell imports under another name is known in those after it.

    A function of the student's own may be called as the library's is: the paper's name for it is the same.
    """
    trees = [parsed(source, transform) for source in cells]
    reader = Reader(transform, {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, DEFINITIONS)})
    for reader.cell, tree in enumerate(trees):
        reader.go_through(tree)
    return reader.found[:MOST_PLACES]


def parsed(source, transform):
    """The syntax tree of a cell's text; an empty one where there is none, since it does not run either."""
    try:
        return ast.parse(transform(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def joined(node):
    """The text that constants give, alone, joined by +, or in an f-string of nothing else; None where there is anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = joined(node.left), joined(node.right)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.JoinedStr):
        parts = [joined(part) for part in node.values]
        return None if None in parts else "".join(parts)
    return None


def member(node):
    """(whose, name) of an attribute, written with a dot or with getattr; (None, None) of anything else."""
    if isinstance(node, ast.Attribute):
        return node.value, node.attr
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
        return node.args[0], joined(node.args[1])
    return None, None


class Reader(ast.NodeVisitor):
    """Goes through syntax trees and notes the places."""

    def __init__(self, transform, own):
        self.transform, self.names, self.own, self.found = transform, set(NAMES), own, []
        self.known = {"sys": "sys", **dict.fromkeys(LOADERS, "import")}  # what names mean: that, or "modules" for sys.modules
        self.cell = self.first_line = self.depth = 0

    def go_through(self, tree):
        """One cell, or that of a cell's magic."""
        try:
            self.visit(tree)
        except (RecursionError, MemoryError):
            pass  # too deep to be read

    def note(self, node, name):
        if name in self.names:
            self.found.append({"cell": self.cell, "line": self.first_line + node.lineno, "name": name})

    def note_module(self, node, path):
        """Note the import of a module, given as a dotted path, where it is one of the grader's own."""
        name = (path or "").partition(".")[0]
        if name in MODULES:
            self.found.append({"cell": self.cell, "line": self.first_line + node.lineno, "name": name})

    def meaning(self, node):
        """Whether an expression is the module sys ("sys"), sys.modules ("modules"), or a function that imports ("import"); else None."""
        if isinstance(node, ast.Name):
            return self.known.get(node.id)
        if isinstance(node, ast.Call) and self.meaning(node.func) == "import":
            return "sys" if node.args and joined(node.args[0]) == "sys" else None
        of, name = member(node)
        if name == "modules":
            return "modules" if self.meaning(of) == "sys" else None
        return "sys" if name == "sys" else "import" if name in LOADERS else None

    def visit_Import(self, node):
        for alias in node.names:
            self.note_module(node, alias.name)
            if alias.name == "sys":
                self.known[alias.asname or "sys"] = "sys"
        self.generic_visit(node)

    def visit_ImportFrom(self, node):
        if not node.level:
            self.note_module(node, node.module)
        for alias in node.names:
            meaning = self.meaning(ast.Attribute(ast.Name(node.module or ""), alias.name))
            if meaning:
                self.known[alias.asname or alias.name] = meaning
        self.generic_visit(node)

    def visit_Assign(self, node):
        meaning = self.meaning(node.value)
        if meaning:
            self.known |= {target.id: meaning for target in node.targets if isinstance(target, ast.Name)}
        self.generic_visit(node)

    def visit_Subscript(self, node):
        if self.meaning(node.value) == "modules":
            self.note_module(node, joined(node.slice))
        self.generic_visit(node)

    def visit_FunctionDef(self, node):
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef

    def visit_Call(self, node):
        if self.meaning(node.func) == "import" or self.meaning(member(node.func)[0]) == "modules":  # as in sys.modules.get("kernels")
            for part in (*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "name")):
                self.note_module(node, joined(part))
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name == "run_cell_magic" and len(node.args) == 3 and isinstance(node.args[2], ast.Constant):
            self.first_line += 1
            self.go_through(parsed(str(node.args[2].value), self.transform))
            self.first_line -= 1
        elif self.depth == 0 and name in self.names and name not in AROUND:
            for part in (*node.args, *node.keywords):
                self.visit(part)
        else:
            self.generic_visit(node)

    def visit_alias(self, node):
        if node.asname and node.name.rpartition(".")[2] in self.names:
            self.names.add(node.asname)

    def visit_Name(self, node):
        if node.id not in self.own:
            self.note(node, node.id)

    def visit_Expr(self, node):
        if joined(node.value) is None:  # else it is prose
            self.generic_visit(node)

    def visit_BinOp(self, node):
        text = joined(node)
        if text is None:
            self.generic_visit(node)
        else:
            self.note(node, text.rpartition(".")[2])

    def visit_Attribute(self, node):
        self.note(node, node.attr)
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            self.note(node, node.value.rpartition(".")[2])
