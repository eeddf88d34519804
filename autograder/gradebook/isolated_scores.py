"""Scores from the isolated run, written into the notebook where nbgrader looks for them. No cell of the student's is executed here."""

from collections import OrderedDict
from pathlib import Path

from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Enum, Unicode

from autograder import batch, results, submissions
from autograder.languages import LANGUAGES
from autograder.secret import course_secret

MAX_GRADERS = 2  # a sandbox each; formgrader may go through several assignments
_graders = OrderedDict()  # of this process


class IsolatedScores(NbGraderPreprocessor):
    """Grades a submission with the hidden tests, or takes the result that `python -m autograder grade` has left in the folder of results.

    Each graded cell of the notebook is a part of the exercise: its output becomes the points of the part's tests, then their messages.
    """

    results_directory = Unicode("grades", help="Folder of results, relative to the course; a result of the same bytes is used, and new ones go there.").tag(config=True)
    sandbox = Enum(("bubblewrap", "none"), "bubblewrap", help="Where students' code runs.").tag(config=True)
    language = Enum((None, *LANGUAGES), None, allow_none=True, help="The feedback's language, in place of each student's own.").tag(config=True)

    def preprocess(self, notebook, resources):
        place = resources["nbgrader"]
        result = self.result_of(place["student"], place["assignment"])
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
                if utils.is_grade(cell) and not utils.is_solution(cell):
                    cell.outputs = outputs_of(cell.metadata.nbgrader, result)
        return notebook, resources

    def result_of(self, student, assignment):
        """The result for what the student has submitted, as it lies in submitted/."""
        coursedir = self.parent.parent.coursedir
        folder = Path(coursedir.format_path(coursedir.submitted_directory, student, assignment))
        submission = submissions.of_student(student, folder, folder.parent.parent)
        task = next(batch.read_tasks([submission]))
        out = Path(coursedir.root) / self.results_directory
        settings = batch.Settings(assignment, course_secret(), self.sandbox, language=self.language)
        return batch.current_result(out, task, settings) or self.grade(task, settings, out)

    def grade(self, task, settings, out):
        """Grade now, and keep the result."""
        result = batch.grade_task(grader_for(settings), task, settings)
        results.write(out, result)
        return result


def grader_for(settings):
    """A running grader for the settings; the process keeps a few."""
    if settings not in _graders:
        _graders[settings] = batch.make_grader(settings).__enter__()
        while len(_graders) > MAX_GRADERS:
            _graders.popitem(last=False)[1].__exit__(None, None, None)
    _graders.move_to_end(settings)
    return _graders[settings]


def outputs_of(graded, result):
    """A graded cell's outputs: first the points, a number that nbgrader reads as a partial grade, then what the student reads."""
    tests = [test for test in result["tests"] if test["part"] == graded["grade_id"]]
    maximum = float(graded["points"])
    of_tests = sum(test["max_points"] for test in tests)
    share = sum(test["points"] for test in tests) / of_tests if of_tests else 0.0
    points = min(max(round(share * maximum, 6), 0.0), maximum)
    lines = [f"{MARKS.get(test['status'], '✗')} {test['points']:g}/{test['max_points']:g}  {test['message']}" for test in tests]
    if result["note"]:
        lines = [result["note"]]
    return [
        new_output("execute_result", {"text/plain": repr(points)}, execution_count=1),
        new_output("stream", name="stdout", text="\n\n".join(lines) + "\n"),
    ]


MARKS = {"passed": "✓", "deferred": "–"}
