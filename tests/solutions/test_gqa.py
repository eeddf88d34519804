"""Grouped-query attention against PyTorch's own, transformers' LlamaAttention and loops in float64, gradients included."""

import math

import pytest
import torch
from torch.nn import functional as F
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaAttention

from solutions.gqa import GroupedQueryAttention, pool_kv_heads, repeat_kv
from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads

SIZES = [(24, 6, 3), (24, 6, 2), (24, 6, 6), (24, 6, 1), (12, 12, 4), (8, 1, 1), (15, 3, 1)]  # d_model, n_heads, n_kv_heads
ROUNDING = {"rtol": 1e-11, "atol": 1e-12}


def module_of(d_model, n_heads, n_kv_heads, bias=True, dtype=torch.float64, seed=0):
    """A module with random weights, biases included."""
    torch.manual_seed(seed)
    module = GroupedQueryAttention(d_model, n_heads, n_kv_heads, bias).to(dtype)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return module


def random(*shape, seed=1, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def masks(n_heads, n_tokens):
    """Masks of every shape that broadcasts to (2, H, T, T); the last has rows in which nothing may be seen."""
    causal = torch.ones(n_tokens, n_tokens, dtype=torch.bool).tril()
    padding = (torch.arange(n_tokens) < torch.tensor([n_tokens, 2])[:, None, None])[:, None]
    each_head = random(1, n_heads, n_tokens, n_tokens) > 0
    empty = (random(2, n_heads, n_tokens, n_tokens, seed=5) > 0) & (torch.arange(n_tokens) != 1)[:, None]
    return {"none": None, "causal": causal, "padding": padding, "each head": each_head | causal, "both": padding & causal, "empty rows": empty}


def by_loops(module, x, mask):
    """One query at a time, one head at a time: what the words of the definition say."""
    n_heads, n_kv_heads = module.n_heads, module.n_kv_heads
    n_batch, n_tokens, d_model = x.shape
    d_head = d_model // n_heads
    mask = torch.ones(n_tokens, n_tokens, dtype=torch.bool) if mask is None else mask
    mask = mask.expand(n_batch, n_heads, n_tokens, n_tokens)
    q, k, v = (w(x) for w in (module.w_q, module.w_k, module.w_v))
    rows = []
    for b in range(n_batch):
        for i in range(n_tokens):
            heads = []
            for h in range(n_heads):
                g = h // (n_heads // n_kv_heads)
                mine, theirs = slice(h * d_head, (h + 1) * d_head), slice(g * d_head, (g + 1) * d_head)
                seen = [j for j in range(n_tokens) if mask[b, h, i, j]]
                powers = [torch.exp(q[b, i, mine] @ k[b, j, theirs] / math.sqrt(d_head)) for j in seen]
                nothing = torch.zeros(d_head, dtype=x.dtype)
                heads.append(sum((power * v[b, j, theirs] for power, j in zip(powers, seen)), nothing) / (sum(powers) if seen else 1))
            rows.append(torch.cat(heads))
    return module.w_o(torch.stack(rows).reshape(n_batch, n_tokens, d_model))


def with_sdpa(module, x, mask):
    """The same weights through PyTorch's own attention, which repeats the heads itself."""
    q = split_heads(module.w_q(x), module.n_heads)
    k, v = (split_heads(w(x), module.n_kv_heads) for w in (module.w_k, module.w_v))
    return module.w_o(merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)))


def gradients(function, module, x, cotangent):
    """The gradients for the input and for each weight."""
    x = x.clone().requires_grad_()
    output = function(x)
    return torch.autograd.grad(output, [x, *module.parameters()], cotangent, allow_unused=True, materialize_grads=True)


def assert_alike(one, other, module, x):
    """Two ways to the same output and the same gradients."""
    torch.testing.assert_close(one(x), other(x), **ROUNDING)
    cotangent = random(*x.shape, seed=9)
    for ours, theirs in zip(gradients(one, module, x, cotangent), gradients(other, module, x, cotangent), strict=True):
        assert ours.isfinite().all()
        torch.testing.assert_close(ours, theirs, **ROUNDING)


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
@pytest.mark.parametrize(("d_model", "n_heads", "n_kv_heads"), SIZES[:-1])  # Llama's d_head is even
def test_equals_llama(d_model, n_heads, n_kv_heads, bias):
    config = LlamaConfig(hidden_size=d_model, num_attention_heads=n_heads, num_key_value_heads=n_kv_heads, attention_bias=bias,
                         attn_implementation="sdpa")
    llama = LlamaAttention(config, layer_idx=0).double()
    module, x = module_of(d_model, n_heads, n_kv_heads, bias), random(2, 7, d_model)
    llama.load_state_dict({f"{name[-1]}_proj.{kind}": value for name, kind, value in
                           ((*key.rsplit(".", 1), value) for key, value in module.state_dict().items())})
    causal = torch.ones(7, 7, dtype=torch.bool).tril()
    no_turn = torch.ones(1, 7, d_model // n_heads, dtype=x.dtype), torch.zeros(1, 7, d_model // n_heads, dtype=x.dtype)  # cos 0 and sin 0
    cotangent = random(*x.shape, seed=9)
    outputs, inputs = [], []
    for function in (lambda x: module(x, causal), lambda x: llama(x, position_embeddings=no_turn, attention_mask=causal[None, None])[0]):
        inputs.append(x.clone().requires_grad_())
        outputs.append(function(inputs[-1]))
        outputs[-1].backward(cotangent)
    torch.testing.assert_close(*outputs, **ROUNDING)
    torch.testing.assert_close(inputs[0].grad, inputs[1].grad, **ROUNDING)
    for (name, ours), theirs in zip(sorted(module.named_parameters()), (p for _, p in sorted(llama.named_parameters())), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, **ROUNDING, msg=name)


def test_as_many_groups_as_heads_is_multi_head_attention():
    module, x = module_of(24, 6, 6), random(2, 5, 24)
    multi_head = MultiHeadAttention(24, 6, bias=True).double()
    multi_head.load_state_dict(module.state_dict())
    assert torch.equal(module(x), multi_head(x))


def test_groups_are_consecutive():
    x = torch.arange(3.0)[None, :, None, None].expand(2, 3, 4, 5)
    assert repeat_kv(x, 2)[0, :, 0, 0].tolist() == [0, 0, 1, 1, 2, 2]
    assert repeat_kv(x, 2).shape == (2, 6, 4, 5)
    assert torch.equal(repeat_kv(x, 1), x)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64])
def test_repeating_keeps_the_dtype(dtype):
    assert repeat_kv(torch.ones(1, 2, 3, 4, dtype=dtype), 3).dtype == dtype


def test_the_gradient_of_a_head_is_the_sum_over_its_copies():
    x, cotangent = random(2, 3, 4, 5).mT.requires_grad_(), random(2, 6, 5, 4, seed=2)
    gradient, = torch.autograd.grad(repeat_kv(x, 2), x, cotangent)
    torch.testing.assert_close(gradient, cotangent[:, 0::2] + cotangent[:, 1::2], **ROUNDING)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_narrow_types_are_near_float64(dtype):
    module, x = module_of(24, 6, 2, dtype=dtype), random(2, 7, 24).to(dtype)
    wide = module_of(24, 6, 2).double()
    wide.load_state_dict(module.state_dict())
    output = module(x)
    assert output.dtype == dtype
    want = wide(x.double())
    assert (output.double() - want).abs().max() <= 16 * torch.finfo(dtype).eps * want.abs().max()


def test_a_query_that_sees_nothing_gives_the_bias():
    module, x = module_of(24, 6, 2), random(1, 3, 24)
    output = module(x, torch.zeros(3, 3, dtype=torch.bool))
    torch.testing.assert_close(output, module.w_o.bias.expand(1, 3, 24), **ROUNDING)


@pytest.mark.parametrize(("sizes", "numbers"), [
    ((10, 4, 2), (10, 4)),
    ((12, 6, 4), (6, 4)),
    ((12, 6, 12), (6, 12)),
    ((12, 6, 0), (6, 0)),
    ((12, 0, 1), (12, 0)),
    ((12, 6, -2), (6, -2)),
])
def test_impossible_sizes(sizes, numbers):
    with pytest.raises(ValueError) as raised:
        GroupedQueryAttention(*sizes)
    assert all(str(number) in str(raised.value).replace("/", " ").split() for number in numbers)


@pytest.mark.parametrize("n_repeats", [0, -1])
def test_impossible_repeats(n_repeats):
    with pytest.raises(ValueError, match=str(n_repeats)):
        repeat_kv(torch.ones(1, 2, 3, 4), n_repeats)


def test_impossible_masks():
    module, x = module_of(24, 6, 2), random(1, 3, 24)
    with pytest.raises(TypeError):
        module(x, torch.ones(3, 3))
    with pytest.raises(ValueError, match="4.*3"):
        module(x, torch.ones(3, 4, dtype=torch.bool))


@pytest.mark.parametrize(("d_head", "n_heads", "n_kv_heads"), [(3, 6, 2), (1, 4, 4), (2, 4, 1), (5, 1, 1)])
def test_pooling_is_the_mean_of_each_group(d_head, n_heads, n_kv_heads):
    weight = random(7, n_heads * d_head).T  # not contiguous
    before = weight.clone()
    pooled = pool_kv_heads(weight, n_heads, n_kv_heads)
    n = n_heads // n_kv_heads
    for g in range(n_kv_heads):
        for i in range(d_head):
            want = sum(weight[(g * n + h) * d_head + i] for h in range(n)) / n
            torch.testing.assert_close(pooled[g * d_head + i], want, **ROUNDING)
    assert pooled.shape == (n_kv_heads * d_head, 7) and torch.equal(weight, before)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_pooling_adds_up_in_a_wider_type(dtype):
    weight = random(64, 5).to(dtype)
    assert pool_kv_heads(weight, 64, 1).dtype == dtype
    assert torch.equal(pool_kv_heads(weight, 64, 1), weight.to(torch.promote_types(dtype, torch.float32)).mean(0, keepdim=True).to(dtype))
    assert pool_kv_heads(torch.full((4, 1), 60_000, dtype=torch.float16), 4, 1).isfinite().all()
    assert pool_kv_heads(torch.tensor([[1], [2]]), 2, 1).tolist() == [[1.5]]


def test_pooling_heads_that_are_alike_changes_nothing():
    grouped, x = module_of(24, 6, 2), random(2, 5, 24)
    multi_head = MultiHeadAttention(24, 6, bias=False).double()
    weights = {name: getattr(grouped, name).weight.detach() for name in ("w_q", "w_o")}
    for name in ("w_k", "w_v"):
        heads = getattr(grouped, name).weight.detach().unflatten(0, (1, 2, 4))
        weights[name] = repeat_kv(heads, 3).flatten(0, 2)
        torch.testing.assert_close(pool_kv_heads(weights[name], 6, 2), getattr(grouped, name).weight, **ROUNDING)
    multi_head.load_state_dict({f"{name}.weight": weight for name, weight in weights.items()})
    with torch.no_grad():
        for linear in (grouped.w_q, grouped.w_k, grouped.w_v, grouped.w_o):
            linear.bias.zero_()
    torch.testing.assert_close(grouped(x), multi_head(x), **ROUNDING)


@pytest.mark.parametrize(("rows", "n_heads", "n_kv_heads", "numbers"), [
    (10, 4, 2, (10, 4)),
    (12, 6, 4, (6, 4)),
    (12, 6, 0, (6, 0)),
    (12, 0, 1, (12, 0)),
])
def test_impossible_pooling(rows, n_heads, n_kv_heads, numbers):
    with pytest.raises(ValueError) as raised:
        pool_kv_heads(torch.ones(rows, 3), n_heads, n_kv_heads)
    assert all(str(number) in str(raised.value).split() for number in numbers)
