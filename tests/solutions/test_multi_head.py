"""Multi-head attention against PyTorch's own, nn.MultiheadAttention and scaled_dot_product_attention, in float64, gradients included."""

import math

import pytest
import torch
import torch.nn.functional as F

from solutions.multi_head import MultiHeadAttention, attention, merge_heads, split_heads

SIZES = [(1, 1, 1, 1), (5, 5, 4, 4), (3, 7, 4, 6), (7, 3, 5, 2), (1, 9, 8, 8), (9, 1, 2, 3)]  # L, S, Dh, Dv
LEADING = [(), (1,), (2,), (2, 3)]


def inputs(*shapes, dtype=torch.float64, seed=0):
    """Tensors of normally distributed numbers."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, dtype=torch.float64, generator=generator).to(dtype) for shape in shapes]


def mask_of(*shape, seed=0):
    """A random mask, in which some rows may be empty."""
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.5


def close(got, want, tolerance=1e-12):
    torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance)


def gradients(function, tensors, cotangent):
    """What autograd makes of Σ result · cotangent, for each tensor."""
    leaves = [x.clone().requires_grad_() for x in tensors]
    function(*leaves).backward(cotangent)
    return [x.grad for x in leaves]


def library(q, k, v, mask=None):
    """PyTorch's attention; a query that may see nothing gets zeros, by a product that lets no gradient through."""
    if mask is None:
        return F.scaled_dot_product_attention(q, k, v)
    some = mask.any(-1, keepdim=True)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask | ~some) * some


# split_heads and merge_heads


def test_a_head_has_a_slice_of_each_token():
    (x,) = inputs((2, 5, 12))
    for n_heads in (1, 2, 3, 4, 6, 12):
        heads, width = split_heads(x, n_heads), 12 // n_heads
        assert heads.shape == (2, n_heads, 5, width)
        for h in range(n_heads):
            assert torch.equal(heads[:, h], x[:, :, h * width : (h + 1) * width])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64])
def test_merging_undoes_splitting(dtype):
    (x,) = inputs((2, 5, 12))
    x = (100 * x).to(dtype)
    before = x.clone()
    for n_heads in (1, 3, 12):
        back = merge_heads(split_heads(x, n_heads))
        assert back.dtype == dtype and torch.equal(back, x)
        assert torch.equal(merge_heads(split_heads(x, n_heads).contiguous()), x)
    assert torch.equal(x, before)


def test_of_a_tensor_that_lies_otherwise():
    (x,) = inputs((12, 5, 2))
    assert torch.equal(split_heads(x.transpose(0, 2), 3), split_heads(x.transpose(0, 2).contiguous(), 3))


def test_gradients_of_moving():
    (x,), (cotangent,) = inputs((2, 5, 12)), inputs((2, 3, 5, 4), seed=1)
    assert torch.equal(gradients(lambda x: split_heads(x, 3), [x], cotangent)[0], merge_heads(cotangent))
    assert torch.equal(gradients(merge_heads, [cotangent], x)[0], split_heads(x, 3))


@pytest.mark.parametrize("n_heads", [0, -1, 5, 24])
def test_heads_that_do_not_share_out(n_heads):
    with pytest.raises(ValueError, match=rf"\b12\b.*{n_heads}\b"):
        split_heads(torch.zeros(1, 2, 12), n_heads)
    with pytest.raises(ValueError, match=rf"\b12\b.*{n_heads}\b"):
        MultiHeadAttention(12, n_heads)


# attention


@pytest.mark.parametrize("leading", LEADING)
@pytest.mark.parametrize(("n_queries", "n_keys", "d_head", "d_value"), SIZES)
def test_attention_is_the_librarys(leading, n_queries, n_keys, d_head, d_value):
    q, k, v = inputs((*leading, n_queries, d_head), (*leading, n_keys, d_head), (*leading, n_keys, d_value))
    (cotangent,) = inputs((*leading, n_queries, d_value), seed=1)
    for mask in (None, mask_of(n_queries, n_keys), mask_of(*leading, 1, n_keys), mask_of(n_keys)):
        def ours(q, k, v):
            return attention(q, k, v, mask)

        def theirs(q, k, v):
            return library(q, k, v, None if mask is None else mask.expand(*leading, n_queries, n_keys))

        close(ours(q, k, v), theirs(q, k, v))
        for got, want in zip(gradients(ours, (q, k, v), cotangent), gradients(theirs, (q, k, v), cotangent)):
            close(got, want)


def test_gradients_by_differences():
    q, k, v = (x.requires_grad_() for x in inputs((2, 3, 2), (2, 4, 2), (2, 4, 3)))
    mask = mask_of(3, 4)
    mask[1] = False
    assert torch.autograd.gradcheck(lambda *qkv: attention(*qkv, mask), (q, k, v))


def test_leading_dimensions_broadcast():
    q, k, v = inputs((2, 1, 3, 4), (5, 6, 4), (6, 2))
    want = library(q.expand(2, 5, 3, 4), k.expand(2, 5, 6, 4), v.expand(2, 5, 6, 2))
    close(attention(q, k, v), want)
    close(attention(q[0, 0], k, v), want[0])
    close(attention(q, k, v, mask_of(2, 1, 1, 6)), library(q.expand(2, 5, 3, 4), k.expand(2, 5, 6, 4), v.expand(2, 5, 6, 2), mask_of(2, 1, 1, 6).expand(2, 5, 3, 6)))


def test_a_query_that_sees_nothing():
    q, k, v = inputs((2, 3, 4), (2, 5, 4), (2, 5, 6))
    mask = torch.ones(3, 5, dtype=torch.bool)
    mask[1] = False
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        x = [y.to(dtype) for y in (q, k, v)]
        output = attention(*x, mask)
        assert output.dtype == dtype and torch.equal(output[:, 1], torch.zeros_like(output[:, 1]))
        close(output[:, 0], attention(*x)[:, 0], 1e-2)
        of_q, of_k, of_v = gradients(lambda q, k, v: attention(q, k, v, mask), x, torch.ones_like(output))
        assert all(torch.isfinite(g).all() for g in (of_q, of_k, of_v)) and not of_q[:, 1].any()
    assert not attention(q, k, v, torch.zeros(1, 1, dtype=torch.bool)).any()
    assert not attention(q, k[:, :0], v[:, :0]).any()  # no keys at all


def test_a_forbidden_key_counts_for_nothing():
    q, k, v = inputs((3, 4), (5, 4), (5, 6))
    mask = torch.tensor([True, True, False, True, True])
    want = attention(q, k[mask], v[mask])
    k[2] *= 1e6
    v[2] = 1e6
    close(attention(q, k, v, mask), want)
    assert not gradients(lambda q, k, v: attention(q, k, v, mask), (q, k, v), torch.ones(3, 6).double())[2][2].any()


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float16, 2e-3), (torch.bfloat16, 2e-2)])
def test_narrow_dtypes(dtype, tolerance):
    q, k, v = inputs((2, 7, 16), (2, 9, 16), (2, 9, 5), dtype=dtype)
    got = attention(q, k, v)
    assert got.dtype == dtype
    close(got.double(), library(q.double(), k.double(), v.double()), tolerance)
    assert attention(q, k.double(), v.double()).dtype == dtype
    large = torch.full((1, 16), 200.0, dtype=dtype)
    assert attention(large, torch.cat([large, large / 2]), torch.tensor([[3.0], [8.0]], dtype=dtype)).item() == 3  # scores over 65,504


def test_integers_give_float64():
    q, k, v = torch.tensor([[1, 0]]), torch.tensor([[1, 1], [0, 1]]), torch.tensor([[2], [4]])
    got = attention(q, k, v)
    assert got.dtype == torch.float64
    close(got, library(q.double(), k.double(), v.double()))


@pytest.mark.parametrize(("shapes", "mask", "numbers"), [
    (((3, 4), (5, 6), (5, 2)), None, (4, 6)),
    (((3, 4), (5, 4), (6, 2)), None, (5, 6)),
    (((2, 3, 4), (7, 5, 4), (5, 2)), None, (2, 7)),
    (((3, 4), (5, 4), (5, 2)), (3, 6), (5, 6)),
    (((3, 4), (5, 4), (5, 2)), (2, 3, 5), (2, 3)),
])
def test_sizes_that_disagree(shapes, mask, numbers):
    with pytest.raises(ValueError) as raised:
        attention(*inputs(*shapes), None if mask is None else mask_of(*mask))
    assert all(str(number) in str(raised.value) for number in numbers)


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.uint8])
def test_a_mask_of_numbers(dtype):
    with pytest.raises(TypeError, match=str(dtype)):
        attention(*inputs((3, 4), (5, 4), (5, 2)), torch.ones(3, 5, dtype=dtype))


def test_nothing_is_changed():
    given = [*inputs((2, 3, 4), (2, 5, 4), (2, 5, 2)), mask_of(3, 5)]
    before = [x.clone() for x in given]
    attention(*given)
    assert all(torch.equal(x, y) for x, y in zip(given, before))


# MultiHeadAttention


def pair(d_model, n_heads, bias, seed=0):
    """The module and PyTorch's with the same weights, both in float64; with biases that are not zero."""
    torch.manual_seed(seed)
    ours = MultiHeadAttention(d_model, n_heads, bias).double()
    theirs = torch.nn.MultiheadAttention(d_model, n_heads, bias=bias, batch_first=True).double()
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.normal_(0, d_model**-0.5)
        theirs.in_proj_weight.copy_(torch.cat([ours.w_q.weight, ours.w_k.weight, ours.w_v.weight]))
        theirs.out_proj.weight.copy_(ours.w_o.weight)
        if bias:
            theirs.in_proj_bias.copy_(torch.cat([ours.w_q.bias, ours.w_k.bias, ours.w_v.bias]))
            theirs.out_proj.bias.copy_(ours.w_o.bias)
    return ours, theirs


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("n_heads", [1, 2, 3, 12])
def test_the_module_is_the_librarys(n_heads, bias):
    ours, theirs = pair(12, n_heads, bias)
    x, cotangent = inputs((2, 5, 12), (2, 5, 12))
    causal = torch.ones(5, 5, dtype=torch.bool).tril()
    of_heads = mask_of(2, n_heads, 5, 5) | torch.eye(5, dtype=torch.bool)
    for mask, same in ((None, None), (causal, ~causal), (of_heads, ~of_heads.flatten(0, 1))):  # PyTorch's mask: True = may not
        ours.zero_grad()
        theirs.zero_grad()
        a, b = (x.clone().requires_grad_() for _ in range(2))
        got, want = ours(a, mask), theirs(b, b, b, attn_mask=same, need_weights=False)[0]
        close(got, want)
        got.backward(cotangent)
        want.backward(cotangent)
        close(a.grad, b.grad)
        close(torch.cat([ours.w_q.weight.grad, ours.w_k.weight.grad, ours.w_v.weight.grad]), theirs.in_proj_weight.grad)
        close(ours.w_o.weight.grad, theirs.out_proj.weight.grad)
        if bias:
            close(torch.cat([ours.w_q.bias.grad, ours.w_k.bias.grad, ours.w_v.bias.grad]), theirs.in_proj_bias.grad)
            close(ours.w_o.bias.grad, theirs.out_proj.bias.grad)


def test_a_padding_mask():
    ours, theirs = pair(8, 2, True)
    (x,) = inputs((3, 6, 8))
    tokens = torch.arange(6) < torch.tensor([6, 1, 4])[:, None]  # (B, T)
    close(ours(x, tokens[:, None, None]), theirs(x, x, x, key_padding_mask=~tokens, need_weights=False)[0])


def test_a_token_that_sees_nothing_gets_the_bias():
    ours, _ = pair(8, 2, True)
    (x,) = inputs((2, 4, 8))
    mask = torch.ones(2, 1, 1, 4, dtype=torch.bool)
    mask[1] = False
    x.requires_grad_()
    output = ours(x, mask)
    close(output[1], ours.w_o.bias.expand(4, 8))
    close(output[0], ours(x)[0])
    output.sum().backward()
    assert not x.grad[1].any() and all(torch.isfinite(p.grad).all() for p in ours.parameters())
    without, _ = pair(8, 2, False)
    assert not without(x, mask)[1].any()


@pytest.mark.parametrize(("bias", "n_parameters"), [(False, 4 * 12**2), (True, 4 * 12**2 + 4 * 12)])
def test_parameters(bias, n_parameters):
    for n_heads in (1, 3, 12):
        module = MultiHeadAttention(12, n_heads, bias)
        assert sum(p.numel() for p in module.parameters()) == n_parameters
        assert {name.split(".")[0] for name in module.state_dict()} == {"w_q", "w_k", "w_v", "w_o"}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_the_module_keeps_its_dtype(dtype):
    module = MultiHeadAttention(12, 3).to(dtype)
    (x,) = inputs((2, 5, 12), dtype=dtype)
    got = module(x, torch.ones(5, 5, dtype=torch.bool).tril())
    assert got.dtype == dtype and torch.isfinite(got).all()


def test_one_head_is_attention_alone():
    ours, _ = pair(6, 1, False)
    (x,) = inputs((2, 5, 6))
    q, k, v = ours.w_q(x), ours.w_k(x), ours.w_v(x)
    close(ours(x), ours.w_o(torch.softmax(q @ k.mT / math.sqrt(6), -1) @ v))


@pytest.mark.parametrize("shape", [(5, 4), (3, 1, 5, 5), (3, 5, 5)])
def test_a_mask_of_another_shape(shape):
    with pytest.raises(ValueError, match="does not broadcast"):
        MultiHeadAttention(8, 2)(inputs((2, 5, 8), dtype=torch.float32)[0], mask_of(*shape))
