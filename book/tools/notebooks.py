"""Makes the notebook that a reader downloads out of a chapter's source.

It is the same page: its text as Jupyter shows it, its code cells, no outputs. The same chapter gives the same bytes on every build.
"""

import functools
import json
from pathlib import Path

from myst_nb.core.read import read_myst_markdown_notebook

from book.tools.markdown import ConversionError, Converter, References
from book.tools.shared_cells import without_mark

FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}  # tags of cells whose code the page does not show at once
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def code_cell(source: str, metadata: dict) -> dict:
    """A code cell without output; code that the page folds away is folded away here too."""
    tags = list(metadata.get("tags", []))
    kept = {"tags": tags} if tags else {}
    if FOLDED & set(tags):
        kept["jupyter"] = {"source_hidden": True}
    return {"cell_type": "code", "execution_count": None, "metadata": kept, "outputs": [], "source": without_mark(source)}


def markdown_cell(source: str, attachments: dict) -> dict:
    """A Markdown cell with the pictures it shows."""
    cell = {"cell_type": "markdown", "metadata": {}, "source": source}
    return cell | {"attachments": attachments} if attachments else cell


@functools.cache
def source_of(text: str):
    """The cells of a chapter's source, as MyST-NB reads them; they are not to be changed."""
    return read_myst_markdown_notebook(text)


def to_notebook(text: str, references: References, folder: Path) -> dict:
    """The notebook of a chapter. `folder` is the chapter's, for its pictures. A ConversionError says what could not be converted."""
    source = source_of(text)
    converter = Converter(references, folder)
    cells = []
    for number, cell in enumerate(source.cells, 1):
        try:
            if cell.cell_type == "code":
                cells.append(code_cell(cell.source, cell.metadata))
                figure = cell.metadata.get("mystnb", {}).get("figure", {})
                if figure.get("caption"):
                    cells.append(markdown_cell(converter.caption(figure.get("name"), figure["caption"].strip()), {}))
            elif cell.cell_type == "markdown":
                cells.extend(markdown_cell(*each) for each in converter.cells(cell.source))
        except ConversionError as error:
            raise ConversionError(f"cell {number}, which begins {cell.source[:60]!r}: {error}") from None
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"cell-{number:03d}"
    return {"cells": cells, "metadata": {"kernelspec": KERNEL, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}


def dump(notebook: dict) -> str:
    """The notebook as the text of an .ipynb file."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
