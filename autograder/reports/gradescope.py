"""Results in the form that Gradescope reads from an autograder: FOLDER/<student>/results.json.

The fields are those of https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

import json

VISIBILITY = "after_published"  # students see their tests when the instructor publishes the grades


def render(class_results):
    """(student, the text of results.json) for each student."""
    for result in class_results.results:
        yield result.student, json.dumps(record(result), ensure_ascii=False, indent=1) + "\n"


def record(result):
    """One student's results.json. Flags are for instructors alone: they are kept with the data, and shown nowhere."""
    return {
        "score": result.score,
        "execution_time": round(result.duration_s, 3),
        "output": result.note or "",
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": VISIBILITY,
        "stdout_visibility": "hidden",
        "tests": [_test(test) for test in result.tests],
        "extra_data": {
            "student": result.name,
            "max_score": result.max_score,
            "submission_sha256": result.sha256,
            "peak_memory_bytes": int(result.peak_memory_bytes),
            "flags": [{"kind": kind, "evidence": evidence} for kind, evidence in result.flags],
        },
    }


def _test(test):
    tags = [tag for tag in (test.part, test.misconception, "deferred" if test.status == "deferred" else None) if tag]
    return {
        "name": f"{test.id} (deferred)" if test.status == "deferred" else test.id,
        "score": test.points,
        "max_score": test.max_points,
        "status": "passed" if test.status == "passed" else "failed",
        "output": test.message,
        "visibility": VISIBILITY,
        "tags": tags,
    }
