"""nbgrader's settings for grading: the isolated run in place of executing notebooks, and pages on which nothing of the students' runs."""

import warnings
from pathlib import Path

import nbgrader
from sqlalchemy.exc import SAWarning

from autograder.gradebook import one_writer

TEMPLATES = Path(__file__).parent / "templates"
FORMGRADER = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader"


def configure(config):
    """Set in nbgrader's `config` what `autograde`, `generate_feedback` and formgrader use, and put our converters in their places."""
    config.Autograde.autograde_preprocessors = [
        "autograder.gradebook.IsolatedScores",
        "nbgrader.preprocessors.SaveAutoGrades",
        "nbgrader.preprocessors.AssignLatePenalties",
    ]
    config.GenerateFeedback.exporter_class = "autograder.gradebook.feedback.FeedbackExporter"
    config.GenerateFeedback.preprocessors = ["nbgrader.preprocessors.GetGrades"]
    config.HTMLExporter.extra_template_basedirs = [str(TEMPLATES), str(FORMGRADER / "templates")]  # of formgrader's page
    config.HTMLExporter.sanitize_html = True
    one_writer.be_patient()
    one_writer.one_engine()
    warnings.filterwarnings("ignore", r"Object of type <Submitted\w+> not in session", SAWarning, r"nbgrader\.api")  # nbgrader adds it a line later
    install()


def install():
    """Let nbgrader's commands and formgrader's buttons use our converters: nbgrader has no setting for them, only a name in two modules each."""
    from nbgrader.apps import api, autogradeapp, generateassignmentapp, generatefeedbackapp

    from autograder.gradebook.autograde import IsolatedAutograde, read_timestamp
    from autograder.gradebook.feedback_pages import FeedbackPages
    from autograder.gradebook.generate import GenerateFromSource

    autogradeapp.Autograde = api.Autograde = IsolatedAutograde
    generateassignmentapp.GenerateAssignment = api.GenerateAssignment = GenerateFromSource
    generatefeedbackapp.GenerateFeedback = api.GenerateFeedback = FeedbackPages

    def get_submitted_timestamp(self, assignment_id, student_id):
        """nbgrader's, but one unreadable timestamp does not take formgrader's list of the class away."""
        return read_timestamp(self.coursedir.format_path(self.coursedir.submitted_directory, student_id, assignment_id), self.log)

    api.NbGraderAPI.get_submitted_timestamp = get_submitted_timestamp
