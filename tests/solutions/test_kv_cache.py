"""solutions/kv_cache.py against PyTorch's attention, transformers' LlamaAttention and its cache; and where it has to refuse."""

import pytest
import torch
from torch.nn import functional as F

from solutions.kv_cache import CachedAttention, KVCache, kv_cache_bytes

CUTS = ([7], [1] * 7, [3, 4], [1, 6], [6, 1], [2, 1, 3, 1])


def sdpa(layer, x):
    """Causal attention with a module's weights by PyTorch's own function."""
    q, k, v = (w(x).unflatten(-1, (layer.n_heads, -1)).transpose(1, 2) for w in (layer.w_q, layer.w_k, layer.w_v))
    return layer.w_o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


def layer_and_tokens(batch=2, n_tokens=7, d_model=12, n_heads=3, bias=True, dtype=torch.float64):
    torch.manual_seed(0)
    return CachedAttention(d_model, n_heads, bias).to(dtype), torch.randn(batch, n_tokens, d_model, dtype=dtype)


def in_pieces(layer, x, cache, sizes):
    return torch.cat([layer(piece, cache) for piece in x.split(sizes, dim=1)], dim=1)


@pytest.mark.parametrize("n_heads", [1, 3, 12])
@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("cut", CUTS, ids=str)
def test_any_cut_gives_pytorchs_outputs(cut, batch, n_heads):
    layer, x = layer_and_tokens(batch, n_heads=n_heads)
    cache = KVCache(batch, n_heads, 9, 12 // n_heads, torch.float64)
    torch.testing.assert_close(in_pieces(layer, x, cache, cut), sdpa(layer, x), rtol=1e-12, atol=1e-12)
    assert len(cache) == 7


def test_against_llama_attention_and_its_cache():
    transformers = pytest.importorskip("transformers")
    from transformers.models.llama.modeling_llama import LlamaAttention

    layer, x = layer_and_tokens(bias=False)
    sizes = {"hidden_size": 12, "num_attention_heads": 3, "num_key_value_heads": 3}
    config = transformers.LlamaConfig(**sizes, attn_implementation="sdpa")  # eager takes its softmax in float32
    theirs = LlamaAttention(config, layer_idx=0).double()
    theirs.load_state_dict({f"{name}_proj.weight": getattr(layer, f"w_{name}").weight for name in "qkvo"})
    held, cache, at = transformers.DynamicCache(config=config), KVCache(2, 3, 7, 4, torch.float64), 0
    for size in (3, 1, 3):
        piece = x[:, at : at + size]
        still = torch.ones(2, size, 4, dtype=torch.float64), torch.zeros(2, size, 4, dtype=torch.float64)  # cos and sin of no rotation
        seen = torch.ones(size, at + size, dtype=torch.bool).tril(at)
        want, _ = theirs(piece, still, torch.where(seen, 0.0, -torch.inf).double()[None, None], cache=held)
        torch.testing.assert_close(layer(piece, cache), want, rtol=1e-12, atol=1e-12)
        at += size
    torch.testing.assert_close(cache.keys, held.layers[0].keys, rtol=0, atol=0)
    torch.testing.assert_close(cache.values, held.layers[0].values, rtol=0, atol=0)


def test_gradients_without_a_cache_are_pytorchs():
    layer, x = layer_and_tokens()
    cotangent = torch.randn_like(x)
    wanted = [x.requires_grad_(), *layer.parameters()]
    found = [torch.autograd.grad(function(x), wanted, cotangent) for function in (layer, lambda x: sdpa(layer, x))]
    for ours, theirs in zip(*found):
        torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-11)


def test_gradients_through_a_cache_are_those_of_the_whole():
    layer, x = layer_and_tokens()
    x.requires_grad_()
    cotangent = torch.randn_like(x)
    whole = torch.autograd.grad(layer(x), x, cotangent)
    cached = torch.autograd.grad(layer(x, KVCache(2, 3, 9, 4, torch.float64)), x, cotangent)
    torch.testing.assert_close(cached, whole, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("of_cache", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@torch.no_grad()
def test_a_cache_of_another_dtype_rounds_keys_and_values_and_nothing_else(dtype, of_cache):
    layer, x = layer_and_tokens(dtype=dtype)
    q, k, v = (w(x).unflatten(-1, (3, -1)).transpose(1, 2) for w in (layer.w_q, layer.w_k, layer.w_v))
    wide = F.scaled_dot_product_attention(q.double(), k.to(of_cache).double(), v.to(of_cache).double(), is_causal=True)
    want = layer.w_o(wide.transpose(1, 2).flatten(2).to(dtype))
    for cut in CUTS:
        got = in_pieces(layer, x, KVCache(2, 3, 7, 4, of_cache), cut)
        assert got.dtype == dtype
        unit = torch.finfo(torch.promote_types(dtype, torch.float32) if dtype == torch.float64 else dtype).eps
        torch.testing.assert_close(got, want, rtol=0, atol=8 * unit * float(want.abs().max()))


def test_what_is_appended_is_copied_and_what_is_given_back_stays():
    cache = KVCache(2, 3, 6, 4)
    k, v = torch.randn(2, 3, 2, 4), torch.randn(2, 3, 2, 4)
    first = cache.append(k, v)
    kept = [one.clone() for one in (k, v)]
    k.zero_(), v.zero_()
    second = cache.append(torch.randn(2, 3, 3, 4), torch.randn(2, 3, 3, 4))
    for one, two, want in zip(first, second, kept):
        assert torch.equal(one, want) and torch.equal(two[:, :, :2], want)


def test_keys_from_split_heads_need_not_be_contiguous():
    k, v = (torch.randn(2, 5, 3, 4).transpose(1, 2) for _ in range(2))
    keys, values = KVCache(2, 3, 8, 4).append(k, v)
    assert torch.equal(keys, k) and torch.equal(values, v)


def test_room_is_made_once():
    cache = KVCache(2, 3, 8, 4)
    place = cache.keys.data_ptr()
    for _ in range(8):
        keys, _ = cache.append(torch.randn(2, 3, 1, 4), torch.randn(2, 3, 1, 4))
        assert keys.data_ptr() == place


@pytest.mark.parametrize(
    ("k", "v", "numbers"),
    [
        ((1, 3, 2, 4), (1, 3, 2, 4), (2, 1)),
        ((2, 1, 2, 4), (2, 1, 2, 4), (3, 1)),
        ((2, 3, 2, 1), (2, 3, 2, 1), (4, 1)),
        ((2, 3, 2, 4), (2, 3, 2, 7), (4, 7)),
        ((2, 3, 2, 4), (2, 3, 1, 4), (2, 1)),
        ((2, 3, 7, 4), (2, 3, 7, 4), (9, 8)),
    ],
)
def test_a_refused_append_names_two_numbers_and_changes_nothing(k, v, numbers):
    cache = KVCache(2, 3, 8, 4)
    before = torch.randn(2, 3, 2, 4)
    cache.append(before, before)
    contents = cache.keys.clone(), cache.values.clone()
    with pytest.raises(ValueError) as error:
        cache.append(torch.randn(k), torch.randn(v))
    assert all(str(number) in str(error.value) for number in numbers)
    assert len(cache) == 2 and torch.equal(cache.keys, contents[0]) and torch.equal(cache.values, contents[1])


def test_attention_lets_the_refusal_through():
    layer, x = layer_and_tokens()
    cache = KVCache(2, 3, 5, 4, torch.float64)
    layer(x[:, :3], cache)
    with pytest.raises(ValueError, match="3 \\+ 4 = 7 .* 5"):
        layer(x[:, 3:], cache)
    assert len(cache) == 3
    torch.testing.assert_close(layer(x[:, 3:5], cache), sdpa(layer, x)[:, 3:5], rtol=1e-12, atol=1e-12)
    with pytest.raises(ValueError):
        layer(x[:1], KVCache(2, 3, 5, 4))
    with pytest.raises(ValueError, match="13.*3"):
        CachedAttention(13, 3)
    with pytest.raises(ValueError):
        KVCache(2, 0, 5, 4)


def test_it_takes_what_transformers_cache_takes():
    transformers = pytest.importorskip("transformers")
    cache = transformers.DynamicCache()
    for layer in range(3):
        cache.update(torch.zeros(5, 2, 11, 8, dtype=torch.float16), torch.zeros(5, 2, 11, 8, dtype=torch.float16), layer)
    theirs = sum(one.keys.nbytes + one.values.nbytes for one in cache.layers)
    assert kv_cache_bytes(3, 2, 8, 11, 5) == theirs
    ours = KVCache(5, 2, 11, 8, torch.float16)
    assert kv_cache_bytes(1, 2, 8, 11, 5, ours.keys.element_size()) == ours.keys.nbytes + ours.values.nbytes


def test_published_sizes():
    assert kv_cache_bytes(80, 8, 128, 1) == 320 * 1024  # Llama 3 70B, a token in 16 bits
    assert kv_cache_bytes(80, 64, 128, 1) == 2.5 * 2**20  # with as many KV heads as query heads
    assert type(kv_cache_bytes(80, 8, 128, 131_072, 64)) is int
