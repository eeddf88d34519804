"""Rotary positions against transformers' Llama (half-split) and complex numbers in float64 (interleaved), gradients included."""

import cmath

import pytest
import torch
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

from solutions.rope import apply_rope

LEADING = [(), (3,), (3, 2), (1, 4), (2, 1, 3)]
LAYOUTS = [False, True]


def random(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def places(i, d_head, interleaved):
    """The two channels of pair i."""
    return (2 * i, 2 * i + 1) if interleaved else (i, i + d_head // 2)


def with_complex_numbers(x, positions, base, interleaved):
    """One token and one pair at a time: the pair as a complex number, times e^(ipθ). x (T, Dh), positions (T,)."""
    out = torch.zeros(x.shape, dtype=torch.float64)
    for t, position in enumerate(positions.tolist()):
        for i in range(x.shape[-1] // 2):
            a, b = places(i, x.shape[-1], interleaved)
            turned = complex(x[t, a], x[t, b]) * cmath.exp(1j * position * base ** (-2 * i / x.shape[-1]))
            out[t, a], out[t, b] = turned.real, turned.imag
    return out


def llama(x, positions, base):
    """transformers' rotary embedding of x (B, H, T, Dh), positions (B, T)."""
    config = LlamaConfig(hidden_size=x.shape[-1] * 2, num_attention_heads=2, head_dim=x.shape[-1],
                         rope_parameters={"rope_type": "default", "rope_theta": base})
    return apply_rotary_pos_emb(x, x, *LlamaRotaryEmbedding(config)(x, positions))[0]


@pytest.mark.parametrize("interleaved", LAYOUTS)
@pytest.mark.parametrize("base", [10000.0, 500000.0, 100.0, 1.0])
@pytest.mark.parametrize("d_head", [2, 4, 6, 64])
def test_it_is_a_product_of_complex_numbers(d_head, base, interleaved):
    x, positions = random(6, d_head), torch.tensor([0, 1, 2, 17, 5, 4096])
    want = with_complex_numbers(x, positions, base, interleaved)
    torch.testing.assert_close(apply_rope(x, positions, base, interleaved), want, rtol=0, atol=1e-11)


@pytest.mark.parametrize("base", [10000.0, 500000.0])
@pytest.mark.parametrize("shape", [(2, 3, 5, 8), (1, 1, 1, 2), (3, 3, 3, 64)])
def test_half_split_is_llamas(shape, base):
    x = random(*shape)
    positions = torch.randint(0, 300, (shape[0], shape[2]), generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(apply_rope(x, positions, base), llama(x, positions, base), rtol=0, atol=3e-4)  # Llama's angles are float32
    near = positions % 4
    torch.testing.assert_close(apply_rope(x, near, base), llama(x, near, base), rtol=0, atol=3e-6)


@pytest.mark.parametrize("interleaved", LAYOUTS)
@pytest.mark.parametrize("leading", LEADING)
def test_leading_dimensions_and_positions_of_sequences(leading, interleaved):
    x = random(*leading, 5, 6)
    positions = torch.tensor([3, 0, 9, 100, 4])
    flat = x.reshape(-1, 5, 6)
    want = torch.stack([with_complex_numbers(one, positions, 10000.0, interleaved) for one in flat]).reshape(x.shape)
    torch.testing.assert_close(apply_rope(x, positions, interleaved=interleaved), want, rtol=0, atol=1e-12)
    if leading:
        own = torch.stack([positions + 7 * b for b in range(leading[0])])
        want = torch.stack([apply_rope(one, p, interleaved=interleaved) for one, p in zip(x, own)])
        assert torch.equal(apply_rope(x, own, interleaved=interleaved), want)


@pytest.mark.parametrize("interleaved", LAYOUTS)
def test_scores_depend_on_the_distance_alone(interleaved):
    q, k = random(1, 16), random(1, 16, seed=1)

    def score(p_query, p_key):
        turned = (apply_rope(x, torch.tensor([p]), interleaved=interleaved) for x, p in ((q, p_query), (k, p_key)))
        return float(torch.linalg.vecdot(*turned))

    for distance in (-5, 0, 3):
        scores = [score(start + distance, start) for start in (5, 50, 5000)]
        assert max(scores) - min(scores) < 1e-10
    assert abs(score(9, 5) - score(8, 5)) > 1e-3


@pytest.mark.parametrize("interleaved", LAYOUTS)
def test_gradients(interleaved):
    x, positions = random(2, 3, 4, 6).requires_grad_(), torch.tensor([[0, 1, 2, 3], [9, 5, 7, 2]])
    assert torch.autograd.gradcheck(lambda y: apply_rope(y, positions, 100.0, interleaved), x)
    cotangent = random(2, 3, 4, 6, seed=2)
    apply_rope(x, positions, 100.0, interleaved).backward(cotangent)
    torch.testing.assert_close(x.grad, apply_rope(cotangent, -positions, 100.0, interleaved), rtol=0, atol=1e-12)


@pytest.mark.parametrize("interleaved", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_dtypes(dtype, interleaved):
    x, positions = random(7, 8, dtype=dtype), 4001 + torch.arange(7)
    got = apply_rope(x, positions, interleaved=interleaved)
    assert got.dtype == dtype
    want = apply_rope(x.double(), positions, interleaved=interleaved)
    assert (got.double() - want).abs().max() <= 2 * torch.finfo(dtype).eps * want.abs().max() + (2e-3 if dtype != torch.float64 else 0)
    assert apply_rope(torch.ones(2, 4, dtype=torch.int64), torch.arange(2)).dtype == torch.float64


def test_inputs_stay_and_need_not_be_contiguous():
    x, positions = random(2, 5, 3, 8).transpose(1, 2), torch.arange(10)[::2]
    before = x.clone()
    assert torch.equal(apply_rope(x, positions), apply_rope(x.contiguous(), positions.contiguous()))
    assert torch.equal(apply_rope(x[..., ::2], positions, 10.0, True), apply_rope(x[..., ::2].contiguous(), positions, 10.0, True))
    assert torch.equal(x, before) and torch.equal(positions, torch.arange(0, 10, 2))


@pytest.mark.parametrize(
    ("shape", "positions", "numbers"),
    [
        ((4, 7), (4,), "7"),
        ((4, 6), (5,), "4 tokens.* 5 positions"),
        ((4, 6), (1,), "4 tokens.* 1 positions"),
        ((2, 3, 4, 6), (2, 3), "4 tokens.* 3 positions"),
        ((2, 3, 4, 6), (3, 4), "2 sequences.* for 3"),
        ((2, 3, 4, 6), (1, 4), "2 sequences.* for 1"),
        ((4, 6), (4, 4), "1 sequences.* for 4"),
        ((4, 6), (), "these have 0"),
        ((4, 6), (1, 1, 4), "these have 3"),
    ],
)
def test_what_cannot_be_says_so(shape, positions, numbers):
    with pytest.raises(ValueError, match=numbers):
        apply_rope(random(*shape), torch.zeros(positions, dtype=torch.int64))
