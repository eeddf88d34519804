"""What a report shows of the calls: what was done before with an object, a library's attention, and the line of the student's own cell."""

import linecache

import pytest
import torch
from torch.nn import functional

from autograder.learner import explain, running, show
from autograder.learner.running import LIBRARY
from autograder.learner.stage import stage


class Store:
    """Holds tensors."""

    def __init__(self, size):
        self.held = []

    def __len__(self):
        return len(self.held)

    def append(self, x):
        self.held.append(x)
        return x


class Layer(torch.nn.Module):
    def __init__(self, width, *, bias=False):
        super().__init__()

    def forward(self, x, store=None):
        return x if store is None else store.append(x)


def last_call(run, **names):
    """The lines in which the last call of a stage is shown, and its arguments that are shown apart."""
    _, call = running.outcome_of(stage("part")(run), {"Store": Store, "Layer": Layer, **names})
    return show.call(call)


def test_a_fresh_object_is_shown_as_it_was_made():
    lines, apart = last_call(lambda student: student.Store(3).append(torch.ones(2)))
    assert lines == ["Store(3).append(x)"]
    assert [name for name, _ in apart] == ["x"]


def test_earlier_calls_of_an_object_stand_above():
    def run(student):
        store = student.Store(3)
        store.append(torch.ones(2, 1))
        return store.append(torch.ones(2))

    assert last_call(run)[0] == ["store = Store(3)", "store.append(x)   # x (2, 1)", "store.append(x)"]


def test_len_is_a_call():
    def run(student):
        store = student.Store(3)
        store.append(torch.ones(2))
        return len(store)

    assert last_call(run)[0] == ["store = Store(3)", "store.append(x)   # x (2,)", "len(store)"]


def test_an_object_that_was_handed_over_has_that_call_in_its_past():
    def run(student):
        store, layer = student.Store(3), student.Layer(2)
        layer(torch.ones(1, 2), store)
        return layer(torch.ones(1, 2), store)

    assert last_call(run)[0] == ["module = Layer(2)", "store = Store(3)", "module(x, store)   # x (1, 2)", "module(x, store)"]


def test_a_call_that_raised_belongs_to_the_past():
    def run(student):
        store = student.Store(3)
        try:
            store.append()
        except TypeError:
            pass
        return store.append(torch.ones(2))

    assert last_call(run)[0] == ["store = Store(3)", "store.append()", "store.append(x)"]


def library_attention(q):
    return functional.scaled_dot_product_attention(q, q, q)


def library_layer(q):
    return torch.nn.MultiheadAttention(4, 1)(q[0], q[0], q[0])[0]


def native_layer(q):
    with torch.no_grad():
        return torch.nn.MultiheadAttention(4, 1).eval()(q[0], q[0], q[0], need_weights=False)[0]


@pytest.mark.parametrize("function", [library_attention, library_layer, native_layer])
def test_a_librarys_attention_fails_a_check_where_the_exercise_asks_for_ones_own(function):
    check = stage("f")(lambda student: student.f(torch.ones(1, 2, 4)))
    expected = running.outcome_of(check, {"f": function})[0]
    allowed = running.run(check, expected, {"f": function})
    refused = running.run(check, expected, {"f": function}, own_work=True)
    assert refused.status == "failed" and refused.outcome.names == (LIBRARY,)
    assert "attention of your own" in explain.sentences(refused)[0]
    assert allowed.outcome is not None and not (hasattr(allowed.outcome, "names") and allowed.outcome.names == (LIBRARY,))


def test_own_attention_passes_where_a_librarys_is_refused():
    def own(q):
        return torch.softmax(q @ q.mT, -1) @ q

    check = stage("f")(lambda student: student.f(torch.ones(1, 2, 4)))
    assert running.run(check, running.outcome_of(check, {"f": own})[0], {"f": own}, own_work=True).status == "passed"


def test_the_line_is_that_of_the_parts_own_cell():
    given, own = "def helper(x):\n    return 1 / x\n", "def part(x):\n\n    return helper(x)\n"
    namespace = {"__name__": "student"}
    for name, source in (("<given>", given), ("<own>", own)):
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        exec(compile(source, name, "exec"), namespace)
    outcome = running.outcome_of(stage("part")(lambda student: student.part(0)), namespace)[0]
    assert (outcome.line_number, outcome.line) == (3, "return helper(x)")
    inside = running.outcome_of(stage("other")(lambda student: student.part(0)), namespace)[0]
    assert (inside.line_number, inside.line) == (2, "return 1 / x")
