"""Latent attention against transformers' DeepseekV3Attention and against loops in float64, gradients included; decode against forward."""

import math

import pytest
import torch
from torch import nn
from transformers import DeepseekV3Config
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3Attention

from solutions.mla import MultiHeadLatentAttention, mla_cache_bytes

SIZES = [(24, 4, 8, 12, 6), (10, 3, 5, 7, 2), (8, 1, 4, 16, 4), (12, 6, 2, 3, 8)]  # d_model, n_heads, d_head, d_latent, d_rope
ROUNDING = {"rtol": 1e-11, "atol": 1e-12}


def layer_of(*sizes, base=10_000.0, dtype=torch.float64, seed=0):
    """A layer with random weights, the norm's included."""
    torch.manual_seed(seed)
    layer = MultiHeadLatentAttention(*sizes, base)
    for name, parameter in layer.named_parameters():
        nn.init.normal_(parameter, mean=float(name.startswith("norm")), std=0.5)
    return layer.to(dtype)


def random(*shape, seed=1, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def deepseek(layer, d_model, n_heads, d_head, d_latent, d_rope, base):
    """transformers' layer with the same weights."""
    config = DeepseekV3Config(
        hidden_size=d_model, num_attention_heads=n_heads, num_key_value_heads=n_heads, q_lora_rank=None, kv_lora_rank=d_latent,
        qk_rope_head_dim=d_rope, qk_nope_head_dim=d_head, v_head_dim=d_head, rope_theta=base, attn_implementation="eager",
    )
    theirs = DeepseekV3Attention(config, 0).double().eval()
    theirs.kv_a_layernorm = nn.RMSNorm(d_latent, eps=1e-6).double()  # theirs computes in float32
    up = torch.cat([w.weight.unflatten(0, (n_heads, d_head)) for w in (layer.w_uk, layer.w_uv)], dim=1)  # (H, 2·Dh, R)
    theirs.load_state_dict({
        "q_proj.weight": layer.w_q.weight,
        "kv_a_proj_with_mqa.weight": torch.cat([layer.w_dkv.weight, layer.w_kr.weight]),
        "kv_a_layernorm.weight": layer.norm.weight,
        "kv_b_proj.weight": up.flatten(0, 1),
        "o_proj.weight": layer.w_o.weight,
    })
    return theirs


@pytest.mark.parametrize("base", [10_000.0, 50.0])
@pytest.mark.parametrize("sizes", SIZES)
def test_forward_is_deepseeks(sizes, base, monkeypatch):
    softmax = torch.softmax
    monkeypatch.setattr(nn.functional, "softmax", lambda x, dim, dtype=None: softmax(x, dim))  # theirs asks for float32
    layer, x, cotangent = layer_of(*sizes, base=base), random(2, 9, sizes[0]), random(2, 9, sizes[0], seed=2)
    theirs = deepseek(layer, *sizes, base)
    d_rope = sizes[-1]
    angles = torch.arange(9.0, dtype=torch.float64)[:, None] * base ** (-torch.arange(0, d_rope, 2, dtype=torch.float64) / d_rope)
    angles = torch.cat([angles, angles], dim=-1)[None]  # (1, T, d_rope): theirs are sorted by halves after unpairing the channels
    mask = torch.full((9, 9), -math.inf, dtype=torch.float64).triu(1)[None, None]
    inputs = [x.clone().requires_grad_() for _ in range(2)]
    ours = layer(inputs[0])
    reference = theirs(inputs[1], position_embeddings=(angles.cos(), angles.sin()), attention_mask=mask)[0]
    torch.testing.assert_close(ours, reference, **ROUNDING)
    ours.backward(cotangent)
    reference.backward(cotangent)
    torch.testing.assert_close(inputs[0].grad, inputs[1].grad, rtol=1e-9, atol=1e-10)
    torch.testing.assert_close(layer.w_dkv.weight.grad, theirs.kv_a_proj_with_mqa.weight.grad[: sizes[3]], rtol=1e-9, atol=1e-10)
    torch.testing.assert_close(layer.w_kr.weight.grad, theirs.kv_a_proj_with_mqa.weight.grad[sizes[3] :], rtol=1e-9, atol=1e-10)
    torch.testing.assert_close(layer.w_q.weight.grad, theirs.q_proj.weight.grad, rtol=1e-9, atol=1e-10)
    torch.testing.assert_close(layer.norm.weight.grad, theirs.kv_a_layernorm.weight.grad, rtol=1e-9, atol=1e-10)


def turned(row, position, base):
    """A row's neighbouring channels as complex numbers, turned by the position's angles."""
    width = len(row)
    angles = position * base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    return torch.view_as_real(torch.complex(row[0::2], row[1::2]) * torch.polar(torch.ones_like(angles), angles)).flatten()


def by_loops(layer, x, start=0):
    """One query and one head at a time, expanded; the tokens stand at start, start + 1 …"""
    n_heads, d_head = layer.n_heads, layer.d_head
    width = d_head + layer.d_rope
    rows = []
    for sequence in x:
        latents = [c * torch.rsqrt((c * c).mean() + 1e-6) * layer.norm.weight for c in sequence @ layer.w_dkv.weight.T]
        k_rope = [turned(k, start + t, layer.base) for t, k in enumerate(sequence @ layer.w_kr.weight.T)]
        for i, token in enumerate(sequence):
            heads = []
            for h in range(n_heads):
                rows_of_head = slice(h * d_head, (h + 1) * d_head)
                q = layer.w_q.weight[h * width : (h + 1) * width] @ token
                q_rope = turned(q[d_head:], start + i, layer.base)
                scores = [q[:d_head] @ (layer.w_uk.weight[rows_of_head] @ latents[j]) + q_rope @ k_rope[j] for j in range(i + 1)]
                weights = torch.softmax(torch.stack(scores) / width**0.5, 0)
                heads.append(sum(a * (layer.w_uv.weight[rows_of_head] @ c) for a, c in zip(weights, latents)))
            rows.append(layer.w_o.weight @ torch.cat(heads))
    return torch.stack(rows).view_as(x)


@pytest.mark.parametrize("sizes", SIZES)
def test_forward_by_loops(sizes):
    layer, x = layer_of(*sizes), random(2, 6, sizes[0])
    torch.testing.assert_close(layer(x), by_loops(layer, x), **ROUNDING)


@pytest.mark.parametrize("start", [0, 1, 977])
@pytest.mark.parametrize("sizes", SIZES)
def test_decode_is_forward_for_the_last_token(sizes, start):
    layer, x = layer_of(*sizes), random(3, 7, sizes[0])
    cache = layer.compress(x, torch.arange(start, start + 7))
    torch.testing.assert_close(layer.decode(x[:, -1:], *cache, start + 6), layer(x)[:, -1:], rtol=1e-10, atol=1e-11)


def test_decode_over_a_window_that_has_dropped_tokens():
    layer, x = layer_of(*SIZES[0]), random(2, 9, SIZES[0][0])
    latent, k_rope = layer.compress(x, torch.arange(9))
    got = layer.decode(x[:, -1:], latent[:, 4:], k_rope[:, 4:], 8)
    torch.testing.assert_close(got, by_loops(layer, x[:, 4:], start=4)[:, -1:], **ROUNDING)
    assert not torch.allclose(got, layer.decode(x[:, -1:], latent[:, 4:], k_rope[:, 4:], 4))


def test_decode_has_forwards_gradients():
    layer, x = layer_of(*SIZES[1]), random(2, 5, SIZES[1][0])
    cotangent = random(2, 1, SIZES[1][0], seed=3)
    layer.decode(x[:, -1:], *layer.compress(x, torch.arange(5)), 4).backward(cotangent)
    absorbed = {name: parameter.grad.clone() for name, parameter in layer.named_parameters()}
    layer.zero_grad()
    layer(x)[:, -1:].backward(cotangent)
    for name, parameter in layer.named_parameters():
        torch.testing.assert_close(absorbed[name], parameter.grad, rtol=1e-9, atol=1e-10)


def test_positions_of_each_sequence():
    layer, x = layer_of(*SIZES[0]), random(2, 4, SIZES[0][0])
    positions = torch.tensor([[0, 1, 2, 3], [40, 41, 42, 43]])
    latent, k_rope = layer.compress(x, positions)
    for b in range(2):
        one = layer.compress(x[b : b + 1], positions[b])
        torch.testing.assert_close((latent[b], k_rope[b]), (one[0][0], one[1][0]), **ROUNDING)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_lower_precision_keeps_its_dtype_and_most_of_its_digits(dtype):
    wide = layer_of(*SIZES[0])
    narrow, x = layer_of(*SIZES[0], dtype=dtype), random(2, 8, SIZES[0][0])
    cache = narrow.compress(x.to(dtype), torch.arange(8))
    tolerance = 60 * torch.finfo(dtype).eps
    for got in (narrow(x.to(dtype))[:, -1:], narrow.decode(x[:, -1:].to(dtype), *cache, 7)):
        assert got.dtype == dtype
        torch.testing.assert_close(got.double(), wide(x)[:, -1:], rtol=tolerance, atol=tolerance * wide(x).abs().max().item())


def test_one_token_and_noncontiguous_inputs():
    layer = layer_of(*SIZES[0])
    x = random(SIZES[0][0], 5, 1).permute(2, 1, 0)  # (1, 5, D), lying otherwise in memory
    torch.testing.assert_close(layer(x), layer(x.contiguous()), **ROUNDING)
    cache = layer.compress(x, torch.arange(5))
    apart = [part.mT.contiguous().mT for part in cache]
    torch.testing.assert_close(layer.decode(x[:, -1:], *apart, 4), layer(x)[:, -1:], **ROUNDING)
    torch.testing.assert_close(layer.decode(x[:, :1], cache[0][:, :1], cache[1][:, :1], 0), layer(x[:, :1]), **ROUNDING)


class Largest(torch.overrides.TorchFunctionMode):
    """Writes down the largest tensor that any function of torch's gives."""

    size = 0

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        result = function(*arguments, **(keywords or {}))
        if isinstance(result, torch.Tensor):
            self.size = max(self.size, result.numel())
        return result


def test_decode_makes_nothing_larger_than_the_cache_or_the_scores():
    n_tokens, n_heads, d_latent = 600, 8, 16
    layer = layer_of(8, n_heads, 32, d_latent, 4)
    latent, k_rope = random(2, n_tokens, d_latent), random(2, n_tokens, 4)
    with Largest() as largest, torch.no_grad():
        layer.decode(random(2, 1, 8), latent, k_rope, n_tokens)
    assert largest.size <= max(latent.numel(), 2 * n_heads * n_tokens)


def test_impossible_arguments():
    for n_heads, d_rope, number in ((0, 4, "0"), (2, 5, "5")):
        with pytest.raises(ValueError, match=number):
            MultiHeadLatentAttention(8, n_heads, 4, 6, d_rope)
    layer = layer_of(8, 2, 4, 6, 2)
    x, latent, k_rope = random(2, 1, 8), random(2, 5, 6), random(2, 5, 2)
    for arguments, numbers in (
        ((x, latent, k_rope[:, :4]), "5 .* 4"),
        ((random(2, 3, 8), latent, k_rope), "1 .* 3"),
        ((x[:1], latent, k_rope), "1, .* 2"),
        ((x, random(2, 5, 7), k_rope), "7 .* 6"),
        ((x, latent, random(2, 5, 4)), "4 .* 2"),
    ):
        with pytest.raises(ValueError, match=numbers):
            layer.decode(*arguments, 4)


def test_inputs_are_left_alone():
    layer, x = layer_of(*SIZES[0]), random(2, 5, SIZES[0][0])
    with torch.no_grad():
        arguments = x[:, -1:].clone(), *layer.compress(x, torch.arange(5))
        before = [argument.clone() for argument in (x, *arguments)]
        layer.decode(*arguments, 4)
        layer(x)
    assert all(torch.equal(one, other) for one, other in zip(before, (x, *arguments)))


def test_cache_bytes():
    assert mla_cache_bytes(60, 512, 64, 1) == 69_120  # DeepSeek-V2: 576 numbers a token and layer, in 16 bits
    assert mla_cache_bytes(3, 5, 7, 11, 13, 4) == 3 * 12 * 11 * 13 * 4
    assert type(mla_cache_bytes(1, 2, 3, 4)) is int
