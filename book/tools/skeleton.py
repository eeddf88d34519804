"""What is the same of a piece of code in all languages: its structure without comments, with every string masked.

It imports nothing of the course, since kernels load this file by its path.
"""

import ast


def skeleton(code):
    """(magic lines, structure of the rest): strings masked, comments gone, an f-string reduced to what it inserts."""
    magics, python = split_magics(code)
    return magics, masked(ast.parse(python))


def split_magics(code):
    """(the lines that are IPython's own, the rest with these lines emptied)."""
    magics = [line for line in code.splitlines() if line.startswith(("%", "!"))]
    python = "\n".join("" if line.startswith(("%", "!")) else line for line in code.splitlines())
    return magics, python


def masked(tree):
    """A tree's structure as text, without what a translator may change. The tree itself is changed."""
    return ast.dump(_Masked().visit(tree))


def exact(tree):
    """A tree's structure as text with the strings that a result may depend on. The tree itself is changed."""
    return ast.dump(silent(tree))


def silent(tree):
    """The tree, which is changed, without docstrings and what errors say, and with what is printed masked: no variable depends on it."""
    return _Silent().visit(tree)


class _Masked(ast.NodeTransformer):
    """Masks what a translator may change."""

    def visit_Constant(self, node):
        return ast.Constant("…") if isinstance(node.value, str) else node

    def visit_JoinedStr(self, node):
        inserted = [self.generic_visit(part) for part in node.values if isinstance(part, ast.FormattedValue)]
        return ast.JoinedStr(sorted(inserted, key=ast.dump))

    def visit_FormattedValue(self, node):
        return self.generic_visit(node)


class _Silent(ast.NodeTransformer):
    """Takes out what is only said."""

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Raise(self, node):
        if isinstance(node.exc, ast.Call):
            node.exc.args, node.exc.keywords = [], []
        return node

    def visit_Assert(self, node):
        node.msg = None
        return self.generic_visit(node)

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name) and node.value.func.id == "print":
            return _Masked().visit(node)
        return self.generic_visit(node)
