"""Hidden tests: pytest tests that reach the student's functions through a fixture, and say what is wrong and why.

What a file of hidden tests imports:
    points(1.0, part="softmax")   how much a test is worth, and to which part of the exercise it belongs
    catches("no-scale", …)        the misconceptions that the test is there to find
    expect, fails                 judging a result against a reference, and an error that has to come
"""

from autograder.hidden.judge import Wrong, expect, expect_unchanged, fails
from autograder.hidden.marks import catches, points

__all__ = ["Wrong", "catches", "expect", "expect_unchanged", "fails", "points"]
