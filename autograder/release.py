"""Making the exercises: for each assignment and language the notebook and the `course` package that students get.

The source version, solutions included, goes to _build/source/<language>/<assignment>/; nbgrader makes the release version from it.
"""

import json
import multiprocessing
import os
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat

from autograder import assignment as assignments_
from autograder.exercise import notebook, package, recording
from autograder.exercise.nbgrader_course import EXERCISES, SOURCE, configure
from autograder.languages import LANGUAGES
from autograder.say import say


def release(assignments=None, languages=None, out=EXERCISES, source=SOURCE):
    """Make the release versions of assignments (all) in languages (those that have prose) under `out`; returns their folders.

    The same sources give the same bytes. Raises ValueError where there is no such assignment, language or prose, and
    bodies.Mismatch where prose and reference do not fit together.
    """
    each = [(name, languages, Path(out).resolve(), Path(source).resolve()) for name in assignments or assignments_.names()]
    if len(each) == 1:
        return _release_languages(*each[0])
    with ProcessPoolExecutor(min(len(each), os.cpu_count() or 1), multiprocessing.get_context("spawn")) as processes:  # a recording takes long
        return [folder for made in processes.map(_release_languages, *zip(*each)) for folder in made]


def _release_languages(name, languages, out, source):
    """The release versions of one assignment."""
    assignment = assignments_.load(name)
    recorded = recording.record(assignment)
    return [_release(assignment, language, recorded, out, source) for language in languages or written(assignment)]


def written(assignment):
    """The languages that have an assignment's prose."""
    return [language for language in LANGUAGES if notebook.prose(assignment, language).exists()]


def _release(assignment, language, recorded, out, source):
    if language not in LANGUAGES or not notebook.prose(assignment, language).exists():
        raise ValueError(f"there is no prose for {assignment.name} in {language!r}; there is: {', '.join(written(assignment))}")
    write_source(assignment, language, recorded, source / language / assignment.name)
    folder = out / language / assignment.name
    save_work(folder / f"{assignment.name}.ipynb")
    before = EXERCISES / language / assignment.name / "course" / "data.json"
    before = before.read_text(encoding="utf-8") if before.exists() else None
    shutil.rmtree(folder, ignore_errors=True)
    _generate(assignment.name, language, source, out)
    keep_record(before, folder / "course" / "data.json")
    return folder


def keep_record(before, path):
    """Write the former record again where the new one differs from it in its numbers' last digits alone."""
    if before is not None and same_record(before, path.read_text(encoding="utf-8")):
        path.write_text(before, encoding="utf-8")


def same_record(one, other):
    """Whether two texts of a data.json say the same."""
    try:
        return recording.agree(json.loads(one), json.loads(other))
    except (ValueError, KeyError, TypeError, AttributeError):  # one of them is of another form
        return False


def same_file(one, other):
    """Whether two released files have the same bytes or, for what check() compares with, say the same."""
    if one.name == "data.json" == other.name:
        return same_record(one.read_text(encoding="utf-8"), other.read_text(encoding="utf-8"))
    return one.read_bytes() == other.read_bytes()


def save_work(path):
    """Put a notebook that somebody has worked in beside its folder, which is about to be made anew; says where it is."""
    if path.exists() and is_worked_in(path):
        folder = path.parent.parent
        saved = next(place for n in range(1, 10_000) if not (place := folder / f"{path.stem}.saved-{n}.ipynb").exists())
        shutil.copy2(path, saved)
        say(f"{path} has been worked in; it is kept as {saved}")


def is_worked_in(path):
    """Whether a release notebook has been run or written in: a cell has been executed, or is no longer what nbgrader made."""
    from nbgrader.utils import compute_checksum, is_locked, is_solution  # slow to import

    try:
        cells = nbformat.read(path, as_version=4).cells
    except Exception:  # whatever it is, it is not what was made here
        return True
    changed = [cell for cell in cells if (is_solution(cell) or is_locked(cell)) and cell.metadata.nbgrader.get("checksum") != compute_checksum(cell)]
    return bool(changed) or any(cell.cell_type == "code" and (cell.execution_count or cell.outputs) for cell in cells)


def write_source(assignment, language, recorded, folder):
    """Write the source version, with solutions, into a folder, which then holds nothing else.

    Who reads it meanwhile finds every file whole: nbgrader does so whenever somebody grades.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as fresh:
        nbformat.write(notebook.build(assignment, language), Path(fresh) / f"{assignment.name}.ipynb")
        package.write(assignment, language, recorded, Path(fresh) / "course")
        take_over(Path(fresh), folder)


def take_over(fresh, folder):
    """Put the files of a folder in the place of another's, one by one; what else is in that one goes."""
    wanted = {path.relative_to(fresh) for path in fresh.rglob("*")}
    for name in sorted(wanted):
        if (fresh / name).is_dir():
            (folder / name).mkdir(exist_ok=True)
        else:
            (fresh / name).replace(folder / name)
    for path in [path for path in folder.rglob("*") if path.relative_to(folder) not in wanted]:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _generate(name, language, source, out):
    """nbgrader's own generate_assignment, without a gradebook: an instructor's is filled by their own call of it."""
    from nbgrader.converters import GenerateAssignment  # slow to import
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

    with tempfile.TemporaryDirectory() as root:
        config = Config()
        configure(config, language, source, out)
        config.CourseDirectory.root = root
        config.CourseDirectory.assignment_id = name
        config.GenerateAssignment.no_database = True
        config.SaveCells.enabled = False
        GenerateAssignment(coursedir=CourseDirectory(config=config), config=config).start()
