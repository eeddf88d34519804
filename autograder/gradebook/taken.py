"""Which result the gradebook has taken, as the autograded notebook says it, and why it is to take another."""

import hashlib
import json
from pathlib import Path

from autograder import assignment as assignments
from autograder import batch
from autograder.languages import DEFAULT
from autograder.notebook import course_of

ENTRY = "taken"  # in the notebook's metadata, under `course`


def entry(result):
    """What the notebook's metadata keep of a result."""
    return {"submission_sha256": result["submission_sha256"], "assignment_version": result["assignment_version"], "result": _fingerprint(result)}


def _fingerprint(result):
    """What changes where the points or the page would."""
    shown = {name: result[name] for name in ("language", "note", "tests")}
    return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()


def outdated(notebook, task, settings, out):
    """Why the gradebook is to take another result, in words; None where it has the one that is due.

    notebook: the path of the autograded one; task: what the student has submitted; settings, out: of the results, as for batch.current_result.
    """
    course = _course_in(notebook)
    taken = course.get(ENTRY)
    if not isinstance(taken, dict):
        return "nothing says which result the gradebook has"
    if taken.get("submission_sha256") != batch.digest(task):
        return "the submission has changed since it was graded"
    if task.data is None:
        language = settings.language or DEFAULT
        return None if course.get("note") == task.note.say(language) else "the submission has changed since it was graded"
    if taken.get("assignment_version") != assignments.load(settings.assignment).version:
        return "the exercise has changed since it was graded"
    current = batch.current_result(out, task, settings)
    if current is not None and _fingerprint(current) != taken.get("result"):
        return "there is a newer result"
    return None


def _course_in(path):
    """The course's own metadata of the notebook in a file; empty where it has none."""
    try:
        return course_of(json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}
