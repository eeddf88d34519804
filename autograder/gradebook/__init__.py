"""nbgrader's side: a preprocessor that stands in for Execute, and the settings that put it there."""

from autograder.gradebook.isolated_scores import IsolatedScores

__all__ = ["IsolatedScores"]
