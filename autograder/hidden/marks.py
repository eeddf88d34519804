"""The marks that a hidden test carries."""

import pytest


def points(number, part):
    """What the test is worth, and the part of the exercise that it belongs to."""
    return pytest.mark.points(number, part=part)


def memory(n_bytes):
    """The test's functions run in a process that may take no more than so many bytes beyond what it has when the notebook has been loaded."""
    return pytest.mark.memory(n_bytes)


def compiled(function):
    """The test's functions run where Triton compiles kernels instead of interpreting them."""
    return pytest.mark.compiled(function)


cuda = pytest.mark.cuda  # the test runs on a GPU, through the fixture `gpu`; where there is none it is deferred


def catches(*misconceptions):
    """The wrong solutions of the catalogue that this test, before all others, is there to catch."""
    return pytest.mark.catches(*misconceptions)
