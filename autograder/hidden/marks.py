"""The marks that a hidden test carries."""

import pytest


def points(number, part):
    """What the test is worth, and the part of the exercise that it belongs to."""
    return pytest.mark.points(number, part=part)


def memory(n_bytes):
    """The test's functions run in a process that may take no more than so many bytes beyond what Python and its libraries take."""
    return pytest.mark.memory(n_bytes)


def catches(*misconceptions):
    """The wrong solutions of the catalogue that this test, before all others, is there to catch."""
    return pytest.mark.catches(*misconceptions)
