"""The reference solution of single-head against PyTorch in float64, over the edge cases that find faults."""

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from solutions import single_head

CASES = {
    "one token": ((), 1, 1, 4, 4),
    "square": ((), 6, 6, 8, 8),
    "more keys than queries": ((3,), 4, 9, 5, 7),
    "more queries than keys": ((2, 3), 9, 4, 5, 2),
    "width of one": ((2,), 5, 5, 1, 1),
}


def inputs(leading, n_queries, n_keys, d_head, d_value, seed=0):
    draw = np.random.default_rng(seed)
    return (draw.normal(size=(*leading, n, d)) for n, d in ((n_queries, d_head), (n_keys, d_head), (n_keys, d_value)))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("masked", [False, True])
def test_attention_is_pytorchs(case, masked):
    q, k, v = inputs(*CASES[case])
    mask = single_head.causal_mask(q.shape[-2], k.shape[-2]) if masked else None
    output, weights = single_head.attention(q, k, v, mask)
    want = scaled_dot_product_attention(*map(torch.tensor, (q, k, v)), attn_mask=None if mask is None else torch.tensor(mask)).numpy()
    seen = np.broadcast_to(True if mask is None else mask.any(-1), output.shape[:-1])
    np.testing.assert_allclose(output[seen], want[seen], rtol=0, atol=1e-14)
    assert (output[~seen] == 0).all() and (weights[~seen] == 0).all()
    np.testing.assert_allclose(weights[seen].sum(-1), 1, atol=1e-14)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_softmax_is_pytorchs(axis):
    x = np.random.default_rng(1).normal(size=(3, 4, 5)) * 300
    np.testing.assert_allclose(single_head.softmax(x, axis), torch.softmax(torch.tensor(x), axis).numpy(), rtol=1e-13, atol=0)


def test_empty_inputs_have_their_shapes():
    assert single_head.softmax(np.zeros((2, 0))).shape == (2, 0)
    output, weights = single_head.attention(np.zeros((2, 3)), np.zeros((0, 3)), np.zeros((0, 5)))
    assert output.shape == (2, 5) and weights.shape == (2, 0) and not output.any()


def test_peaked_scores_and_a_needle():
    q, k, v = inputs((), 3, 500, 16, 4)
    k[123] = 50 * q[0]
    output, weights = single_head.attention(q, k, v)
    assert weights[0].argmax() == 123 and weights[0, 123] > 0.999
    np.testing.assert_allclose(output, scaled_dot_product_attention(*map(torch.tensor, (q, k, v))).numpy(), atol=1e-13)


def test_float16_is_computed_in_float32():
    q, k, v = (x.astype(np.float16) for x in inputs((), 4, 300, 64, 8))
    output, _ = single_head.attention(q * 8, k * 8, v)
    want, _ = single_head.attention(*(x.astype(np.float64) for x in (q * 8, k * 8, v)))
    assert output.dtype == np.float16
    np.testing.assert_allclose(output, want.astype(np.float16), rtol=2e-3, atol=1e-4)
