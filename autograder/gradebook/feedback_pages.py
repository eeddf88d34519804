"""`nbgrader generate_feedback`: a page for each student, always made anew.

nbgrader skips a page that is there, unless a timestamp is newer, so that a page would go on saying what is no longer in the gradebook. It also
copies what lies beside the autograded notebook: here the exercise's own modules, which students have.
"""

import os

from nbgrader import utils
from nbgrader.converters import GenerateFeedback


class FeedbackPages(GenerateFeedback):
    """Writes the page and nothing else."""

    def init_destination(self, assignment_id, student_id):
        """Whether the student is to have a page; the former one is removed."""
        if student_id in self.coursedir.student_id_exclude.split(","):
            return False
        folder = self._format_dest(assignment_id, student_id)
        if os.path.exists(folder):
            utils.rmtree(folder)
        return True

    def init_assignment(self, assignment_id, student_id):
        """Nothing is copied; the folder is made with the page."""
