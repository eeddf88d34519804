"""The release notebooks: nbgrader's metadata, the course's own, stubs, hints, points, and one structure in all languages."""

import ast
import io
import re
import tokenize

import nbformat
from nbgrader.nbgraderformat import MetadataValidator

from autograder.exercise.nbgrader_course import EXERCISES, YOUR_CODE
from book.tools.compare import bare_formula, drawing


def test_nbgrader_accepts_the_notebook(notebook_of):
    MetadataValidator().validate_nb(notebook_of)


def test_language_and_assignment_are_in_the_metadata(notebook_of, exercise, language):
    assert notebook_of.metadata.course == {"assignment": exercise.name, "language": language}
    assert notebook_of.metadata.kernelspec.name == "python3"


def test_points_are_the_assignments(notebook_of, exercise):
    known = [cell.metadata.nbgrader for cell in notebook_of.cells if "nbgrader" in cell.metadata]
    graded = {fields.grade_id: fields for fields in known if fields.grade}
    assert {name: fields.points for name, fields in graded.items()} == exercise.points
    assert all(fields.locked and not fields.solution for fields in graded.values())


def test_points_in_the_text_are_the_assignments(notebook_of, exercise):
    text = "\n".join(cell.source for cell in notebook_of.cells if cell.cell_type == "markdown")
    for part, points in exercise.points.items():
        assert re.search(rf"^\| `{part}` \|[^|]*\| {points:g} \|$", text, re.MULTILINE), part


def test_ids_tell_the_cells_apart_and_stay(notebook_of):
    ids = [cell.id for cell in notebook_of.cells]
    assert len(set(ids)) == len(ids)
    for cell in notebook_of.cells:
        fields = cell.metadata.get("nbgrader")
        assert cell.cell_type == "markdown" or fields is None or cell.id == fields.grade_id


def test_each_part_has_a_stub_in_the_language_three_hints_and_its_check(notebook_of, exercise, language):
    cells = {cell.id: cell for cell in notebook_of.cells}
    order = list(cells)
    for part in exercise.parts:
        stub = cells[f"{part}-solution"].source
        assert re.search(rf"\n( +)# {YOUR_CODE[language]}\n\1raise NotImplementedError\(\)(\n|$)", stub)  # deeper in a class than in a function
        assert ast.get_docstring(ast.parse(stub).body[0])
        assert cells[part].source == f'check("{part}")'
        hints = cells[order[order.index(part) - 1]].source
        assert hints.count("<details>") == hints.count("</details>") == hints.count("<summary>") > 0
        assert hints.count("<details>") % 3 == 0  # three for each function of the part


def test_the_text_says_what_the_stub_says(notebook_of, language):
    said = f"`{YOUR_CODE[language]}`"
    assert said in notebook_of.cells[0].source, f"the first text has to quote the stub: `{YOUR_CODE['en']}`"


def test_no_trace_of_the_source_format(notebook_of):
    for cell in notebook_of.cells:
        assert not re.search(r"^\(.*\)=$|^\+\+\+|^:\w+:|```\{", cell.source, re.MULTILINE), cell.source


def code_only(source):
    """Code with its comments and the text in its strings taken away."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    kept = [token for token in tokens if token.type not in (tokenize.COMMENT, tokenize.NL)]
    return [(token.type, "" if token.type == tokenize.STRING else token.string) for token in kept]


def outline(notebook):
    def inside(cell):
        return code_only(cell.source) if cell.cell_type == "code" else re.findall(r"^#+ ", cell.source, re.MULTILINE)

    return [(cell.cell_type, cell.id, inside(cell)) for cell in notebook.cells]


def test_all_languages_have_the_structure_of_the_english_one(notebook_of, exercise, language):
    english = nbformat.read(EXERCISES / "en" / exercise.name / f"{exercise.name}.ipynb", 4)
    assert outline(notebook_of) == outline(english)


def test_formulas_and_code_in_the_text_are_those_of_the_english_one(notebook_of, exercise):
    english = nbformat.read(EXERCISES / "en" / exercise.name / f"{exercise.name}.ipynb", 4)
    for ours, theirs in zip(english.cells, notebook_of.cells):
        for pattern, alike in ((r"\$\$.*?\$\$", bare_formula), (r"```text.*?```", drawing)):  # decimals and the words in drawings are the language's
            found = [[alike(each) for each in re.findall(pattern, cell.source, re.DOTALL)] for cell in (ours, theirs)]
            assert found[0] == found[1], theirs.id
