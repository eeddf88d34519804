"""The feedback page: one file that loads nothing and runs nothing, in the student's language.

nbconvert's templates render what a notebook holds: Markdown, HTML, pictures and scripts, and they load MathJax from elsewhere. Here all
that a notebook holds is text, whoever made it, and is escaped by the template; the page also forbids the browser everything but its
own style.
"""

from pathlib import Path

from babel.numbers import format_decimal
from jinja2 import Environment, FileSystemLoader
from nbconvert.exporters import Exporter
from traitlets import default

from autograder.gradebook.carried import shown
from autograder.gradebook.isolated_scores import MARKS
from autograder.languages import DEFAULT, LANGUAGES, catalogue_name
from autograder.messages import message
from autograder.reports.text import marked_up

TEMPLATE = "feedback.html.j2"
NO_ANSWER = "No response."  # nbgrader's own comment on a cell that is as it was handed out


class FeedbackExporter(Exporter):
    """Exports an autograded notebook, with the grades that nbgrader's GetGrades has put into it, as the page that the student gets."""

    output_mimetype = "text/html"

    @default("file_extension")
    def _file_extension_default(self):
        return ".html"

    def from_notebook_node(self, nb, resources=None, **keywords):
        notebook, resources = super().from_notebook_node(nb, resources, **keywords)
        return page(notebook, resources["nbgrader"]), resources


def page(notebook, grades):
    """The page, as HTML. grades: the student's score, max_score and late_penalty, as GetGrades leaves them."""
    course = notebook.metadata.get("course", {})
    language = course.get("language") if course.get("language") in LANGUAGES else DEFAULT
    say = _speaker(language)
    loader = FileSystemLoader(Path(__file__).parent / "templates")
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["marked_up"] = marked_up
    environment.filters["number"] = lambda value: format_decimal(round(float(value or 0), 2), locale=catalogue_name(language))
    return environment.get_template(TEMPLATE).render(
        language=language,
        title=say(message("Feedback: {assignment}", assignment=grades["notebook"])),
        of_points=lambda points, most: say(message("{points} of {most} points", points=points, most=most)),
        late=lambda points: say(message("Deducted for being late: {points}", points=points)),
        grades=grades,
        note=course.get("note"),
        label={
            "answer": say(message("Your code")),
            "comment": say(message("Comment")),
            "checks": say(message("Tests")),
        },
        cells=[_cell(cell, say) for cell in notebook.cells],
    )


def _speaker(language):
    return lambda text: text.say(language)


def _cell(cell, say):
    """What the template needs of a cell: its kind, its text, and for a test cell its points and what its tests say."""
    graded = cell.metadata.get("nbgrader", {})
    comment = graded.get("comment")
    if comment == NO_ANSWER:
        comment = say(message("There is no answer here yet."))
    is_test = bool(graded.get("grade")) and not graded.get("solution")
    return {
        "kind": "test" if is_test else "answer" if graded.get("solution") else cell.cell_type,
        "text": _plain(cell),
        "name": graded.get("grade_id"),
        "score": graded.get("score"),
        "points": graded.get("points") if graded.get("grade") else None,
        "comment": comment,
        "remarks": cell.metadata.get("course", {}).get("remarks", []),
        "tests": [test | {"mark": MARKS.get(test["status"], "✗")} for test in cell.metadata.get("course", {}).get("tests", [])],
        "printed": "" if "course" in cell.metadata else shown("".join(_texts(cell))),
    }


def _plain(cell):
    """A cell's text as it is to be read: a heading without its signs, a text in fences without its fences."""
    text = shown(cell.source)
    if cell.cell_type == "markdown":
        lines = text.split("\n")
        if lines[0].startswith("```") and len(lines) > 2:
            return "\n".join(lines[1:-1])
        if len(lines) == 1:
            return text.lstrip("# ")
    return text


def _texts(cell):
    """The plain texts among a cell's outputs, for a notebook that another configuration has graded."""
    for output in cell.get("outputs", ()):
        text = output.get("text", output.get("data", {}).get("text/plain", ""))
        yield text if isinstance(text, str) else "".join(text)
