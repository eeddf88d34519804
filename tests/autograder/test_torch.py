"""What PyTorch exercises need: classes and objects, gradients, streams with a bounded state, bounds on memory, and attention of one's own."""

import dataclasses
from pathlib import Path

import pytest

from autograder.assignment import read
from autograder.grade import Grader
from tests.autograder.conftest import by_id

TOY = Path(__file__).parent / "toy"
ASSIGNMENT = dataclasses.replace(read(TOY), solution=str(TOY / "solution.py"))
WRONG = sorted(ASSIGNMENT.wrong)

ROUTES = {
    "F.scaled_dot_product_attention": "return torch.nn.functional.scaled_dot_product_attention(q, k, v)",
    "the built-in behind it": "return torch._C._nn.scaled_dot_product_attention(q, k, v)",
    "the operator": "return torch.ops.aten.scaled_dot_product_attention(q, k, v)",
    "its mathematical form": "return torch.ops.aten._scaled_dot_product_attention_math(q, k, v)[0]",
    "a reference taken before": "return kept(q, k, v)",
    "MultiheadAttention": "m = nn.MultiheadAttention(8, 1, bias=False, dtype=q.dtype)\n    return m(q, k, v)[0]",
    "multi_head_attention_forward": "e = torch.eye(8, dtype=q.dtype)\n    return mha(q, k, v, 8, 1, torch.cat([e] * 3), None, None, None, False, 0.0, e, None)[0]",
    "flex_attention": "from torch.nn.attention.flex_attention import flex_attention\n    return flex_attention(q[:, None], k[:, None], v[:, None])[:, 0]",
    "an encoder layer": "return nn.TransformerEncoderLayer(8, 1, dtype=q.dtype).eval()(q)",
    "vmap": "return torch.func.vmap(kept)(q, k, v)",
    "own registration": "torch.library.Library('aten', 'IMPL').impl('scaled_dot_product_attention', first_try, 'CPU')\n    return kept(q, k, v)",
    "caught and hidden": "try:\n        return kept(q, k, v)\n    except BaseException:\n        return first_try(q, k, v)",
}


@pytest.fixture(scope="module")
def toy(needs_sandbox):
    with Grader(ASSIGNMENT, "a secret of the tests") as grader:
        yield grader


def grade(toy, source, **keywords):
    return toy.grade("student", source.encode("utf-8"), "student.py", language="en", **keywords)


def test_the_reference_gets_full_points(toy):
    for seed in range(3):
        result = grade(toy, ASSIGNMENT.solution_source, seed=seed)
        assert result["score"] == result["max_score"] == 9.0, [test["message"] for test in result["tests"] if test["status"] != "passed"]
        assert result["flags"] == []


@pytest.mark.parametrize("name", WRONG)
def test_wrong_solutions_are_caught_and_named(toy, name):
    result = grade(toy, ASSIGNMENT.wrong[name].source)
    meant = next(test.id for test in toy.hidden.tests if name in test.catches)
    entry = next(test for test in result["tests"] if test["id"] == meant)
    assert entry["status"] in ("failed", "error"), entry
    parts = {test["part"] for test in result["tests"] if test["status"] != "passed"}
    assert parts == {entry["part"]}
    if name != "whole-matrix":  # right numbers, too much memory: nothing to tell it by but the bound
        assert entry["misconception"] == name and ASSIGNMENT.wrong[name].explanation in entry["message"]


@pytest.mark.parametrize("route", ROUTES)
def test_library_attention_is_noticed_flagged_and_worth_nothing(toy, route):
    source = ASSIGNMENT.solution_source + f"""

kept = torch.nn.functional.scaled_dot_product_attention
mha = torch.nn.functional.multi_head_attention_forward
first_try = attention


def attention(q, k, v):
    {ROUTES[route]}
"""
    result = grade(toy, source)
    entry = by_id(result)["attention-values"]
    assert entry["status"] == "failed" and entry["points"] == 0 and "asks for attention of your own" in entry["message"]
    assert [flag["kind"] for flag in result["flags"]] and "was called in toy.attention" in result["flags"][0]["evidence"]
    assert by_id(result)["cache"]["status"] == by_id(result)["fold"]["status"] == "passed"


def test_comparing_with_the_library_in_a_scratch_cell_is_no_offence(toy):
    scratch = "\nx = torch.ones(1, 3, 8)\nprint(attention(x, x, x) - torch.nn.functional.scaled_dot_product_attention(x, x, x))\n"
    result = grade(toy, ASSIGNMENT.solution_source + scratch)
    assert result["score"] == 9.0 and result["flags"] == []


def test_unwritten_classes_say_so(toy):
    result = grade(toy, "class Layer:\n    def __init__(self, *args):\n        raise NotImplementedError()")
    assert "not written yet" in by_id(result)["layer"]["message"] and "`Cache` is not defined" in by_id(result)["cache"]["message"]
    assert result["score"] == 0


def test_a_watch_that_was_switched_off_leaves_the_hint_of_the_source(toy):
    source = ASSIGNMENT.solution_source + """

import own_work
own_work.close = lambda: None


def attention(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)
"""
    flags = grade(toy, source)["flags"]
    assert {flag["kind"] for flag in flags} == {"library-attention-source"}
    line = source.splitlines().index("    return torch.nn.functional.scaled_dot_product_attention(q, k, v)") + 1
    assert f"scaled_dot_product_attention is named in line {line}" in [flag["evidence"] for flag in flags]
