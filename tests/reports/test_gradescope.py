"""results.json with the fields, and no others, that Gradescope documents."""

import json

from autograder.reports import gradescope
from tests.reports.conftest import HOSTILE, PAYLOAD, put, read, record

TOP = {"score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility", "stdout_visibility",
       "extra_data", "tests", "leaderboard"}
TEST = {"score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags", "visibility", "extra_data"}
VISIBILITIES = {"hidden", "after_due_date", "after_published", "visible"}


def records(folder):
    found = {student: json.loads(text) for student, text in gradescope.render(read(folder))}
    for one in found.values():
        assert set(one) <= TOP and one["output_format"] == one["test_output_format"] == one["test_name_format"] == "text"
        assert {one["visibility"], one["stdout_visibility"]} <= VISIBILITIES
        for test in one["tests"]:
            assert set(test) <= TEST and test["status"] in ("passed", "failed") and test["visibility"] in VISIBILITIES
            assert isinstance(test["output"], str) and all(isinstance(tag, str) for tag in test["tags"])
            assert 0 <= test["score"] <= test["max_score"]
    return found


def test_a_small_class(small):
    found = records(small)
    assert list(found) == ["anna", "Björn", "zoe", "李雷"]
    bjorn = found["Björn"]
    assert bjorn["score"] == 8.5 == sum(test["score"] for test in bjorn["tests"])
    assert sum(test["max_score"] for test in bjorn["tests"]) == 10.0
    assert bjorn["execution_time"] == 7.25 and bjorn["output"] == "" and found["zoe"]["output"] == "It is no valid JSON."
    assert bjorn["extra_data"]["flags"] == [{"kind": "library-attention", "evidence": "F.scaled_dot_product_attention in cell 4"}]
    assert "library-attention" not in json.dumps({**bjorn, "extra_data": None})  # no student sees a flag


def test_one_test_exactly(tmp_path):
    put(tmp_path, record("a", {"attention-scale": ("failed", "no-scale"), "causal-square": ("deferred", None)}))
    tests = {test["name"]: test for test in records(tmp_path)["a"]["tests"]}
    assert tests["single-head.attention-scale"] == {
        "name": "single-head.attention-scale", "score": 0.0, "max_score": 0.5, "status": "failed", "visibility": "after_published",
        "output": "The scores are divided by √d_head, before the softmax.\nNo.\nBecause.", "tags": ["attention", "no-scale"]}
    assert tests["single-head.causal-square (deferred)"]["tags"] == ["causal", "deferred"]
    assert tests["single-head.softmax-rows"]["status"] == "passed"


def test_hostile(hostile):
    found = records(hostile)
    assert set(found) == set(HOSTILE)
    assert all(one["tests"][0]["output"].startswith(PAYLOAD[:30]) for one in found.values())
    for _, text in gradescope.render(read(hostile)):
        text.encode("utf-8")
