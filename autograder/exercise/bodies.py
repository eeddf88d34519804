"""Code bodies stand once, in solutions/*.py. Here they go into the notebook's cells, which hold heads and docstrings alone."""

import ast
from dataclasses import dataclass

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Mismatch(ValueError):
    """A cell and the reference solution do not fit together."""


@dataclass(frozen=True)
class Code:
    """A piece of Python: its lines, and its top-level functions and classes by name."""

    lines: list
    named: dict

    @classmethod
    def of(cls, source):
        tree = ast.parse(source)
        return cls(source.splitlines(), {node.name: node for node in tree.body if isinstance(node, (*FUNCTIONS, ast.ClassDef))})


@dataclass
class Edit:
    """Lines that replace the cell's lines from `start` up to `stop`, counted from 0."""

    start: int
    stop: int
    lines: list


def fill(cell, reference, helpers=(), marked=True):
    """The cell's source with the bodies of its functions and methods from the reference's source.

    A body goes where the cell has `...`, or below the docstring where it has none; statements that the cell gives above or below
    the `...` have to be the reference's own. `helpers` are top-level names of the reference that go in after the last body, and
    so do the methods of a class that the cell leaves out. With `marked` a body stands between nbgrader's solution marks.
    Raises Mismatch where a name or a head is not the reference's.
    """
    code, ours = Code.of(cell), Code.of(reference)
    edits = []
    for name, node in code.named.items():
        edits += _edits(code, node, ours, _find(ours.named, name))
    if not edits:
        raise Mismatch("the cell has no function to fill")
    for name in helpers:
        edits[-1].lines += ["", "", *_text(ours, _find(ours.named, name))]
    for edit in reversed(edits):
        indent = " " * (len(edit.lines[0]) - len(edit.lines[0].lstrip()))
        code.lines[edit.start : edit.stop] = [indent + BEGIN, *edit.lines, indent + END] if marked else edit.lines
    return "\n".join(code.lines)


def _find(named, name):
    if name not in named:
        raise Mismatch(f"the reference solution has no {name!r}")
    return named[name]


def _edits(code, node, ours, reference):
    if type(node) is not type(reference) or _head(node) != _head(reference):
        raise Mismatch(f"the head of {node.name!r} differs from the reference's: {_head(node)} / {_head(reference)}")
    if not isinstance(node, ast.ClassDef):
        return [_edit(code, node, ours, reference)]
    theirs, methods = _methods(node), _methods(reference)
    edits = [edit for name, method in theirs.items() for edit in _edits(code, method, ours, _find(methods, name))]
    for name, method in methods.items():
        if name not in theirs:
            edits[-1].lines += ["", *_text(ours, method)]
    return edits


def _methods(node):
    return {method.name: method for method in node.body if isinstance(method, FUNCTIONS)}


def _head(node):
    """What has to be equal, as text: name, arguments with defaults, bases, decorators."""
    decorators = "".join(f"@{ast.unparse(one)} " for one in node.decorator_list)
    if isinstance(node, ast.ClassDef):
        return f"{decorators}class {node.name}({', '.join(ast.unparse(base) for base in [*node.bases, *node.keywords])})"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{decorators}def {node.name}({ast.unparse(node.args)}){returns}"


def _edit(code, node, ours, reference):
    body, source = _statements(node), _statements(reference)
    gaps = [i for i, statement in enumerate(body) if _is_gap(statement)]
    if body and len(gaps) != 1:
        raise Mismatch(f"{node.name!r} holds code: write `...` once where the reference's body is to go")
    before, after = (gaps[0], len(body) - gaps[0] - 1) if body else (0, 0)
    if before + after >= len(source):
        raise Mismatch(f"{node.name!r} leaves nothing to write")
    for given, right in zip(body[:before] + body[len(body) - after :], source[:before] + source[len(source) - after :]):
        if ast.dump(given) != ast.dump(right):
            raise Mismatch(f"{node.name!r} gives {ast.unparse(given)!r}, where the reference has {ast.unparse(right)!r}")
    if not body and ast.get_docstring(node) is None:
        raise Mismatch(f"{node.name!r} has no docstring")
    start, stop = (body[before].lineno - 1, body[before].end_lineno) if body else (node.body[0].end_lineno,) * 2
    return Edit(start, stop, _lines(ours, reference, source[before], source[len(source) - after - 1]))


def _statements(node):
    """A function's body without its docstring."""
    return node.body[1:] if ast.get_docstring(node) is not None else list(node.body)


def _is_gap(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and statement.value.value is ...


def _lines(code, node, first, last):
    """The lines from a statement to another, with the comments right above the first."""
    if first.lineno == node.lineno:
        raise Mismatch(f"the reference's {node.name!r} stands on one line")
    start = first.lineno - 1
    while code.lines[start - 1].strip().startswith("#"):
        start -= 1
    return code.lines[start : last.end_lineno]


def _text(code, node):
    """A whole function or class, with its decorators."""
    start = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
    return code.lines[start : node.end_lineno]
