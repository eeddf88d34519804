"""Multi-query attention against PyTorch's own and loops in float64; decoding's memory, seen as each tensor is made."""

import math

import pytest
import torch
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from solutions.gqa import GroupedQueryAttention
from solutions.mqa import MultiQueryAttention, attention_parameters, decode_step
from solutions.multi_head import MultiHeadAttention
from tests.solutions.test_gqa import ROUNDING, assert_alike, by_loops, masks, random, with_sdpa

SIZES = [(24, 6), (8, 1), (12, 12), (15, 3)]  # d_model, n_heads


def module_of(d_model, n_heads, bias=True, dtype=torch.float64):
    """A module with random weights, biases included; `n_kv_heads` says to the shared oracles what it is."""
    torch.manual_seed(0)
    module = MultiQueryAttention(d_model, n_heads, bias).to(dtype)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    module.n_kv_heads = 1
    return module


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", masks(1, 1))
def test_equals_loops(sizes, name):
    module, x = module_of(*sizes), random(2, 4, sizes[0])
    mask = masks(sizes[1], 4)[name]
    assert_alike(lambda x: module(x, mask), lambda x: by_loops(module, x, mask), module, x)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", ["none", "causal", "padding", "each head", "both"])
def test_equals_pytorch(sizes, name):
    module, x = module_of(*sizes), random(2, 7, sizes[0])
    mask = masks(sizes[1], 7)[name]
    assert_alike(lambda x: module(x, mask), lambda x: with_sdpa(module, x, mask), module, x)


@pytest.mark.parametrize("bias", [False, True])
def test_is_grouped_attention_with_one_group(bias):
    module, x = module_of(24, 6, bias), random(2, 5, 24)
    grouped = GroupedQueryAttention(24, 6, 1, bias).double()
    grouped.load_state_dict(module.state_dict())
    torch.testing.assert_close(module(x), grouped(x), **ROUNDING)


@pytest.mark.parametrize(("sizes", "numbers"), [((10, 4), (10, 4)), ((12, 0), (12, 0)), ((12, -3), (12, -3)), ((0, 3), (0, 3))])
def test_impossible_sizes(sizes, numbers):
    with pytest.raises(ValueError) as raised:
        MultiQueryAttention(*sizes)
    assert all(str(number) in str(raised.value).split() for number in numbers)


def step(n_batch, n_heads, n_keys, d_head, d_value, dtype=torch.float64):
    """The queries of one token, and the keys and values of all."""
    shapes = (n_batch, n_heads, 1, d_head), (n_batch, 1, n_keys, d_head), (n_batch, 1, n_keys, d_value)
    return tuple(random(*shape, seed=seed).to(dtype) for seed, shape in enumerate(shapes, start=1))


@pytest.mark.parametrize("sizes", [(2, 6, 5, 4, 4), (1, 6, 5, 4, 3), (3, 1, 1, 4, 7), (2, 4, 9, 1, 1), (1, 1, 1, 1, 1)])
def test_a_step_equals_pytorch(sizes):
    arguments = step(*sizes)
    assert_same_step(decode_step, lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), *arguments)


def assert_same_step(one, other, *arguments):
    """Two ways to the same output and the same gradients."""
    arguments = [x.clone().requires_grad_() for x in arguments]
    outputs = [function(*arguments) for function in (one, other)]
    torch.testing.assert_close(*outputs, **ROUNDING)
    cotangent = random(*outputs[0].shape, seed=8)
    for ours, theirs in zip(*(torch.autograd.grad(output, arguments, cotangent) for output in outputs), strict=True):
        torch.testing.assert_close(ours, theirs, **ROUNDING)


def test_a_step_is_the_last_row_of_the_whole():
    module, x = module_of(24, 6), random(2, 5, 24)
    causal = torch.ones(5, 5, dtype=torch.bool).tril()
    q = module.w_q(x[:, -1:]).unflatten(-1, (6, 4)).transpose(1, 2)
    out = decode_step(q, module.w_k(x)[:, None], module.w_v(x)[:, None])
    torch.testing.assert_close(module.w_o(out.transpose(1, 2).flatten(2)), module(x, causal)[:, -1:], **ROUNDING)


def test_a_step_over_part_of_a_cache():
    q, k, v = step(2, 6, 9, 4, 4)
    part = decode_step(q.mT.contiguous().mT, k[:, :, :5], v[:, :, :5])
    torch.testing.assert_close(part, decode_step(q, k[:, :, :5].clone(), v[:, :, :5].clone()), **ROUNDING)


def test_a_step_over_nothing_gives_zeros():
    assert torch.equal(decode_step(*step(2, 3, 0, 4, 5)), torch.zeros(2, 3, 1, 5, dtype=torch.float64))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_narrow_types_are_near_float64(dtype):
    arguments = step(2, 6, 50, 16, 16, dtype)
    output, want = decode_step(*arguments), decode_step(*(x.double() for x in arguments))
    assert output.dtype == dtype
    assert (output.double() - want).abs().max() <= 4 * torch.finfo(dtype).eps * want.abs().max()


class Largest(TorchDispatchMode):
    """The most bytes that one tensor holds of those that are made."""

    def __init__(self):
        super().__init__()
        self.n_bytes = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        for one in made if isinstance(made, (tuple, list)) else [made]:
            if isinstance(one, torch.Tensor):
                self.n_bytes = max(self.n_bytes, one.untyped_storage().nbytes())
        return made


def largest(function, *arguments):
    """The bytes of the largest tensor that a call makes or looks at."""
    with Largest() as seen:
        function(*arguments)
    return seen.n_bytes


@pytest.mark.parametrize("n_batch", [1, 2, 3])
@pytest.mark.parametrize(("dtype", "at_most"), [(torch.float32, 1), (torch.float64, 1), (torch.bfloat16, 2)])
def test_keys_and_values_are_never_repeated(n_batch, dtype, at_most):
    q, k, v = step(n_batch, 32, 300, 64, 64, dtype)
    assert largest(decode_step, q, k, v) <= at_most * k.nbytes
    if n_batch > 1:  # what the measurement is there to see
        assert largest(lambda q, k: q @ k.mT, q, k) == 32 * k.nbytes
    assert largest(lambda k: k.repeat_interleave(32, dim=1), k) == 32 * k.nbytes


@pytest.mark.parametrize(("shapes", "numbers"), [
    (((2, 6, 1, 4), (2, 1, 5, 3), (2, 1, 5, 3)), (4, 3)),
    (((2, 6, 1, 4), (2, 1, 5, 4), (2, 1, 7, 4)), (5, 7)),
    (((2, 6, 3, 4), (2, 1, 5, 4), (2, 1, 5, 4)), (1, 3)),
    (((2, 6, 1, 4), (2, 2, 5, 4), (2, 2, 5, 4)), (1, 2)),
    (((2, 6, 1, 4), (2, 1, 5, 4), (2, 3, 5, 4)), (1, 3)),
    (((2, 6, 1, 4), (3, 1, 5, 4), (3, 1, 5, 4)), (2, 3)),
])
def test_impossible_steps(shapes, numbers):
    with pytest.raises(ValueError) as raised:
        decode_step(*(torch.ones(shape) for shape in shapes))
    words = "".join(c if c.isalnum() else " " for c in str(raised.value)).split()
    assert all(str(number) in words for number in numbers)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("d_model", "n_heads", "n_kv_heads"), [(24, 6, 6), (24, 6, 3), (24, 6, 1), (8, 1, 1)])
def test_parameters_are_those_of_the_modules(d_model, n_heads, n_kv_heads, bias):
    modules = [GroupedQueryAttention(d_model, n_heads, n_kv_heads, bias)]
    if n_kv_heads == n_heads:
        modules.append(MultiHeadAttention(d_model, n_heads, bias))
    if n_kv_heads == 1:
        modules.append(MultiQueryAttention(d_model, n_heads, bias))
    for module in modules:
        assert attention_parameters(d_model, n_heads, n_kv_heads, bias) == sum(p.numel() for p in module.parameters())
    assert type(attention_parameters(d_model, n_heads, n_kv_heads, bias)) is int


def test_parameters_of_known_models():
    assert attention_parameters(8192, 64, 8) == 2 * 8192**2 + 2 * 8192 * 1024  # Llama 3 70B, one layer
    assert attention_parameters(512, 8, 8, bias=True) == 4 * 512**2 + 4 * 512  # the first Transformer's base model


@pytest.mark.parametrize(("sizes", "numbers"), [((10, 4, 2), (10, 4)), ((12, 6, 4), (6, 4)), ((12, 6, 0), (6, 0)), ((12, 0, 1), (12, 0))])
def test_impossible_parameters(sizes, numbers):
    with pytest.raises(ValueError) as raised:
        attention_parameters(*sizes)
    assert all(str(number) in str(raised.value).split() for number in numbers)


def test_scale_is_of_the_head():
    q, k, v = step(1, 1, 3, 16, 2)
    weights = torch.softmax(q @ k.mT / math.sqrt(16), dim=-1)
    torch.testing.assert_close(decode_step(q, k, v), weights @ v, **ROUNDING)
