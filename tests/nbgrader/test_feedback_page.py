"""How a feedback page looks: its headings, its points and its code."""

import re

import nbformat
import pytest

from autograder import assignment as assignments
from autograder.gradebook import clean_notebook
from autograder.gradebook.feedback import page as make
from autograder.languages import LANGUAGES
from tests.nbgrader.test_pages import page  # noqa: F401  (a fixture)

GRADES = {"notebook": "single-head", "score": 0.75, "max_score": 10, "late_penalty": 0}
MESSAGE = "Большие числа: `softmax` даёт `nan` & <b>."


def with_test(message=MESSAGE):
    """A page with one test cell, in which two tests say that."""
    graded = {"grade": True, "solution": False, "grade_id": "softmax", "points": 3, "score": 0.75}
    cell = nbformat.v4.new_code_cell("10", metadata={"nbgrader": graded})
    tests = [{"status": "passed", "points": points, "max_points": points, "message": message} for points in (0.75, 1)]
    cell.metadata["course"] = {"remarks": [message], "tests": tests}
    return make(nbformat.v4.new_notebook(cells=[cell], metadata={"course": {"language": "ru", "note": message}}), GRADES)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", assignments.names())
def test_headings_are_those_of_the_exercise(name, language):
    """A comment in the code of a hint is none."""
    cells = clean_notebook._released(name, language)
    shown = [heading.source.lstrip("# ") for cell in cells if cell.cell_type == "markdown" for heading in clean_notebook._heading(cell)]
    prose = re.sub(r"^```.*?^```", "", "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)", prose, re.MULTILINE)
    assert shown and set(shown) <= set(headings) and not any(text.startswith("...") for text in shown)


def test_a_fence_in_a_fence_ends_where_it_ends():
    cell = nbformat.v4.new_markdown_cell("````text\n```\n# no\n```\n# no\n````\n~~~\n# no\n```\n~~~\n## Yes")
    assert [heading.source for heading in clean_notebook._heading(cell)] == ["## Yes"]


def test_code_stands_as_code_and_all_else_as_text():
    html = with_test()
    assert html.count("<code>softmax</code> даёт <code>nan</code> &amp; &lt;b&gt;.") == 4  # the note, the remark and two tests


def test_points_do_not_run_into_the_text(page):  # noqa: F811
    page.set_content(with_test())
    lefts = {round(line.bounding_box()["x"]) for line in page.locator("li p").all()}
    apart = page.evaluate("""() => [...document.querySelectorAll("li")].every(li => {
        const points = document.createRange();
        points.selectNodeContents(li.children[1]);
        return points.getBoundingClientRect().right + 4 < li.children[2].getBoundingClientRect().left;
    })""")
    assert apart and len(lefts) == 1  # all begin in one column
