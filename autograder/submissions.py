"""Finding what was submitted: notebooks, .py files, and nbgrader's submitted/ trees. Nothing is read here, only looked at."""

import dataclasses
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from autograder.messages import Message, message
from autograder.names import numbered

ENDINGS = (".ipynb", ".py")
MAX_BYTES = 64 << 20


@dataclass(frozen=True)
class Submission:
    """One student's work: where the file is, or a note on why there is none to grade."""

    student: str
    path: Path | None
    note: Message | None = None
    own: Path | None = None  # what is the student's alone; no link may lead out of it


class NothingFound(ValueError):
    """A path on the command line holds no submission."""


def find(paths, assignment):
    """All submissions under the paths, in a fixed order. Raises NothingFound, which names the path.

    What is closed to us costs its student alone: it becomes a note.
    """
    found = []
    for path in map(Path, paths):
        try:
            if not path.exists() and not path.is_symlink():
                raise NothingFound(f"{path}: there is no such file or folder")
            there = _in_tree(path, assignment) if path.is_dir() else [_bare(path)]
        except OSError as error:
            raise NothingFound(f"{path} cannot be read ({error.strerror or type(error).__name__})") from None
        if not there:
            raise NothingFound(f"{path}: no notebook, no .py file, and no <student>/{assignment}/ in it")
        found += there
    return _unique(found)


def passed_over(paths, assignment):
    """What lies in the folders and is no submission to the assignment, so that nobody is forgotten in silence."""
    folders = [path for path in map(Path, paths) if path.is_dir()]
    return [entry for folder in folders for entry in sorted(folder.iterdir())
            if not entry.name.startswith(".") and entry.suffix.lower() not in ENDINGS and not _is_student(entry, assignment)]


def look_again(submission):
    """The submission as it is now: with a note where its file has since gone, or become what is not read."""
    return submission if submission.note else _checked(submission.student, submission.path, submission.own)


def unreadable(error):
    """The note about an OSError."""
    return message("The file cannot be read ({reason}). Submit it again.", reason=error.strerror or type(error).__name__)


def _bare(path):
    if path.suffix.lower() not in ENDINGS:
        raise NothingFound(f"{path}: a submission is a notebook (.ipynb) or a .py file")
    return _alone(path, path.parent)


def _alone(path, folder):
    """A file without a folder of its own: its neighbours are other students', so it may be no link at all."""
    return _checked(path.stem, path, folder.resolve() / path.name)


def _in_tree(folder, assignment):
    """The submissions of a folder: <student>/<assignment>/… as nbgrader lays them, and files that lie in it directly."""
    found = []
    for entry in sorted(folder.iterdir()):
        if entry.suffix.lower() in ENDINGS and not _is_student(entry, assignment):
            found.append(_alone(entry, folder))
        elif _is_student(entry, assignment):
            found.append(of_student(entry.name, entry / assignment, folder))
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
    try:
        return _chosen(student, folder, root.resolve() / folder.parent.name)
    except OSError as error:
        return Submission(student, None, unreadable(error))


def _chosen(student, folder, own):
    """The one file in a folder that is to be graded, or a note. Raises OSError where the folder is closed to us."""
    if not _inside(folder, own) or not folder.is_dir():
        return Submission(student, None, message("The submission is not a folder of its own, but a link or a file. Submit the folder with the notebook in it."))
    files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))  # ._x.ipynb is a Mac's, not the student's
    notebooks = next(filter(None, ([path for path in files if fits(path)] for fits in (_is_notebook, _was_notebook, _is_python))), [])
    if not notebooks:
        return Submission(student, None, message("There is no notebook in the submission. Submit {expected}.", expected=f"{folder.name}.ipynb"))
    named = [path for path in notebooks if path.stem == folder.name]
    if len(notebooks) > 1 and not named:
        return Submission(student, None, message("There are several notebooks in the submission, and none is named {expected}. Rename the right one.",
                                                 expected=f"{folder.name}.ipynb"))
    return _checked(student, (named or notebooks)[0], own)


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
    """Give a number to the students whose name stands there already."""
    taken, unique = set(), []
    for submission in found:
        name = numbered(submission.student, taken)
        taken.add(name)
        unique.append(dataclasses.replace(submission, student=name))
    return unique
