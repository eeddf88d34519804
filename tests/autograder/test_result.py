"""A result in its published form, written whole or not at all, and repeatable."""

import hashlib
import json
import os

import pytest

from autograder import results
from autograder.messages import message
from tests.autograder.conftest import by_id

FIELDS = {"schema", "assignment", "student", "submission_sha256", "language", "device", "seed", "score", "max_score", "duration_s", "peak_memory_bytes", "note", "flags", "tests"}


def test_the_published_form(grade, single_head):
    result = grade(single_head.solution_source, seed=5)
    assert set(result) >= FIELDS and result["schema"] == 1 and result["seed"] == 5 and result["note"] is None
    assert result["submission_sha256"] == hashlib.sha256(single_head.solution_source.encode()).hexdigest()
    assert result["score"] == result["max_score"] == 10.0 and result["duration_s"] > 0 and result["peak_memory_bytes"] > 1 << 20
    for test in result["tests"]:
        assert set(test) >= {"id", "status", "points", "max_points", "misconception", "message"}
        assert test["id"].startswith("single-head.") and test["status"] == "passed" and test["misconception"] is None


def test_the_same_seed_gives_the_same_result(grade, single_head):
    wrong = single_head.wrong["no-scale"].source
    first, second, other = (grade(wrong, seed=seed)["tests"] for seed in (7, 7, 8))
    assert first == second != other


def test_without_a_seed_the_inputs_are_new_each_time(grade, single_head):
    wrong = single_head.wrong["no-scale"].source
    assert grade(wrong)["seed"] != grade(wrong)["seed"]


def test_inputs_depend_on_the_secret(needs_sandbox, grade, single_head):
    from autograder.grade import Grader

    wrong = single_head.wrong["no-scale"].source
    with Grader(single_head, "another secret") as other:
        assert other.grade("student", wrong.encode(), "student.py", seed=7)["tests"] != grade(wrong, seed=7)["tests"]


def test_a_stub_gets_nothing(grade):
    stub = "\n".join(f"def {name}(*args, **kwargs):\n    raise NotImplementedError()" for name in ("softmax", "attention", "causal_mask", "padding_mask"))
    result = grade(stub)
    assert result["score"] == 0 and {test["status"] for test in result["tests"]} <= {"error", "failed"}
    assert "not written yet" in by_id(result)["softmax-rows"]["message"]


def test_a_function_that_calls_an_unwritten_one_is_not_called_unwritten(grade, single_head):
    result = grade(single_head.solution_source + "\n\ndef softmax(x, axis=-1):\n    raise NotImplementedError()", language="en")
    assert "`attention` calls `softmax`, which is not written yet." in by_id(result)["attention-rows"]["message"]
    assert "`softmax` is not written yet." in by_id(result)["softmax-rows"]["message"]


def test_a_mistake_that_one_test_names_is_named_where_else_it_shows(grade, single_head):
    entries = by_id(grade(single_head.wrong["softmax-over-queries"].source, language="en"))
    explanation = single_head.wrong["softmax-over-queries"].explanation
    failed = [name for name, entry in entries.items() if entry["status"] == "failed"]
    assert len(failed) >= 5 and all(entries[name]["misconception"] == "softmax-over-queries" for name in failed)
    assert all(explanation in entries[name]["message"] for name in failed)


@pytest.mark.parametrize("body", ["return None", "return 0", "return x", "return x, x", "raise TypeError", "raise ValueError(' '.join(map(str, range(-20, 20))))", "return [x] * 3"])
def test_cheap_answers_get_nothing(grade, body):
    source = f"def softmax(x, *args, **kwargs):\n    {body}\nattention = padding_mask = causal_mask = softmax"
    assert grade(source)["score"] == 0


ENDS = """
import mmap, os, threading, time
called = mmap.mmap(-1, 1)  # shared with the processes of the tests
def end():
    while not called[0]:
        time.sleep(0.001)
    os._exit(1)
threading.Thread(target=end, daemon=True).start()
def softmax(x, axis=-1):
    called[0] = 1
    time.sleep(60)
"""


def test_a_process_that_is_lost_again_and_again_is_no_lack_of_time(grade, single_head):
    result = grade(single_head.solution_source + ENDS, language="en")  # it ends whenever softmax is called
    assert result["score"] < 10
    assert {test["message"].splitlines()[1] for test in result["tests"] if test["status"] == "error"} == {
        "The Python process ended, or used more than it may, while your code ran."}
    assert "timeout" not in {test["status"] for test in result["tests"]}


def test_an_unreadable_submission_gets_a_whole_result(grader):
    result = grader.grade("x", b"{", "x.ipynb")
    assert result["score"] == 0 and result["max_score"] == 10.0 and {test["status"] for test in result["tests"]} == {"error"}
    assert "JSON" in result["note"] and result["submission_sha256"] == hashlib.sha256(b"{").hexdigest()
    result = grader.grade("x", None, "", note=message("There is nothing."))
    assert result["note"] == "There is nothing." and result["submission_sha256"] is None


@pytest.mark.parametrize("language", ["en", "sv", "zh-CN", "ru"])
def test_feedback_is_in_the_students_language(grade, single_head, language):
    variant = single_head.wrong["no-scale"]
    text = by_id(grade(variant.source, language=language, seed=1))["attention-scale"]["message"]
    assert message(variant.explanation).say(language) in text and text.count("\n") == 2


def test_a_students_exception_is_quoted_and_cut(grade):
    source = "def softmax(x, axis=-1):\n    raise RuntimeError('\\x1b[31m' + 'boo' * 10_000 + '\\u202e')"
    text = by_id(grade(source))["softmax-rows"]["message"]
    assert "RuntimeError" in text and len(text) <= 2000 and "\x1b" not in text and "\u202e" not in text


def test_results_are_written_whole(tmp_path, monkeypatch):
    result = {"student": "a/../b", "assignment": "gqa", "score": 1}
    path = results.write(tmp_path, result)
    assert path.parent.parent == tmp_path and json.loads(path.read_text()) == result

    def broken(*args):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError):
        results.write(tmp_path, result | {"score": 2})
    assert json.loads(path.read_text()) == result and [p.name for p in path.parent.iterdir()] == [path.name]
