"""`python -m autograder verify`: whether an assignment is fit to be handed out and graded. Each check gives a list of what is wrong."""

import contextlib
import importlib.util
import io
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from autograder import assignment as assignments
from autograder.exercise.nbgrader_course import EXERCISES
from autograder.grade import Grader
from autograder.languages import DEFAULT, LANGUAGES
from autograder.messages import message
from autograder.release import release, same_file, written

SEEDS = range(3)
CATALOGUE = "each wrong solution says what the student is told, and each name in @catches is that of one"


@dataclass(frozen=True)
class Caught:
    """A wrong solution's row in the table: the test that is there for it, what it has lost there and in all."""

    name: str
    test: str
    explanation: str
    lost: float
    problem: str | None


def verify(name, sandbox="bubblewrap"):
    """{what is checked: [what is wrong with it]} of an assignment, and the table of its wrong solutions."""
    loaded = assignments.load(name)
    try:
        wrong = loaded.wrong
    except assignments.Unusable as error:  # nothing can be made of the assignment, or graded
        return {CATALOGUE: str(error).splitlines()}, []
    with Grader(loaded, "a secret that nobody needs to know", sandbox) as grader:
        table = [caught(grader, variant) for variant in wrong.values()]
        found = {
            CATALOGUE: unnamed(grader.hidden.tests, loaded),
            "the reference solution gets full points": full_points(grader, {"reference": loaded.solution_source}),
            "the unusual right solutions get full points": full_points(grader, {one.name: one.source for one in loaded.right.values()}),
            "each wrong solution is caught by its test, with its explanation": [f"{row.name}: {row.problem}" for row in table if row.problem],
            "an untouched notebook gets no points": untouched(grader, loaded),
        }
    found["the reference solution passes the student's own checks"] = own_checks(loaded)
    found["the exercises are those that the sources make"] = stale(loaded)
    found["nothing that students get gives a solution away"] = leaks(loaded)
    found["every explanation is there in every language that has the exercise"] = untranslated(loaded)
    return found, table


def unnamed(tests, loaded):
    """Which names in @catches are no wrong solution's."""
    return [f"{name}: {test.id} names it in @catches, and there is no {assignments.shown(loaded.folder / 'wrong' / name)}.py"
            for test in tests for name in test.catches if name not in loaded.wrong]


def full_points(grader, sources):
    """Which of the sources lose points, and at which tests."""
    problems = []
    for name, source in sources.items():
        for seed in SEEDS:
            result = grader.grade(name, source.encode("utf-8"), "solution.py", seed=seed)
            problems += [f"{name}, seed {seed}: {test['id']}: {test['message']}" for test in result["tests"] if test["status"] not in ("passed", "deferred")]
    return problems


def caught(grader, variant):
    """What happens to a wrong solution."""
    meant = [test for test in grader.hidden.tests if variant.name in test.catches]
    if len(meant) != 1:
        return Caught(variant.name, "—", variant.explanation, 0.0, misplaced(variant, meant))
    result = grader.grade(variant.name, variant.source.encode("utf-8"), "wrong.py", language="en")
    entry = next(test for test in result["tests"] if test["id"] == meant[0].id)
    problem = None
    if entry["status"] == "passed":
        problem = f"it passes {meant[0].id}"
    elif entry["misconception"] != variant.name:
        problem = f"at {meant[0].id} it is taken for {entry['misconception'] or 'nothing known'}"
    elif variant.explanation not in entry["message"]:
        problem = f"at {meant[0].id} the explanation is missing from the message"
    return Caught(variant.name, meant[0].id, variant.explanation, result["max_score"] - result["score"], problem)


def misplaced(variant, meant):
    """What to do about a wrong solution that is not named in the @catches of one test alone. meant: the tests that name it."""
    path = assignments.shown(variant.assignment.hidden_tests)
    if not meant:
        return (f'no test in {path} is there to catch it: write @catches("{variant.name}") above the one that has to, '
                "or put the name into its @catches")
    return f"{len(meant)} tests in {path} name it in @catches, and one has to: {', '.join(test.item.name for test in meant)}"


def untouched(grader, loaded):
    """In which languages the notebook gets points as it is handed out."""
    problems = [] if DEFAULT in written(loaded) else [f"there is no solutions/{DEFAULT}/{loaded.name}.md"]
    for language in written(loaded):
        path = EXERCISES / language / loaded.name / f"{loaded.name}.ipynb"
        if not path.exists():
            problems.append(f"there is no {path.relative_to(assignments.ROOT)}")
            continue
        result = grader.grade("untouched", path.read_bytes(), path.name)
        if result["score"] != 0:
            problems.append(f"{language}: {result['score']:g} points")
    return problems


def own_checks(loaded):
    """In which languages the reference solution does not pass check()."""
    problems = []
    for folder in released(loaded):
        with contextlib.redirect_stdout(io.StringIO()):
            checked = course_in(folder).check(namespace=loaded.namespace())
        if not checked.passed:
            problems.append(folder.parent.name)
    return problems


def course_in(folder):
    """The `course` package of an exercise, under a name of its own, so that those of several languages can be used at once."""
    name = "course_of_" + "_".join(folder.parts[-2:]).replace("-", "_")
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, folder / "course" / "__init__.py", submodule_search_locations=[str(folder / "course")])
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def released(loaded):
    """The folders of the exercise, one a language."""
    return [folder for language in LANGUAGES if (folder := EXERCISES / language / loaded.name).is_dir()]


def stale(loaded):
    """Which files of the exercises differ from those that the sources make now."""
    problems = []
    with tempfile.TemporaryDirectory() as place:
        try:
            made = release([loaded.name], out=Path(place) / "exercises", source=Path(place) / "source")
        except assignments.Unusable as error:
            return [f"they cannot be made: {error}"]
        for fresh in made:
            committed = EXERCISES / fresh.parent.name / loaded.name
            names = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
            changed = [name for name in sorted(names) if not (committed / name).exists() or not same_file(fresh / name, committed / name)]
            remedy = f"python -m autograder release {loaded.name}"
            problems += [f"{fresh.parent.name}/{loaded.name}/{name} is out of date: {remedy}" for name in changed]
    return problems


def leaks(loaded):
    """Where the files that students get hold a line of the solution's functions, a hidden test's name or the words around a solution."""
    given_away = {f"def {test}(" for test in hidden_names(loaded)} | {"BEGIN SOLUTION", "END SOLUTION", "BEGIN HIDDEN TESTS"}
    problems = []
    for folder in released(loaded):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".json", ".ipynb") and "__pycache__" not in path.parts:
                text = text_of(path)
                problems += [f"{path.relative_to(EXERCISES)}: {words}" for words in sorted(given_away) if words in text]
    return problems


def text_of(path):
    """A file's text; of a notebook, its cells' sources."""
    text = path.read_text(encoding="utf-8")
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"]) if path.suffix == ".ipynb" else text


def hidden_names(loaded):
    """The names of the hidden tests' functions."""
    source = loaded.hidden_tests.read_text(encoding="utf-8")
    return {line.split("(")[0].removeprefix("def ") for line in source.splitlines() if line.startswith("def test_")}


def untranslated(loaded):
    """Which explanations fall back to English, in languages that have the exercise."""
    return [f"{variant.name}: {language}" for variant in loaded.wrong.values() for language in written(loaded)
            if language != DEFAULT and message(variant.explanation).say(language) == variant.explanation]


def table_of(rows):
    """The wrong solutions as a Markdown table."""
    lines = ["| wrong solution | caught by | points lost | what the student is told |", "|---|---|---:|---|"]
    lines += [f"| `{row.name}` | `{row.test.split('.')[-1]}` | {row.lost:g} | {row.explanation.replace('|', chr(92) + '|')} |" for row in rows]
    return "\n".join(lines)
