"""check() in English: the right solution passes, every wrong one is told why, and nothing a student writes stops it."""

import numpy as np
import pytest

from autograder import assignment
from autograder.exercise import recording
from autograder.learner import running
from autograder.learner.stage import Stage
from autograder.verify import course_in

from .conftest import EXERCISES, parts_of

CATALOGUE = [(name, wrong) for name in assignment.names() for wrong in assignment.load(name).wrong]


def test_the_reference_passes(exercise, capsys):
    result = course_in(EXERCISES / "en" / exercise.name).check(namespace=exercise.namespace())
    assert result.passed
    assert "✗" not in capsys.readouterr().out


def test_unusual_right_solutions_pass(exercise):
    check = course_in(EXERCISES / "en" / exercise.name).check
    assert [name for name, variant in exercise.right.items() if not check(namespace=variant.namespace()).passed] == []


@pytest.mark.parametrize(("name", "wrong"), CATALOGUE)
def test_a_wrong_solution_gets_its_own_explanation(name, wrong):
    variant = assignment.load(name).wrong[wrong]
    check = course_in(EXERCISES / "en" / name).check
    parts = parts_of(variant)
    result = check(parts[0], variant.namespace())
    assert not result.passed
    assert result.reports[0].reasons == [variant.explanation]


def test_every_public_check_but_the_listed_finds_a_wrong_solution():
    """Those that find none stand for rules that no wrong solution of the catalogue breaks, or come before the ones that do."""
    idle = {"widths_disagree", "counts_disagree", "mask_does_not_fit"}
    recorded = recording.record(assignment.load("single-head"))
    assert {name for name, entry in recorded["stages"].items() if not entry["mistakes"]} == idle


def test_a_stub_is_not_written_yet(english, capsys):
    def softmax(x, axis=-1):
        raise NotImplementedError

    result = english("softmax", {"softmax": softmax})
    assert not result.passed
    assert "`softmax` is not written yet" in capsys.readouterr().out


def test_a_missing_name_says_to_run_the_cell(english, capsys):
    english("softmax", {})
    assert "no `softmax`" in capsys.readouterr().out


def test_an_unknown_part_is_answered(english, capsys):
    assert not english("hardmax", {}).passed
    assert "`softmax`, `attention`" in capsys.readouterr().out


def test_functions_are_found_where_check_is_called(english):
    namespace = {**assignment.load("single-head").namespace(), "check": english}
    exec("passed = check('softmax').passed", namespace)
    assert namespace["passed"]


def test_the_result_is_quiet(english, single_head):
    assert repr(english("softmax", single_head)) == "<check: passed>"


def fails(*_, **__):
    raise KeyError("no such thing")


def ends(*_, **__):
    raise SystemExit(3)


def recurses(*_, **__):
    return recurses()


class Hostile(Exception):
    def __str__(self):
        raise RuntimeError("no text")


def hostile(*_, **__):
    raise Hostile


class Odd:
    def __repr__(self):
        raise RuntimeError("no repr")


VALUES = [None, 3, "text", [1, 2], (), {"a": 1}, object(), Odd(), iter(())]
ARRAYS = [np.array(["a"]), np.array([None]), np.zeros((0,)), np.ma.masked_array([1.0], [True])]
RETURNING = [lambda *_, _value=value, **__: _value for value in VALUES + ARRAYS]


@pytest.mark.parametrize("function", [fails, ends, recurses, hostile, lambda: 1, *RETURNING])
def test_nothing_stops_it(english, function, capsys):
    for part in ("softmax", "attention", "causal_mask", "padding_mask"):
        assert english(part, {part: function, "softmax": function}).reports[0].status == "failed"
    assert capsys.readouterr().out.count("✗") >= 8


def test_an_exception_is_shown_with_the_students_line(english, single_head, tmp_path, capsys):
    path = tmp_path / "cell.py"
    path.write_text("def softmax(x, axis=-1):\n    return x / [1, 2, 3, 4, 5]\n")
    exec(compile(path.read_text(), str(path), "exec"), single_head)
    english("softmax", single_head)
    out = capsys.readouterr().out
    assert "`ValueError: operands could not be broadcast" in out
    assert "your line 2: `return x / [1, 2, 3, 4, 5]`" in out


def test_a_missing_return_is_asked_for(english, single_head, capsys):
    single_head["softmax"] = lambda x, axis=-1: None
    english("softmax", single_head)
    assert "Is a `return` missing?" in capsys.readouterr().out


def test_what_needs_a_failed_check_is_skipped(english, single_head):
    single_head["softmax"] = lambda x, axis=-1: np.asarray(x, dtype=float)
    statuses = {result.stage.name: result.status for result in english("softmax", single_head).reports[0].results}
    assert statuses["one_row"] == "failed" and statuses["several_rows"] == "skipped"


def drawing(softmax):
    """Noise, as a dropout that is left on makes it."""
    rng = np.random.default_rng(0)
    return lambda x, axis=-1: softmax(x, axis) * rng.choice([0.0, 2.0], np.shape(x))


def keeping(softmax):
    """The first call is right, and no other."""
    seen = []
    return lambda x, axis=-1: softmax(x, axis) * (seen.append(0) or len(seen))


def doubling(softmax):
    return lambda x, axis=-1: softmax(x, axis) * 2


@pytest.mark.parametrize(("spoil", "told"), [(drawing, True), (keeping, True), (doubling, False)])
def test_a_result_that_is_another_each_time_is_told(english, single_head, capsys, spoil, told):
    single_head["softmax"] = spoil(single_head["softmax"])
    assert not english("softmax", single_head).passed
    assert ("The same call gave another result the second time" in capsys.readouterr().out) is told


def test_a_broken_softmax_is_named_where_attention_fails_by_it(english, capsys):
    namespace = assignment.load("single-head").wrong["softmax-over-everything"].namespace()
    english("attention", namespace)
    assert "`softmax` does not pass its own checks yet" in capsys.readouterr().out


def test_who_writes_into_the_inputs_spoils_no_later_check(capsys):
    """Neither those that come after it nor, in the same kernel, those of the mended function."""
    flash = assignment.load("flash")
    check = course_in(EXERCISES / "en" / "flash").check
    spoiling = flash.wrong["online-changes-scores"]
    for _ in range(2):
        report = check("online_softmax", spoiling.namespace()).reports[0]
        assert [result.stage.name for result in report.results if result.status == "failed"] == ["block_stays"]
    assert check("online_softmax", flash.namespace()).passed


CONSTANTS = {"__name__": "public", "X": np.ones(2), "HELD": {"pair": ([np.ones(2)], 3)}}


def test_the_constants_of_public_checks_are_handed_over_as_copies():
    exec("def both(student):\n    student.spoil(X)\n    student.spoil(HELD['pair'][0][0])\n    return X, HELD", CONSTANTS)
    before = dict(CONSTANTS)
    outcome, _ = running.outcome_of(Stage("spoil", CONSTANTS["both"]), {"spoil": lambda x: x.fill(7)})
    assert outcome[0].tolist() == [7, 7] and outcome[1]["pair"][0][0].tolist() == [7, 7]
    assert all(CONSTANTS[name] is value for name, value in before.items())
    assert CONSTANTS["X"].tolist() == [1, 1] and CONSTANTS["HELD"]["pair"][0][0].tolist() == [1, 1]


def test_an_unknown_mistake_gets_no_reason(english, single_head):
    single_head["causal_mask"] = lambda n_queries, n_keys: np.ones((n_queries, n_keys), dtype=bool)
    report = english("causal_mask", single_head).reports[0]
    assert not report.passed and report.reasons == []


def test_numbers_in_an_error_are_asked_for(english, single_head, capsys):
    right_attention = single_head["attention"]

    def attention(q, k, v, mask=None):
        try:
            return right_attention(q, k, v, mask)
        except ValueError:
            raise ValueError("the shapes are wrong") from None

    single_head["attention"] = attention
    assert not english("attention", single_head).passed
    assert "should name these numbers: 2, 3. It says: the shapes are wrong" in capsys.readouterr().out


def test_inputs_are_shown_as_they_were_handed_in(english, capsys):
    english("softmax", assignment.load("single-head").wrong["softmax-changes-input"].namespace())
    out = capsys.readouterr().out
    assert "x = [1., 2., 3.]" in out and "x = [-2., -1.,  0.]" in out
