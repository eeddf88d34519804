"""nbgrader's side: scores of the isolated run in its gradebook, clean notebooks for its pages, and the settings that put them there."""

from autograder.gradebook.isolated_scores import IsolatedScores

__all__ = ["IsolatedScores"]
