"""A chapter's code as a library: runs those cells of a page that define certain names, without what they draw and print.

So a figure's numbers come from the very lines that readers see, and from no copy of them.
"""

import ast
from pathlib import Path

from book.tools.blocks import parse
from book.tools.compare import split_options
from book.tools.skeleton import split_magics

SHOWING = {"plt", "fig", "ax", "axes", "print", "display", "font_manager"}  # a statement with one of these shows something


class Cells:
    """The code cells of a page and the names that they have defined so far, as items."""

    def __init__(self, page: Path) -> None:
        self.page = page
        texts = [block.text for block in parse(page.read_text(encoding="utf-8")) if block.kind == "code-cell"]
        self.trees = [ast.parse(split_magics(split_options(text)[1])[1]) for text in texts]
        self.names = {}
        exec("import numpy as np\nfrom dataclasses import dataclass", self.names)

    def __getitem__(self, name: str):
        return self.names[name]

    def run(self, name: str) -> "Cells":
        """Runs the first cell that defines this name at its top level; KeyError where none does."""
        tree = next((tree for tree in self.trees if name in defined(tree)), None)
        if tree is None:
            raise KeyError(f"no cell of {self.page.name} defines {name}")
        kept = ast.Module([each for each in tree.body if not shows(each)], [])
        exec(compile(kept, str(self.page), "exec"), self.names)
        return self


def defined(tree: ast.Module) -> set[str]:
    """The names that a cell defines at its top level."""
    found = {each.name for each in tree.body if isinstance(each, (ast.FunctionDef, ast.ClassDef))}
    targets = [target for each in tree.body if isinstance(each, ast.Assign) for target in each.targets]
    return found | {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}


def shows(statement: ast.stmt) -> bool:
    """Whether a statement draws or prints; a function that does so is defined all the same."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return False
    return any(isinstance(node, ast.Name) and node.id in SHOWING for node in ast.walk(statement))
