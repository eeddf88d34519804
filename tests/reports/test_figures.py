"""Counts and means, against numbers worked out by hand."""

from autograder.reports.figures import figures, histogram, sentences
from autograder.reports.text import percent, points, visible
from tests.reports.conftest import put, read, record


def test_of_a_small_class(small, assignment):
    found = figures(read(small).results, assignment)
    assert found.scores == (10.0, 8.5, 0.0, 9.0) and found.mean == 6.875 and found.median == 8.75 and found.max_score == 10.0
    scale = next(test for test in found.tests if test.short == "attention-scale")
    assert scale.counts == {"passed": 1, "failed": 2, "error": 1, "timeout": 0, "deferred": 0} and scale.ran == 4
    square = next(test for test in found.tests if test.short == "causal-square")
    assert square.counts == {"passed": 1, "failed": 0, "error": 1, "timeout": 1, "deferred": 1} and square.ran == 3
    [no_scale] = found.misconceptions
    assert no_scale.id == "no-scale" and no_scale.tests == ("attention-scale",) and [r.student for r in no_scale.results] == ["Björn", "李雷"]
    assert no_scale.explanation == assignment.wrong["no-scale"].explanation
    assert found.unexplained == ()


def test_a_misconception_counts_once_a_student(tmp_path, assignment):
    put(tmp_path, record("a", {"attention-scale": ("failed", "no-scale"), "attention-batch": ("failed", "no-scale")}))
    put(tmp_path, record("b", {"attention-scale": ("failed", "made-up")}))
    put(tmp_path, record("c", {"attention-scale": ("failed", "no-scale")}))
    put(tmp_path, record("d", {"attention-scale": ("failed", None)}))
    found = figures(read(tmp_path).results, assignment)
    assert [(m.id, len(m.results)) for m in found.misconceptions] == [("no-scale", 2), ("made-up", 1)]
    assert found.misconceptions[0].tests == ("attention-scale", "attention-batch") and found.misconceptions[1].explanation == ""
    assert [result.student for result in found.unexplained] == ["d"]


def test_histogram(tmp_path):
    for n, score in enumerate((0, 0.99, 1, 5, 9.99, 10, 10)):
        put(tmp_path, record(f"s{n}", score=score))
    put(tmp_path, record("none", score=0, max_score=0, tests=[]))
    assert histogram(read(tmp_path).results) == [3, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2]


def test_tests_come_in_the_order_of_the_hidden_tests(tmp_path, assignment):
    result = record("a")
    result["tests"].reverse()
    result["tests"].insert(0, result["tests"][0] | {"id": "single-head.retired"})
    put(tmp_path, result)
    assert [test.id for test in figures(read(tmp_path).results, assignment).tests] == [*sentences(assignment), "single-head.retired"]


def test_the_sentences_are_those_of_the_grader(assignment):
    from autograder.hidden.host import HiddenTests

    with HiddenTests(assignment) as hidden:
        assert sentences(assignment) == {test.id: test.sentence for test in hidden.tests}


def test_numbers_as_text():
    assert [points(x) for x in (0, 10, 8.25, 8.5, 6.875)] == ["0", "10", "8.25", "8.5", "6.88"]
    assert [percent(*x) for x in ((0, 5), (5, 5), (1, 1000), (999, 1000), (1, 3), (0, 0))] == ["0 %", "100 %", "1 %", "99 %", "33 %", "–"]
    assert visible("a\nb\u202ec\u200d\U000e0001") == "a\\u000ab\\u202ec\u200d\\U000e0001"
