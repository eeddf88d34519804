"""Finding what was submitted: notebooks, .py files, nbgrader's submitted/ trees and Moodle's folders. Nothing is read here, only looked at.

Whose work a file is, its place says: <student>/<assignment>/x.ipynb, or a folder of Moodle's. Elsewhere the student is the file's name.
"""

import dataclasses
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from autograder.languages import LANGUAGES
from autograder.messages import Message, message
from autograder.names import numbered

ENDINGS = (".ipynb", ".py")
MAX_BYTES = 64 << 20
MOODLE = re.compile(r"(.+_\d+)_assignsubmission_file(?:_.*)?")  # a student's folder, Anna Ek_1234_assignsubmission_file_, or how a file's name begins


@dataclass(frozen=True)
class Submission:
    """One student's work: where the file is, or a note on why there is none to grade."""

    student: str
    path: Path | None
    note: Message | None = None
    own: Path | None = None  # what is the student's alone; no link may lead out of it
    shared: str | None = None  # the student's name as it was, where another submission had it already


class NothingFound(ValueError):
    """A path on the command line holds no submission."""


def find(paths, assignment, student=None):
    """All submissions under the paths, in a fixed order. Raises NothingFound, which names the path.

    What is closed to us costs its student alone: it becomes a note. student: whose work it is, where there is one submission.
    """
    found = []
    for path in map(Path, paths):
        try:
            if not path.exists() and not path.is_symlink():
                raise NothingFound(f"{path}: there is no such file or folder")
            there = _in_folder(path, assignment) if path.is_dir() else [_single(path, assignment)]
        except OSError as error:
            raise NothingFound(f"{path} cannot be read ({error.strerror or type(error).__name__})") from None
        if not there:
            raise NothingFound(f"{path}: no notebook, no .py file, and no <student>/{assignment}/ in it")
        found += there
    found = _unique(found)
    if student is None:
        return found
    if len(found) > 1:
        raise NothingFound(f"--student names one submission's student; there are {len(found)} submissions")
    return [dataclasses.replace(found[0], student=student)]


def passed_over(paths, assignment):
    """What lies in the folders and is no submission to the assignment, so that nobody is forgotten in silence."""
    folders = [path for path in map(Path, paths) if path.is_dir()]
    return [entry for folder in folders if not _student_of(folder, assignment) for entry in sorted(folder.iterdir())
            if not entry.name.startswith(".") and entry.suffix.lower() not in ENDINGS and not _is_student(entry, assignment)
            and not _is_moodles(entry)]


def look_again(submission):
    """The submission as it is now: with a note where its file has since gone, or become what is not read."""
    return submission if submission.note else _checked(submission.student, submission.path, submission.own)


def unreadable(error):
    """The note about an OSError."""
    return message("The file cannot be read ({reason}). Submit it again.", reason=error.strerror or type(error).__name__)


def _single(path, assignment):
    """The submission that a file is: its student's, where it lies in a folder of one."""
    if path.suffix.lower() not in ENDINGS:
        raise NothingFound(f"{path}: a submission is a notebook (.ipynb) or a .py file")
    folder = Path(os.path.abspath(path.parent))
    student = folder if _is_moodles(folder) else _owner(folder, assignment, path)
    if student is None:
        return _alone(path, path.parent)
    return _checked(_named(student.name), path, student.parent.resolve() / student.name)


def _in_folder(path, assignment):
    """The submissions of a folder: of a class, or of one student."""
    place = _student_of(path, assignment)
    return [place] if place else _in_tree(path, assignment)


def _student_of(path, assignment):
    """The submission in a folder that is one student's: <student>, <student>/<assignment>, or one of Moodle's; None where it is another folder."""
    folder = Path(os.path.abspath(path))
    if _is_moodles(folder):
        return _of_moodles(folder, assignment)
    if _owner(folder, assignment):
        return of_student(folder.parent.name, folder, folder.parent.parent)
    if _owner(folder / assignment, assignment) and not any(_is_student(entry, assignment) for entry in folder.iterdir()):
        return of_student(folder.name, folder / assignment, folder.parent)
    return None


def _owner(folder, assignment, path=None):
    """The student's folder that <student>/<assignment> lies in; None where `folder` is not laid out so.

    It holds one notebook then, or one that is named after the assignment; of several with other names it is a class's, whatever its own name is.
    path: the file that is meant. exercises/<language>/<assignment> is nobody's.
    """
    student = folder.parent
    if folder.name != assignment or not student.name or not folder.is_dir() or (student.name in LANGUAGES and student.parent.name == "exercises"):
        return None
    there = [one.name for one in _candidates(folder)]
    meant = [path.name] if path else there
    return student if len(there) == 1 and meant == there or any(Path(name).stem == assignment for name in meant) else None


def _is_moodles(entry):
    return bool(MOODLE.fullmatch(entry.name)) and entry.is_dir()


def _of_moodles(folder, assignment):
    return _of_folder(_named(folder.name), folder, folder.parent.resolve() / folder.name, assignment)


def _named(name):
    """A student's name: what Moodle adds to it is left away, but for the number, since two students may have one name."""
    moodles = MOODLE.fullmatch(name)
    return moodles[1] if moodles else name


def _alone(path, folder):
    """A file without a folder of its own: its neighbours are other students', so it may be no link at all."""
    return _checked(_named(path.stem), path, folder.resolve() / path.name)


def _in_tree(folder, assignment):
    """The submissions of a class's folder: <student>/<assignment>/… as nbgrader lays them, Moodle's folders, and files that lie in it directly."""
    found = []
    for entry in sorted(folder.iterdir()):
        if entry.suffix.lower() in ENDINGS and not _is_student(entry, assignment):
            found.append(_alone(entry, folder))
        elif _is_student(entry, assignment):
            found.append(of_student(entry.name, entry / assignment, folder))
        elif _is_moodles(entry):
            found.append(_of_moodles(entry, assignment))
    return found


def _is_student(entry, assignment):
    try:
        os.lstat(entry / assignment)
    except PermissionError:  # a student's folder that is closed to us; what is hidden, and where links lead, is no student's
        return not entry.name.startswith(".") and not entry.is_symlink()
    except OSError:
        return False
    return True


def of_student(student, folder, root):
    """The one file in a student's folder <root>/<student>/<assignment> that is to be graded, or a note."""
    return _of_folder(student, folder, root.resolve() / folder.parent.name, folder.name)


def _of_folder(student, folder, own, assignment):
    try:
        return _chosen(student, folder, own, assignment)
    except OSError as error:
        return Submission(student, None, unreadable(error))


def _chosen(student, folder, own, assignment):
    """The one file in a folder that is to be graded, or a note. Raises OSError where the folder is closed to us."""
    if not _inside(folder, own) or not folder.is_dir():
        return Submission(student, None, message("The submission is not a folder of its own, but a link or a file. Submit the folder with the notebook in it."))
    notebooks = _candidates(folder)
    if not notebooks:
        return Submission(student, None, message("There is no notebook in the submission. Submit {expected}.", expected=f"{assignment}.ipynb"))
    named = [path for path in notebooks if path.stem == assignment]
    if len(notebooks) > 1 and not named:
        return Submission(student, None, message("There are several notebooks in the submission, and none is named {expected}. Rename the right one.",
                                                 expected=f"{assignment}.ipynb"))
    return _checked(student, (named or notebooks)[0], own)


def _candidates(folder):
    """The files of a submission of which one is to be graded: the notebooks, or else what was a notebook once, or else .py files."""
    files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))  # ._x.ipynb is a Mac's, not the student's
    return next(filter(None, ([path for path in files if fits(path)] for fits in (_is_notebook, _was_notebook, _is_python))), [])


def _is_notebook(path):
    return path.suffix.lower() == ".ipynb"


def _is_python(path):
    return path.suffix.lower() == ".py"


def _was_notebook(path):
    """x.ipynb.txt, x.ipynb.json, x.ipynb (1): how browsers and mail programs name what they save."""
    return ".ipynb" in path.name.lower() and path.is_file()


def _checked(student, path, own):
    """A submission of that file, or a note where it is no file of the student's own or too large."""
    if not _inside(path, own):
        return Submission(student, None, message("The notebook is a link that leads elsewhere. Submit the file itself."))
    try:
        status = path.stat()
    except OSError as error:
        if not os.path.islink(path):
            return Submission(student, None, unreadable(error))
        return Submission(student, None, message("The notebook is a link that leads elsewhere. Submit the file itself."))
    if not stat.S_ISREG(status.st_mode):
        return Submission(student, None, message("What was submitted as the notebook is not a file. Submit the notebook itself."))
    if status.st_size > MAX_BYTES:
        return Submission(student, None, message("The notebook has {size} MB; at most {most} MB are read. Clear its outputs, save it and submit it again.",
                                                 size=status.st_size >> 20, most=MAX_BYTES >> 20))
    return Submission(student, path, own=own)


def _inside(path, own):
    """Whether a path, links followed, is still `own` or lies under it. `own` is not followed: it may itself be a link to a classmate's."""
    try:
        return path.resolve().is_relative_to(own)
    except (OSError, RuntimeError):
        return False


def _unique(found):
    """Give a number to the students whose name stands there already; what is the same file of the same student stands there once."""
    taken, files, unique = set(), set(), []
    for submission in found:
        file = (submission.student, submission.path and os.path.abspath(submission.path))
        if submission.path and file in files:
            continue
        files.add(file)
        name = numbered(submission.student, taken)
        taken.add(name)
        unique.append(submission if name == submission.student else dataclasses.replace(submission, student=name, shared=submission.student))
    return unique
