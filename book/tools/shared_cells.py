"""Cells that are computed once for all languages. Kernels of the build run this file at their start; it imports nothing of the course.

A code cell whose first line is `# shared` prints and draws nothing. The first kernel that comes to it computes it and keeps its variables,
those it binds or changes, in a file; kernels of the other languages load them in its place. The file's name is a hash of the code so far:
what the cell depends on as it is written, what is only said apart, and the rest with its strings masked, as translations may differ in them.
So a cell that depends on a translated string is computed for each language by itself.

In a reader's notebook `# shared` is a comment, and the cell computes.
"""

import ast
import contextlib
import copy
import fcntl
import hashlib
import importlib.util
import io
import linecache
import os
import pickle
import re
import symtable
import sys
import types
import warnings
from pathlib import Path

MARK = "# shared"
REMEDY = f"A cell that begins with {MARK!r} is computed once for all languages: "
IPYTHONS_OWN = re.compile(r"^(_+|_i+|_i?\d+|__.*|In|Out|exit|quit|open|get_ipython)$")
FIXED = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)  # not changed in place, or not to be seen
DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class SharedCellError(Exception):
    """A shared cell does what cannot be shared; the message says what, and what to do."""


def is_shared(source):
    """Whether a cell is marked as shared, in its first line."""
    return source.lstrip("\n").split("\n", 1)[0].strip() == MARK


def without_mark(source):
    """A cell's code as readers see it."""
    return source.lstrip("\n").partition("\n")[2].lstrip("\n") if is_shared(source) else source


# --- what a cell depends on

def key(earlier, source, skeleton):
    """The hash under which a shared cell's variables are kept. `earlier` holds the cells before it, `skeleton` is the module of that name."""
    cells = [skeleton.split_magics(each) for each in earlier]
    statements = [statement for _, python in cells for statement in ast.parse(python).body]
    cell = ast.parse(source)
    needed = dependencies([Statement(silent_copy(each, skeleton)) for each in statements], reads(silent_copy(cell, skeleton).body))
    shared = _positions_of_shared(earlier, skeleton)
    lines = [line for magics, _ in cells for line in magics]
    for number, statement in enumerate(statements):
        exactly = number in shared or number in needed or isinstance(statement, (ast.Import, ast.ImportFrom))
        lines.append(skeleton.exact(statement) if exactly else skeleton.masked(statement))
    lines.append(skeleton.exact(cell))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


def _positions_of_shared(earlier, skeleton):
    """The numbers of the statements that stand in earlier shared cells."""
    found, number = set(), 0
    for text in earlier:
        count = len(ast.parse(skeleton.split_magics(text)[1]).body)
        if is_shared(text):
            found |= set(range(number, number + count))
        number += count
    return found


def silent_copy(tree, skeleton):
    """A copy of a tree without what is only said."""
    return skeleton.silent(copy.deepcopy(tree))


class Statement:
    """A statement at the top level of a cell: the names that it binds or may change, and those that it reads from before it."""

    def __init__(self, node):
        self.reads, self.binds = reads([node]), bound(node)
        for each in ast.walk(node):
            if isinstance(each, (ast.Attribute, ast.Subscript)) and isinstance(each.ctx, (ast.Store, ast.Del)):
                self.binds |= _base(each)
            elif isinstance(each, ast.Expr) and isinstance(each.value, ast.Call) and isinstance(each.value.func, ast.Attribute):
                self.binds |= _base(each.value.func)


def _base(node):
    """The name at the beginning of `name.attribute[0].attribute`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def names(node, wanted):
    """The notebook's names in a piece of code whose symbols are wanted(symbol)."""
    found, tables = set(), [(symtable.symtable(ast.unparse(node), "cell", "exec"), True)]
    while tables:
        table, top = tables.pop()
        found |= {each.get_name() for each in table.get_symbols() if (top or each.is_global()) and wanted(each)}
        tables += [(child, False) for child in table.get_children()]
    return found


def bound(node):
    """The names that a piece of code binds, wherever in it."""
    return names(node, lambda symbol: symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace())


def used(node):
    """The names that a piece of code reads, wherever in it."""
    added_to = {each.target.id for each in ast.walk(node) if isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name)}
    return names(node, lambda symbol: symbol.is_referenced() or symbol.get_name() in added_to)


def reads(statements, known=frozenset()):
    """The names that statements, one after the other, may read from before them. known: those that are certain to be theirs."""
    found, known = set(), set(known)
    for each in statements:
        if isinstance(each, (ast.For, ast.While, ast.If, ast.With, ast.Try)):
            heads, own, blocks = _parts(each)
            found |= {name for head in heads for name in used(ast.Expr(head))} - known
            inside = known | {name.id for target in own for name in ast.walk(target) if isinstance(name, ast.Name)}
            found |= {name for block in blocks for name in reads(block, inside)}
        else:
            found |= used(each) - known
            if isinstance(each, (ast.Assign, *DEFINITIONS)):
                known |= bound(each)
    return found


def _parts(node):
    """Of a compound statement: the expressions at its head, the targets that are bound there, and its blocks."""
    items, handlers = getattr(node, "items", []), getattr(node, "handlers", [])
    heads = [getattr(node, name) for name in ("iter", "test") if hasattr(node, name)] + [item.context_expr for item in items]
    own = [node.target] if isinstance(node, ast.For) else [item.optional_vars for item in items if item.optional_vars]
    blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    return heads + [each.type for each in handlers if each.type], own, blocks + [each.body for each in handlers]


def dependencies(earlier, wanted):
    """The numbers of the earlier statements that something may depend on which reads the wanted names."""
    wanted, found = set(wanted), set()
    while True:
        more = {number for number, statement in enumerate(earlier) if number not in found and statement.binds & wanted}
        if not more:
            return found
        found |= more
        wanted |= {name for number in more for name in earlier[number].reads}


# --- what a cell has changed

def variables(namespace):
    """A notebook's own variables, {name: value}."""
    return {name: value for name, value in namespace.items() if not IPYTHONS_OWN.match(name)}


def digest(value):
    """A hash that changes with the value; None for what cannot be kept in a file, or does not change."""
    if isinstance(value, FIXED) or type(value).__module__.partition(".")[0] == "matplotlib":
        return None
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            return hashlib.sha256(pickle.dumps(value)).digest()
    except Exception:  # whatever a variable's own pickling raises
        return None


def random_states():
    """The states of the libraries' own random generators, {library: state}."""
    states = {"random": sys.modules["random"].getstate()} if "random" in sys.modules else {}
    if "numpy" in sys.modules:
        states["numpy"] = sys.modules["numpy"].random.get_state(legacy=False)
    if "torch" in sys.modules:
        states["torch"] = sys.modules["torch"].get_rng_state()
    return states


def set_random_states(states):
    setters = {"random": lambda state: sys.modules["random"].setstate(state),
               "numpy": lambda state: sys.modules["numpy"].random.set_state(state),
               "torch": lambda state: sys.modules["torch"].set_rng_state(state)}
    for library, state in states.items():
        setters[library](state)


def pack(before, digests, namespace, defined, states):
    """The bytes that hold what a cell has bound, changed and deleted; SharedCellError names a variable that cannot be kept."""
    after = variables(namespace)
    changed = {name: value for name, value in after.items() if name not in defined
               and (name not in before or before[name] is not value or digests[name] not in (None, digest(value)))}
    kept = {"values": changed, "deleted": sorted(before.keys() - after.keys()),
            "random": {name: state for name, state in random_states().items() if pickle.dumps(state) != pickle.dumps(states.get(name))}}
    try:
        return pickle.dumps(kept)
    except Exception as error:  # whatever a variable's own pickling raises
        bad = [name for name, value in changed.items() if not _can_be_kept(value)]
        raise SharedCellError(f"{REMEDY}its variables are kept in a file, and {', '.join(bad) or 'one of them'} cannot be ({error}). "
                              "Leave out what holds an open file, a lambda, a generator or a module, or make it in a cell of its own.") from error


def _can_be_kept(value):
    try:
        pickle.dumps(value)
    except Exception:
        return False
    return True


# --- in the kernel

class SharedCells:
    """Follows the cells that a kernel runs, and runs those that are marked."""

    def __init__(self, shell, folder, skeleton):
        self.shell, self.folder, self.skeleton, self.earlier = shell, Path(folder), skeleton, []

    def install(self):
        self.shell.run_shared_cell = self.run
        self.shell.input_transformers_post.append(self.transform)
        self.shell.events.register("post_run_cell", self.remember)

    def transform(self, lines):
        """IPython's hook: a marked cell becomes a call of `run`."""
        source = "".join(lines)
        return [f"get_ipython().run_shared_cell({source!r})\n"] if is_shared(source) else lines

    def remember(self, result):
        """IPython's hook, after each cell."""
        if result.info is not None and result.info.raw_cell:
            self.earlier.append(result.info.raw_cell)

    def run(self, source):
        """Run a marked cell, or load what it has given before."""
        tree = ast.parse(source)
        name = key(self.earlier, source, self.skeleton)
        path = self.folder / f"{name}.pickle"
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another language may be computing the same: then wait for it
            if path.is_file():
                self._execute([each for each in tree.body if isinstance(each, DEFINITIONS)], source, name)
                self._take(pickle.loads(path.read_bytes()))
            else:
                data = self._compute(tree, source, name)
                self._take(pickle.loads(data))  # the computing kernel too goes on with the copies, so that all languages have the same
                fresh = path.with_suffix(f".{os.getpid()}")
                fresh.write_bytes(data)
                fresh.replace(path)

    def _take(self, kept):
        """Put what a cell has bound, changed and deleted into the notebook."""
        for gone in kept["deleted"]:
            self.shell.user_ns.pop(gone, None)
        self.shell.user_ns.update(kept["values"])
        set_random_states(kept["random"])

    def _compute(self, tree, source, name):
        from IPython.utils.capture import capture_output

        namespace = self.shell.user_ns
        before = dict(variables(namespace))
        digests, states = {each: digest(value) for each, value in before.items()}, random_states()
        with capture_output() as said:
            shown = self._execute(tree.body, source, name)
        self._check_silence(said, shown)
        defined = {each for statement in tree.body if isinstance(statement, DEFINITIONS) for each in bound(statement)}
        return pack(before, digests, namespace, defined, states)

    def _execute(self, statements, source, name):
        """Executes statements of a cell; returns the value that a notebook would show below it."""
        filename = f"<shared cell {name[:8]}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        last = statements[-1:] if statements and isinstance(statements[-1], ast.Expr) else []
        rest = statements[:-1] if last else statements
        exec(compile(ast.Module(rest, []), filename, "exec"), self.shell.user_ns)
        value = eval(compile(ast.Expression(last[0].value), filename, "eval"), self.shell.user_ns) if last else None
        return None if source.rstrip().endswith(";") else value

    @staticmethod
    def _check_silence(said, shown):
        if "matplotlib.pyplot" in sys.modules and sys.modules["matplotlib.pyplot"].get_fignums():
            sys.modules["matplotlib.pyplot"].close("all")
            what = "it draws a figure"
        elif said.outputs:
            what = "it shows something"
        elif said.stdout or said.stderr:
            what = f"it prints {(said.stdout or said.stderr).strip()[:200]!r}"
        elif shown is not None:
            what = f"its last line shows {repr(shown)[:200]}"
        else:
            return
        raise SharedCellError(f"{REMEDY}it must print and draw nothing, and {what}. Move that to the next cell.")


def start(shell, folder):
    """Puts shared cells into a kernel; `folder` is where variables are kept."""
    path = Path(__file__).with_name("skeleton.py")
    spec = importlib.util.spec_from_file_location("skeleton_of_cells", path)
    skeleton = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(skeleton)
    SharedCells(shell, folder, skeleton).install()
