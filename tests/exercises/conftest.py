"""What the tests of the exercises share: release versions, the `course` packages in them, and students' namespaces."""

import nbformat
import pytest

from autograder import assignment
from autograder.exercise import notebook
from autograder.exercise.nbgrader_course import EXERCISES
from autograder.languages import LANGUAGES
from autograder.release import release, written
from autograder.verify import course_in

ASSIGNMENTS = assignment.names()


@pytest.fixture(scope="session")
def regenerated(tmp_path_factory):
    """A folder with all release versions, made anew from the sources; beside it, in source/, the source versions."""
    folder = tmp_path_factory.mktemp("release")
    release(out=folder / "exercises", source=folder / "source")
    return folder / "exercises"


def pytest_generate_tests(metafunc):
    """`exercise` and `language` are all there are; together, all languages that each exercise is written in. A module may name those it is about: ONLY."""
    wanted = [name for name in ("exercise", "language") if name in metafunc.fixturenames]
    names = getattr(metafunc.module, "ONLY", ASSIGNMENTS)
    if len(wanted) == 2:
        metafunc.parametrize(wanted, [(name, code) for name in names for code in written(assignment.load(name))], indirect=True)
    elif wanted:
        metafunc.parametrize(wanted[0], names if wanted == ["exercise"] else LANGUAGES, indirect=True)


@pytest.fixture
def language(request):
    return request.param


@pytest.fixture
def exercise(request):
    """An assignment."""
    return assignment.load(request.param)


@pytest.fixture
def released(exercise, language):
    """The folder of a committed release version."""
    folder = EXERCISES / language / exercise.name
    assert folder.is_dir(), f"there is no exercise {exercise.name} in {language}: run `python -m autograder release`"
    return folder


@pytest.fixture
def notebook_of(released, exercise):
    """The committed release notebook."""
    return nbformat.read(released / f"{exercise.name}.ipynb", 4)


@pytest.fixture
def solved(exercise, language):
    """The source of each cell with its solution, {cell id: source}."""
    return {cell.id: cell.source for cell in notebook.build(exercise, language).cells}


def parts_of(variant):
    """The parts whose functions a variant writes itself, in the notebook's order."""
    return [part for part in variant.assignment.parts if f"\ndef {part}(" in variant.override or f"\nclass {part}(" in variant.override]


@pytest.fixture
def english():
    """check() of the English single-head."""
    return course_in(EXERCISES / "en" / "single-head").check


@pytest.fixture
def single_head():
    """A namespace with the right functions of single-head, to be spoilt."""
    return assignment.load("single-head").namespace()
