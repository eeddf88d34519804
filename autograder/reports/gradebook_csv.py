"""Scores as CSV, with the columns that `nbgrader export` writes."""

import csv
import io
import unicodedata

COLUMNS = ("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
           "raw_score", "late_submission_penalty", "score", "max_score")
FORMULA = "=+-@|%"  # what spreadsheets take for the beginning of a formula or a command


def render(class_results):
    """The CSV as text. What only a gradebook knows (names, dates, penalties) stays empty or 0, as nbgrader leaves it."""
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for result in class_results.results:
        writer.writerow({
            "assignment": class_results.assignment,
            "student_id": harmless(result.name),
            "raw_score": result.score,
            "late_submission_penalty": 0.0,
            "score": result.score,
            "max_score": result.max_score,
        })
    return file.getvalue()


def harmless(text):
    """A text that no spreadsheet computes: one that would begin a formula gets an apostrophe before it."""
    begin = unicodedata.normalize("NFKC", text).lstrip()[:1]  # ＝ of East Asian keyboards begins a formula too
    return "'" + text if begin and begin in FORMULA else text
