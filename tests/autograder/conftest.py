"""A grader of single-head that many tests share: its sandbox takes a second to start."""

import pytest

from autograder.assignment import load
from autograder.grade import Grader

collect_ignore = ["toy", "toy-gpu"]  # hidden tests, which run for a student only


@pytest.fixture(scope="session")
def single_head():
    return load("single-head")


@pytest.fixture(scope="session")
def grader(needs_sandbox, single_head):
    with Grader(single_head, secret="a secret of the tests") as grader:
        yield grader


@pytest.fixture
def grade(grader):
    """grade(source) gives the result of a .py submission."""
    return lambda source, **keywords: grader.grade("student", source.encode("utf-8"), "student.py", **keywords)


def by_id(result):
    """{test id without the assignment: its entry}."""
    return {test["id"].split(".")[1]: test for test in result["tests"]}
