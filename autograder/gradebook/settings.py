"""nbgrader's settings for grading: isolated scores in place of executing students' notebooks."""


def configure(config):
    """Set in nbgrader's `config` which preprocessors `nbgrader autograde` runs."""
    config.Autograde.autograde_preprocessors = [
        "autograder.gradebook.IsolatedScores",
        "nbgrader.preprocessors.LimitOutput",
        "nbgrader.preprocessors.SaveAutoGrades",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    config.OverwriteCells.add_missing_cells = True  # a graded cell that a student has deleted comes back, and gets its points
