"""A reference solution as one source: what it imports from an earlier exercise's solution stands in it, in place of the import."""

import ast
import builtins
from pathlib import Path

PACKAGE = "solutions"
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)


class NotSelfContained(ValueError):
    """An import from another solution cannot be replaced by what it stands for."""


def self_contained(path):
    """The source of a solution with the functions and classes that it imports from solutions/*.py, and those that these need.

    Imports of libraries stand at the top, each once; then what comes from earlier solutions, in its order; then the solution's own.
    A source that imports nothing from solutions/ is given back as it is. Raises NotSelfContained for a name that is not there, for `import … as`, and
    for two different things of one name.
    """
    path = Path(path)
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    if not any(_is_ours(node) for node in tree.body):
        return source
    pieces = _pieces(path, source, tree)
    head = ast.get_docstring(tree, clean=False)
    own = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom)) and not _is_ours(node)]
    imports = sorted({*(ast.unparse(node) for node in own), *pieces.imports}, key=lambda line: (line.startswith("from"), line))
    return "\n\n\n".join([f'"""{head}"""\n\n' + "\n".join(imports), *pieces.texts.values()]) + "\n"


class _Pieces:
    """Definitions by name, as text, and the imports that they need."""

    def __init__(self):
        self.texts, self.imports = {}, []

    def add(self, name, text, path):
        if self.texts.setdefault(name, text) != text:
            raise NotSelfContained(f"{path.name}: there are two different things called {name!r}")


def _pieces(path, source, tree, wanted=None):
    """What a module defines (of that, the names wanted and what they need), after what it takes from others."""
    found = _Pieces()
    defined = {name: node for node in tree.body for name in _names(node)}
    if wanted is not None:
        wanted = _closure(wanted, defined)
    used = set(defined) if wanted is None else wanted
    needed = set().union(*(_used(defined[name]) for name in used if name in defined), used if wanted is not None else set())
    for node in tree.body:
        if _is_ours(node):
            _take(found, path, node, needed if wanted is not None else None)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            if wanted is None or needed & {alias.asname or alias.name.split(".")[0] for alias in node.names}:
                found.imports.append(ast.unparse(node))
    missing = (wanted or set()) - set(defined) - set(found.texts)
    if missing:
        raise NotSelfContained(f"{path.name} has no {', '.join(sorted(missing))}")
    for name, node in defined.items():
        if name in used:
            found.add(name, _text(source, node), path)
    return found


def _take(found, path, node, needed):
    """Add to what was found what an import from another solution stands for, or what is needed of it."""
    if any(alias.asname or alias.name == "*" for alias in node.names):
        raise NotSelfContained(f"{path.name}, line {node.lineno}: import names from {node.module} as they are, one by one")
    names = {alias.name for alias in node.names}
    names = names if needed is None else names & needed
    if not names:
        return
    other = path.parent / f"{node.module.split('.')[-1]}.py"
    text = other.read_text(encoding="utf-8")
    theirs = _pieces(other, text, ast.parse(text), names)
    found.imports += theirs.imports
    for name, piece in theirs.texts.items():
        found.add(name, piece, path)


def _is_ours(node):
    return isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE


def _names(node):
    """The names that a statement at the top of a module defines."""
    if not isinstance(node, DEFINITIONS):
        return []
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [target.id for target in targets if isinstance(target, ast.Name)]
    return [node.name]


def _used(node):
    """The names that a definition mentions."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - set(dir(builtins))


def _closure(wanted, defined):
    """The names wanted, and those of the module that they need in turn; names that the module imports are kept."""
    closed, new = set(), set(wanted)
    while new:
        closed |= new
        new = {name for one in new if one in defined for name in _used(defined[one]) if name in defined} - closed
    return closed


def _text(source, node):
    """A definition's lines, with its decorators and the comments right above it."""
    lines = source.splitlines()
    start = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))]) - 1
    while start and lines[start - 1].startswith("#"):
        start -= 1
    return "\n".join(lines[start : node.end_lineno])
