"""Nothing that a student gets holds a solution, a hidden test or a wrong solution's code."""

import ast
import re

import nbformat
import pytest

from autograder import catalogue
from autograder.exercise import notebook


def lines_of(source):
    """The lines of code of a source without comments, docstrings and short lines such as `else:`."""
    tree = ast.parse(source)
    if ast.get_docstring(tree) is not None:
        tree.body = tree.body[1:]  # of a wrong solution its explanation, several lines of it
    lines = (line.strip() for line in ast.unparse(tree).splitlines())
    return {line for line in lines if len(line) > 30 and not line.startswith(('"""', "'''", "def "))}


def texts(released):
    return {path: path.read_text(encoding="utf-8") for path in files(released) if path.suffix != ".mo"}


def files(released):
    """The files of a release version, without what running it leaves behind."""
    return [path for path in released.rglob("*") if path.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & set(path.parts)]


def code_in(text):
    """A text with strings of a notebook's JSON read as they are, and white space made one."""
    return re.sub(r"\s+", " ", text.replace('\\"', '"').replace("\\n", "\n"))


def test_only_what_belongs_there(released, exercise):
    kinds = {path.suffix for path in files(released)}
    assert kinds <= {".ipynb", ".py", ".json", ".mo"}
    assert [path.name for path in released.glob("*.ipynb")] == [f"{exercise.name}.ipynb"]


@pytest.mark.parametrize("word", ["BEGIN SOLUTION", "END SOLUTION", "test_hidden", "BEGIN HIDDEN TESTS", "_build/"])
def test_words_that_would_tell(released, word):
    assert [path.name for path, text in texts(released).items() if word in text] == []


def returns_of(node):
    return {ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.Return)}


def given_in(notebook):
    """What the cells that are given define, from a source notebook."""
    cells = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("locked") and not cell.metadata.nbgrader.grade]
    return [node for cell in cells for node in ast.parse(cell.source).body]


def test_no_solution(released, exercise, language):
    given = given_in(notebook.build(exercise, language))
    stubs = [ast.parse(cell.source) for cell in nbformat.read(released / f"{exercise.name}.ipynb", 4).cells if cell.metadata.get("nbgrader", {}).get("solution")]
    names, shown = {getattr(node, "name", "") for node in given}, set().union(*map(returns_of, [*given, *stubs]))
    codes = {path: code_in(text) for path, text in texts(released).items()}
    for node in ast.parse(exercise.solution_source).body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name in names:
            continue
        returns = returns_of(node) - shown
        for path, code in codes.items():
            assert not [line for line in returns if len(line) > 20 and line in code], (path.name, node.name)


def test_no_wrong_solution(released, exercise):
    theirs = set().union(*(lines_of(variant.override) for variant in exercise.wrong.values())) - lines_of(exercise.solution_source)
    for path, text in texts(released).items():
        code = code_in(text)
        assert not [line for line in theirs if line in code], path.name


def test_no_hidden_test(released, exercise):
    hidden = exercise.hidden_tests.read_text(encoding="utf-8")
    names = {node.name for node in ast.parse(hidden).body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}
    for path, text in texts(released).items():
        assert not [name for name in names if name in text], path.name
        code = code_in(text)
        assert not [line for line in lines_of(hidden) if line in code and not line.startswith(("import", "from"))], path.name


def test_the_catalogue_that_goes_out_tells_nothing_of_hidden_tests(released, exercise, language):
    path = released / "course" / "messages.mo"
    if language == "en":
        assert not path.exists()
        return
    import gettext

    with path.open("rb") as file:
        sent = set(gettext.GNUTranslations(file)._catalog)
    hidden = {one if isinstance(one, str) else one[0] for one in catalogue.public_texts(exercise.hidden_tests)}
    public = catalogue.engine_texts() | catalogue.public_texts(exercise.public_checks)
    public |= {wrong.explanation for wrong in exercise.wrong.values()}
    assert not sent & (hidden - {one if isinstance(one, str) else one[0] for one in public})
