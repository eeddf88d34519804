"""`nbgrader generate_assignment` from the source versions that `make exercises` has made here."""

import os

from nbgrader.converters import GenerateAssignment, NbGraderException

from autograder import assignment as assignments
from autograder.assignment import ROOT


class GenerateFromSource(GenerateAssignment):
    """nbgrader's, but it says what to do where there is no source version yet."""

    def start(self):
        name = self.coursedir.assignment_id
        source = os.path.join(self.coursedir.format_path(self.coursedir.source_directory, ".", name), f"{name}.ipynb")
        if name in assignments.names() and not os.path.exists(source):
            reason = f"There is no {os.path.normpath(source)} yet: run `make exercises` in {ROOT} first"
            self.log.error(reason)
            raise NbGraderException(reason)
        super().start()
