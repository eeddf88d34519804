"""Public checks on PyTorch: tensors and modules are recorded, compared and shown as arrays are."""

import numpy as np
import pytest
import torch
from torch import nn

from autograder.learner import explain, outcome, running, show, tensors
from autograder.learner.compare import difference
from autograder.learner.stage import stage


class Layer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.w = nn.Linear(n, n)

    def forward(self, x):
        return self.w(x)

    def again(self, x):
        return self(self(x))


def read_back(value):
    return outcome.from_json(outcome.to_json(outcome.frozen(value)))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool])
def test_a_tensor_is_recorded_and_read_again(dtype):
    value = torch.tensor([[1.0, 0.3], [0.0, -2.0]]).to(dtype)
    again = read_back(value)
    assert difference(again, outcome.frozen(value)) is None
    assert show.kind(again) == f"(2, 2) {dtype}"


def test_kind_and_dtype_count():
    ones = outcome.frozen(torch.ones(2))
    assert difference(ones, np.ones(2, np.float32)).kind == "type"
    assert difference(np.ones(2, np.float32), ones).kind == "type"
    assert difference(ones, outcome.frozen(torch.ones(2, dtype=torch.bfloat16))).kind == "dtype"
    assert difference(ones, outcome.frozen(torch.tensor([1.0, 1.001]))).where.tolist() == [False, True]


def test_gradients_and_views_are_no_obstacle():
    value = torch.ones(2, 3, requires_grad=True).mT
    assert difference(outcome.frozen(value), outcome.frozen(torch.ones(3, 2))) is None


def test_what_is_frozen_does_not_change_later():
    value = torch.ones(2)
    kept = outcome.frozen(value)
    value.zero_()
    assert kept.tolist() == [1, 1]


def test_the_making_of_a_module_is_shown_by_the_names_that_it_takes():
    @stage("Layer")
    def shapes(student):
        """Shapes."""
        return tensors.layer_shapes(student.Layer(2))

    result, call = running.outcome_of(shapes, {"Layer": Layer})
    assert show.call(call)[0] == ["Layer(n=2)"]
    assert result["w_q"] == "weight None, bias None"


def test_a_large_tensor_is_shown_by_its_shape():
    large = outcome.frozen(torch.zeros(30, 30))
    assert show.value(large) == "…" and show.kind(large) == "(30, 30) torch.float32"


def test_an_attribute_that_was_never_kept_is_named():
    class Forgetful(torch.nn.Module):
        def forward(self, x):
            return self.n_heads

    @stage("Forgetful")
    def once(student):
        """Once."""
        return student.Forgetful()(1)

    result = running.run(once, 1, {"Forgetful": Forgetful})
    assert any("`self.n_heads` is used before" in sentence for sentence in explain.sentences(result))


def test_calls_of_a_module_are_shown():
    @stage("Layer")
    def twice(student):
        """Twice."""
        layer = tensors.fill(student.Layer(2))
        assert layer.w.weight.shape == (2, 2)
        layer(tensors.waves(1, 2))
        return layer.again(x=tensors.waves(1, 2))

    result, call = running.outcome_of(twice, {"Layer": Layer})
    assert show.kind(result) == "(1, 2) torch.float32"
    assert show.call(call)[0] == ["module = Layer(2)", "module(x)   # x (1, 2)", "module.again(x)"]


@pytest.mark.parametrize(
    ("mistake", "advice"),
    [
        (lambda x: max(x, 2 * x), "`torch.maximum(a, b)`"),
        (lambda x: x @ x.half(), "`.to(dtype)`"),
        (lambda x: torch.cat([x, x[None]], dim=-1), "`x[:, None]`"),
        (lambda x: x.__iadd__(x[None].expand(3, 2, 2)), "`x.sum_to_size(shape)`"),
    ],
)
def test_what_pytorch_means_is_said(mistake, advice):
    @stage("f")
    def once(student):
        """Once."""
        return student.f(torch.ones(2, 2))

    result = running.run(once, np.ones(2), {"f": mistake})
    assert result.status == "failed" and advice in explain.sentences(result)[1]


def test_what_is_none_is_named():
    @stage("f")
    def once(student):
        """Once."""
        return {"w_k": student.f()}

    assert explain.sentences(running.run(once, {"w_k": np.ones(2)}, {"f": lambda: None})) == ["`w_k` is `None`."]


def test_filled_parameters_are_fixed_and_differ():
    one, other = tensors.fill(Layer(3)), tensors.fill(Layer(3))
    assert torch.equal(one.w.weight, other.w.weight)
    assert len({x for parameter in one.parameters() for x in parameter.detach().flatten().tolist()}) > 9
