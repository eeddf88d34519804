"""`nbgrader autograde`, and formgrader's button for it, over whatever students have submitted.

nbgrader reads each notebook with nbformat, repairs it and executes it; a broken one fails its student, and some end the batch. Here
nothing of a submission is parsed by nbgrader: a folder in submitted/ is enough, and the preprocessors begin with a clean notebook
(IsolatedScores). The gradebook, the preprocessors that write to it, late penalties, manual grades, --force, --student and --notebook are
nbgrader's own.
"""

import contextlib
import fnmatch
import glob
import os
import shutil
import stat
from pathlib import Path

import nbformat
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, NbGraderException
from sqlalchemy.exc import OperationalError

from autograder import assignment as assignments
from autograder.gradebook.isolated_scores import IsolatedScores
from autograder.gradebook.one_writer import gradebook_lock
from autograder.sandbox import bubblewrap

TRIES = 3  # with a gradebook that is locked for longer than SQLite waits
MAX_TIMESTAMP = 100  # bytes


class IsolatedAutograde(Autograde):
    """Grades one student after the other: the isolated run first, then, alone with the gradebook, what nbgrader keeps of it."""

    def start(self):
        name = self.coursedir.assignment_id
        if name not in assignments.names():
            there = ", ".join(assignments.names())
            self._refuse(f"There are no hidden tests for {name!r}, and nothing is executed without them; there are: {there}")
        if IsolatedScores(parent=self).sandbox == "bubblewrap":
            try:
                bubblewrap.require()
            except bubblewrap.SandboxUnavailable as error:
                self._refuse(str(error))
        with contextlib.suppress(OperationalError):  # somebody holds it for long; each student is tried again
            self._require_entry(name)
        super().start()

    def _require_entry(self, name):
        """Refuse, once for all students, where the gradebook does not know the exercise."""
        with gradebook_lock(self.coursedir.root, self.log), Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            try:
                gradebook.find_notebook(name, name)
            except MissingEntry:
                self._refuse(f"The gradebook does not know {name}: run `nbgrader generate_assignment {name}` first")

    def _refuse(self, reason):
        self.log.error(reason)
        raise NbGraderException(reason)

    def init_notebooks(self):
        """Every folder that a student has for the assignment, whatever lies in it: one notebook each, by the name in the gradebook."""
        pattern = self._format_source(self.coursedir.assignment_id, self.coursedir.student_id)
        folders = set(glob.glob(pattern)) | ({pattern} if os.path.lexists(pattern) else set())
        name = self.coursedir.assignment_id
        if not folders or not fnmatch.fnmatchcase(name, self.coursedir.notebook_id):
            super().init_notebooks()  # it says what is missing
            raise NbGraderException(f"No notebooks were matched by {self.coursedir.notebook_id!r}")
        self.assignments = {folder: [os.path.join(folder, f"{name}.ipynb")] for folder in folders}
        self.notebooks = []

    def convert_notebooks(self):
        everyone, failed = self.assignments, []
        for folder in sorted(everyone):
            self.assignments = {folder: everyone[folder]}
            student = self.init_single_notebook_resources(everyone[folder][0])["nbgrader"]["student"]
            try:
                self._grade(student)
                self._record()
            except NbGraderException:
                failed.append(student)
            except Exception as error:  # no submission causes it: the sandbox or the disk does
                self.log.error("No result for %s", student, exc_info=error)
                failed.append(student)
        if failed:
            self._refuse(f"These are not in the gradebook, for the reasons above: {', '.join(failed)}")

    def _grade(self, student):
        """The isolated run, as long as it takes, while others may use the gradebook."""
        assignment = self.coursedir.assignment_id
        if self._excluded(student) or not self._to_do(assignment, student):
            return
        scores = IsolatedScores(parent=self)
        scores.result_of(scores.task_of(student, assignment), assignment)

    def _record(self):
        """nbgrader's own way through one student, alone with the gradebook; again where somebody who knows no lock file holds it."""
        for attempt in range(1, TRIES + 1):
            try:
                with gradebook_lock(self.coursedir.root, self.log):
                    return super().convert_notebooks()
            except NbGraderException as error:
                if attempt == TRIES or not isinstance(error.__context__, OperationalError):
                    raise
                self.log.warning("Trying again")

    def init_destination(self, assignment_id, student_id):
        """Whether the student is to be done; what an earlier run has left is removed."""
        if self._excluded(student_id):
            return False
        if not self._to_do(assignment_id, student_id):
            self.log.info("Skipping what is there already: %s", self._format_dest(assignment_id, student_id))
            return False
        folder = self._format_dest(assignment_id, student_id)
        if os.path.exists(folder):
            notebook = os.path.join(folder, f"{assignment_id}.ipynb")
            if not self.force and os.path.exists(notebook):
                self.log.info("%s: %s", student_id, self._outdated(assignment_id, student_id, notebook) or "there is a later submission")
            utils.rmtree(folder)
        return True

    def _excluded(self, student):
        return student in self.coursedir.student_id_exclude.split(",")

    def _to_do(self, assignment, student):
        """New, forced, submitted again, or left half done by a run that was stopped: the notebook is written last.

        nbgrader asks the timestamps alone, which not every way of collecting files keeps: here a submission with other bytes is another one.
        """
        folder = self._format_dest(assignment, student)
        notebook = os.path.join(folder, f"{assignment}.ipynb")
        if self.force or not os.path.exists(notebook):
            return True
        before, now = self._timestamp(folder), self._timestamp(self._format_source(assignment, student))
        if before is not None and now is not None and now > before:
            return True
        return self._outdated(assignment, student, notebook) is not None

    def _outdated(self, assignment, student, notebook):
        scores = IsolatedScores(parent=self)
        return scores.outdated(notebook, scores.task_of(student, assignment), assignment)

    def _timestamp(self, folder):
        return read_timestamp(folder, self.log)

    def init_assignment(self, assignment_id, student_id):
        """Student and submission in the gradebook; the exercise's own files, and none of the student's, beside the clean notebook."""
        when = self._timestamp(self._format_source(assignment_id, student_id))
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            if self.create_student:
                gradebook.update_or_create_student(student_id)
            submission = gradebook.update_or_create_submission(assignment_id, student_id, **({"timestamp": when} if when else {}))
            if when and submission.total_seconds_late > 0:
                self.log.warning("%s is %s seconds late", submission, submission.total_seconds_late)
        folder = Path(self._format_dest(assignment_id, student_id))
        folder.mkdir(parents=True, exist_ok=True)
        self._copy_exercise(assignment_id, folder)
        if when:
            (folder / "timestamp.txt").write_text(f"{when} UTC", encoding="utf-8")

    def _copy_exercise(self, assignment_id, folder):
        source = self.coursedir.format_path(self.coursedir.source_directory, ".", assignment_id)
        for path in utils.find_all_files(source, self.coursedir.ignore + ["*.ipynb"]):
            copy = folder / os.path.relpath(path, source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)

    def convert_single_notebook(self, notebook_filename):
        """What nbgrader does in two steps, sanitising and executing, is one here, and begins with no notebook at all."""
        resources = self.init_single_notebook_resources(notebook_filename)
        self.exporter._preprocessors = []
        for preprocessor in self.autograde_preprocessors:
            self.exporter.register_preprocessor(preprocessor)
        output, resources = self.exporter.from_notebook_node(nbformat.v4.new_notebook(), resources)
        self.write_single_notebook(output, resources)


def read_timestamp(folder, log):
    """When the submission was made, from the timestamp.txt that a student's own client has written; None where that says nothing."""
    path = Path(folder) / "timestamp.txt"
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_TIMESTAMP:
            raise ValueError("it is no small file")
        text = path.read_text(encoding="utf-8").strip()
        return utils.parse_utc(text) if text else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except Exception as error:  # dateutil raises many kinds
        log.warning("%s is passed over: %s", path, error)
        return None
