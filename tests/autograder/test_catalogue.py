"""The hidden tests are judged by the wrong solutions that they kill, and by the unusual right ones that they let live."""

import pytest

from autograder.assignment import load, names
from autograder.grade import Grader
from autograder.hidden.host import HiddenTests
from autograder.messages import message
from autograder.release import written

WRONG = [(name, wrong) for name in names() for wrong in load(name).wrong]
QUICK = "single-head"
RIGHT = [(name, right) for name in names() for right in load(name).right]


@pytest.fixture(scope="module")
def graders(needs_sandbox):
    opened = {name: Grader(load(name), "a secret of the tests").__enter__() for name in names()}
    yield opened
    for grader in opened.values():
        grader.__exit__(None, None, None)


@pytest.mark.parametrize("assignment, misconception", WRONG)
def test_wrong_solution_is_caught_by_its_test_with_its_message(graders, assignment, misconception, monkeypatch):
    """Of single-head all tests run on each; of the others the meant one alone, and `python -m autograder verify` runs them all."""
    grader, variant = graders[assignment], load(assignment).wrong[misconception]
    meant = [test for test in grader.hidden.tests if misconception in test.catches]
    assert len(meant) == 1, f"{misconception} has to be named by exactly one test's @catches"
    if assignment != QUICK:
        monkeypatch.setattr(grader.hidden, "tests", meant)
    result = grader.grade("wrong", variant.source.encode(), "wrong.py", seed=1, language="en")
    entry = next(test for test in result["tests"] if test["id"] == meant[0].id)
    assert entry["status"] in ("failed", "error", "timeout") and entry["points"] == 0
    assert entry["misconception"] == misconception
    assert variant.explanation in entry["message"]
    assert assignment != QUICK or 0 < result["score"] < result["max_score"], "one mistake costs something, and not everything"


@pytest.mark.parametrize("assignment, name", RIGHT)
def test_unusual_right_solution_gets_full_points(graders, assignment, name):
    for seed in (1, 2, 3) if assignment == QUICK else (1,):
        result = graders[assignment].grade("right", load(assignment).right[name].source.encode(), "right.py", seed=seed)
        assert [test["message"] for test in result["tests"] if test["status"] not in ("passed", "deferred")] == []


@pytest.mark.parametrize("assignment", names())
def test_the_reference_gets_full_points_on_many_draws(graders, assignment):
    for seed in range(8 if assignment == QUICK else 2):
        result = graders[assignment].grade("reference", load(assignment).solution_source.encode(), "reference.py", seed=seed)
        assert [test["message"] for test in result["tests"] if test["status"] not in ("passed", "deferred")] == []
        assert result["score"] == result["max_score"] - sum(test["max_points"] for test in result["tests"] if test["status"] == "deferred")


@pytest.mark.parametrize("assignment", names())
def test_points_of_the_tests_are_those_of_the_parts(assignment):
    with HiddenTests(load(assignment)) as hidden:
        sums = {part: sum(test.points for test in hidden.tests if test.part == part) for part in load(assignment).parts}
    assert sums == pytest.approx(load(assignment).points)


@pytest.mark.parametrize("assignment", names())
def test_catalogue_is_large_enough_and_whole(assignment):
    loaded = load(assignment)
    with HiddenTests(loaded) as hidden:
        caught = [name for test in hidden.tests for name in test.catches]
    assert sorted(caught) == sorted(loaded.wrong), "each wrong solution has its test, and each name in @catches its wrong solution"
    assert len(loaded.wrong) >= 10 and len(loaded.right) >= 3


@pytest.mark.parametrize("assignment, misconception", WRONG)
def test_every_explanation_is_in_every_language_that_has_the_exercise(assignment, misconception):
    explanation = load(assignment).wrong[misconception].explanation
    assert explanation
    said = {language: message(explanation).say(language) for language in written(load(assignment))}
    assert len(set(said.values())) == len(said), said
