"""Makes the notebooks of the sample class: python -m tests.sample_class.make. They are committed, as submissions are: nobody generates those anew."""

import ast
import json
import shutil
from pathlib import Path

from autograder.assignment import ROOT, load
from tests.sample_class.students import CLASS

FOLDER = Path(__file__).parent / "submitted"
ASSIGNMENT = "single-head"


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    for student in CLASS:
        path = FOLDER / student.name / ASSIGNMENT / student.file
        path.parent.mkdir(parents=True)
        path.write_bytes(student.raw if student.raw is not None else notebook_of(student))


def notebook_of(student):
    """The bytes of a student's notebook."""
    notebook = json.loads((ROOT / "exercises" / student.language / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_text(encoding="utf-8"))
    if student.work != "stub":
        fill(notebook["cells"], functions_of(student.work))
    for position, source in student.extra:
        insert(notebook["cells"], position, source)
    return (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def functions_of(work):
    """{name: source} of the functions in the solution that a student has handed in; those laid over others come with them."""
    assignment = load(ASSIGNMENT)
    kind, _, name = work.partition("/")
    override = "" if kind == "reference" else getattr(assignment, kind)[name].override
    functions = {}
    for source in (assignment.solution_source, override):
        for node in ast.parse(source).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.Import, ast.ImportFrom)):
                name = node.targets[0].id if isinstance(node, ast.Assign) else getattr(node, "name", "imports")
                functions[name] = ast.get_source_segment(source, node)
    return functions


def fill(cells, functions):
    """Put the functions into the cells that ask for them; helpers go into the first, names that wrap a right solution after it."""
    mine = dict(functions)
    solution_cells = [cell for cell in cells if cell["metadata"].get("nbgrader", {}).get("solution")]
    for cell in solution_cells:
        text = "".join(cell["source"])
        wanted = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
        cell["source"] = "\n\n\n".join(mine.pop(name) for name in wanted if name in mine)
    first = solution_cells[0]
    helpers = [source for name, source in mine.items() if name not in ("result_dtype", "working_dtype")]
    first["source"] = "\n\n\n".join(["import itertools", "import math", "import numpy as np", *helpers, first["source"]])


def insert(cells, position, source):
    """Add a code cell before the code cell of that position, or at the end."""
    places = [i for i, cell in enumerate(cells) if cell["cell_type"] == "code"]
    at = len(cells) if position < 0 else places[position]
    cell = {"cell_type": "code", "execution_count": None, "id": f"own-{len(cells)}", "metadata": {}, "outputs": [], "source": source}
    cells.insert(at, cell)


if __name__ == "__main__":
    main()
