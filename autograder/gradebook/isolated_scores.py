"""Scores from the isolated run, in a clean notebook, where nbgrader looks for them. No cell of the student's is executed here."""

from collections import OrderedDict
from pathlib import Path

from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Enum, Unicode

from autograder import batch, results, submissions
from autograder.gradebook import carried, clean_notebook, taken
from autograder.languages import LANGUAGES
from autograder.secret import course_secret

MAX_GRADERS = 2  # a sandbox each; formgrader may go through several assignments
MARKS = {"passed": "✓", "deferred": "–"}
_graders = OrderedDict()  # of this process


class IsolatedScores(NbGraderPreprocessor):
    """Grades a submission with the hidden tests, or takes the result that `python -m autograder grade` has left in the folder of results.

    Each graded cell of the notebook is a part of the exercise: its output becomes the points of the part's tests, then their messages.
    """

    results_directory = Unicode(
        "grades", help="Folder of results, relative to the course; a result of the same bytes is used, and new ones go there."
    ).tag(config=True)
    sandbox = Enum(("bubblewrap", "none"), "bubblewrap", help="Where students' code runs.").tag(config=True)
    language = Enum(
        (None, *LANGUAGES), None, allow_none=True, help="The feedback's language, in place of each student's own."
    ).tag(config=True)

    def preprocess(self, notebook, resources):
        """The clean notebook with its scores, whatever notebook comes in."""
        place = resources["nbgrader"]
        task = self.task_of(place["student"], place["assignment"])
        result = self.result_of(task, place["assignment"])
        cells = carried.cells_of(task.data, task.name) if task.data is not None else []
        with Gradebook(place["db_url"]) as gradebook:
            source = gradebook.find_notebook(place["notebook"], place["assignment"])
            notebook, remarks = clean_notebook.build(place["assignment"], source, result["language"], cells)
        notebook.metadata.course |= {"note": result["note"], taken.ENTRY: taken.entry(result)}
        for cell in notebook.cells:
            if utils.is_grade(cell) and not utils.is_solution(cell) and cell.cell_type == "code":
                write_scores(cell, result, [remark.say(result["language"]) for remark in remarks.get(cell.metadata.nbgrader.grade_id, ())])
        return notebook, resources

    def task_of(self, student, assignment):
        """What the student has submitted, as it lies in submitted/."""
        coursedir = self.coursedir()
        folder = Path(coursedir.format_path(coursedir.submitted_directory, student, assignment))
        return next(batch.read_tasks([submissions.of_student(student, folder, folder.parent.parent)]))

    def result_of(self, task, assignment):
        """The result that is there already, or else a new one, which is kept."""
        out, settings = self._results(), self._settings(assignment)
        result = batch.current_result(out, task, settings)
        if result is None:
            result = grade(task, settings)
            results.write(out, result)
        return result

    def outdated(self, notebook, task, assignment):
        """Why the gradebook is to take another result than that of the autograded notebook; None where it is not."""
        return taken.outdated(notebook, task, self._settings(assignment), self._results())

    def _results(self):
        return Path(self.coursedir().root) / self.results_directory

    def _settings(self, assignment):
        return batch.Settings(assignment, course_secret(), self.sandbox, language=self.language)

    def coursedir(self):
        """The course folder of the converter that this belongs to."""
        parent = self.parent
        while not hasattr(parent, "coursedir"):
            parent = parent.parent
        return parent.coursedir


def grade(task, settings):
    """Grade with a grader that this process keeps; one that fails is replaced, and the task gets a second try."""
    try:
        return batch.grade_task(grader_for(settings), task, settings)
    except Exception:
        if settings in _graders:
            _graders.pop(settings).__exit__(None, None, None)
        return batch.grade_task(grader_for(settings), task, settings)


def grader_for(settings):
    """A running grader for the settings; the process keeps a few."""
    if settings not in _graders:
        _graders[settings] = batch.make_grader(settings).__enter__()
        while len(_graders) > MAX_GRADERS:
            _graders.popitem(last=False)[1].__exit__(None, None, None)
    _graders.move_to_end(settings)
    return _graders[settings]


def write_scores(cell, result, remarks=()):
    """Give a test cell its outputs, and the same as data for the feedback page."""
    tests = [test for test in result["tests"] if test["part"] == cell.metadata.nbgrader["grade_id"]]
    cell.outputs, cell.execution_count = outputs_of(cell.metadata.nbgrader, result, remarks), 1
    kept = [{name: test[name] for name in ("status", "points", "max_points", "message")} for test in tests]
    cell.metadata["course"] = {"remarks": list(remarks), "tests": [] if result["note"] else kept}


def outputs_of(graded, result, remarks=()):
    """A graded cell's outputs: first the points, a number that nbgrader reads as a partial grade, then what the student reads."""
    tests = [test for test in result["tests"] if test["part"] == graded["grade_id"]]
    maximum = float(graded["points"])
    of_tests = sum(test["max_points"] for test in tests)
    share = sum(test["points"] for test in tests) / of_tests if of_tests else 0.0
    points = min(max(round(share * maximum, 6), 0.0), maximum)
    lines = [f"{MARKS.get(test['status'], '✗')} {test['points']:g}/{test['max_points']:g}  {test['message']}" for test in tests]
    lines = [result["note"]] if result["note"] else [*remarks, *lines]
    return [
        new_output("execute_result", {"text/plain": repr(points)}, execution_count=1),
        new_output("stream", name="stdout", text="\n\n".join(lines) + "\n"),
    ]
