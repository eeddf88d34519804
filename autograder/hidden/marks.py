"""The marks that a hidden test carries."""

import pytest


def points(number, part):
    """What the test is worth, and the part of the exercise that it belongs to."""
    return pytest.mark.points(number, part=part)


def catches(*misconceptions):
    """The wrong solutions of the catalogue that this test, before all others, is there to catch."""
    return pytest.mark.catches(*misconceptions)
