"""Hidden tests of kv-cache. A test's docstring is the sentence that a student reads beside its result.

Tests of CachedAttention that are not about the empty cache put earlier tokens into it by append(), so that a solution that takes an
empty cache for none loses that test's points and no others. Where a test is about one step it hands over one token, so that no mask is needed.
"""

import torch

from autograder.hidden import Wrong, catches, cuda, expect, fails, points
from autograder.hidden.judge import expect_number, expect_pair, no_whole_number
from autograder.hidden.pytorch import ON_GPU, layer_gradients, require_parameters
from autograder.messages import message

WEIGHTS = ("w_q", "w_k", "w_v", "w_o")


# kv_cache_bytes


@points(0.75, part="kv_cache_bytes")
@catches("bytes-keys-alone", "bytes-one-layer", "bytes-one-head", "bytes-batch-left-out", "bytes-in-bits", "bytes-length-squared", "bytes-two-twice")
def test_bytes_formula(student, reference, draw):
    """Keys and values of every layer, head, token and sequence are counted, in bytes."""
    for _ in range(2):
        sizes = draw.different_sizes(6, 3, 90)
        expect_bytes(student.kv_cache_bytes(*sizes), reference.kv_cache_bytes(*sizes))
    expect_bytes(student.kv_cache_bytes(80, 8, 128, 100_000, 7, 4), reference.kv_cache_bytes(80, 8, 128, 100_000, 7, 4))


@points(0.25, part="kv_cache_bytes")
@catches("bytes-not-whole")
def test_bytes_whole(student, reference, draw):
    """The result is a whole number; one sequence and 2 bytes a number are taken where nothing else is said."""
    sizes, batch_size = draw.different_sizes(4, 3, 90), draw.size(3, 9)
    for got, whole in (
        (student.kv_cache_bytes(*sizes), student.kv_cache_bytes(*sizes, 1, 2)),
        (student.kv_cache_bytes(*sizes, batch_size=batch_size), student.kv_cache_bytes(*sizes, batch_size, 2)),
        (student.kv_cache_bytes(*sizes, bytes_per_element=1), student.kv_cache_bytes(*sizes, 1, 1)),
    ):
        if type(got) is not int:
            raise no_whole_number(got, "kv_cache_bytes")
        expect_bytes(got, whole)


# KVCache


@points(0.75, part="KVCache")
@catches("values-are-keys", "keys-and-values-one-tensor", "returns-whole-buffer", "values-and-keys-swapped")
def test_cache_first(student, draw):
    """The first tokens come back as they were handed in, keys as keys and values as values, and no empty places with them."""
    for n_tokens in (1, draw.size(2, 5)):
        cache, sizes = cache_of(student, draw, max_len=n_tokens + draw.size(2, 5))
        k, v = fresh_kv(draw, sizes, n_tokens)
        compare_held(cache.append(k, v), k, v)


@points(1.0, part="KVCache")
@catches("append-overwrites", "append-returns-new-alone", "newest-first", "counts-appends", "later-values-lost")
def test_cache_several(student, draw):
    """After several appends all tokens come back, in the order in which they came."""
    cache, sizes = cache_of(student, draw, max_len=draw.size(12, 20))
    held = []
    for n_tokens in (draw.size(2, 4), 1, draw.size(2, 4), 1, 1):
        held.append(fresh_kv(draw, sizes, n_tokens))
        k, v = (torch.cat(parts, dim=2) for parts in zip(*held))
        compare_held(cache.append(*held[-1]), k, v)


@points(0.5, part="KVCache")
@catches("len-is-room", "len-counts-appends", "length-not-moved")
def test_cache_length(student, draw):
    """len() is the number of tokens that are held: none at first, and not the room that there is."""
    cache, sizes = cache_of(student, draw, max_len=draw.size(12, 20))
    expect_length(cache, 0)
    n_tokens = 0
    for more in (draw.size(2, 5), 1, draw.size(2, 5)):
        cache.append(*fresh_kv(draw, sizes, more))
        n_tokens += more
        expect_length(cache, n_tokens)


@points(0.5, part="KVCache")
@catches("full-too-early", "full-not-checked", "full-drops-oldest", "full-drops-newest", "full-grows")
def test_cache_full(student, draw):
    """max_len tokens fit to the last; one more raises ValueError with the number that there would be and max_len."""
    max_len = draw.size(5, 9)
    cache, sizes = cache_of(student, draw, max_len)
    cache.append(*fresh_kv(draw, sizes, max_len - 2))
    cache.append(*fresh_kv(draw, sizes, 2))
    fails_full(cache, fresh_kv(draw, sizes, 1), held=max_len, max_len=max_len)
    cache, sizes = cache_of(student, draw, 30 + max_len)
    cache.append(*fresh_kv(draw, sizes, 25))
    fails_full(cache, fresh_kv(draw, sizes, 6 + max_len), held=25, max_len=30 + max_len)


@points(0.25, part="KVCache")
@catches("failed-append-counts", "failed-append-keeps-keys")
def test_cache_failed(student, draw):
    """A call that fails leaves the cache as it was."""
    max_len = draw.size(8, 12)
    cache, sizes = cache_of(student, draw, max_len)
    k, v = fresh_kv(draw, sizes, 3)
    cache.append(k, v)
    with fails("ValueError"):
        cache.append(*fresh_kv(draw, sizes, max_len - 2))
    with fails("ValueError"):
        cache.append(fresh_kv(draw, sizes, 2)[0], fresh_kv(draw, sizes, 1)[1])
    more = fresh_kv(draw, sizes, 2)
    compare_held(cache.append(*more), torch.cat([k, more[0]], 2), torch.cat([v, more[1]], 2))


@points(0.5, part="KVCache")
@catches("batch-broadcast", "values-not-checked", "heads-not-checked")
def test_cache_sizes(student, draw):
    """Keys or values of other sizes than the cache's raise ValueError with the two numbers."""
    cache, sizes = cache_of(student, draw, max_len=draw.size(20, 30))
    k, v = fresh_kv(draw, sizes, 2)
    cache.append(k, v)  # where all fits, nothing is raised
    for axis, others in ((0, (1, 17)), (1, (1, 18)), (3, (1, 19))):
        for other in others:
            shape = list(k.shape)
            shape[axis] = other
            odd = torch.from_numpy(draw.normal(shape)).float()
            with fails("ValueError", sizes[axis - (axis == 3)], other):
                cache.append(odd, odd)
            with fails("ValueError", sizes[axis - (axis == 3)], other):
                cache.append(k, odd)
    with fails("ValueError", 2, 5):
        cache.append(k, fresh_kv(draw, sizes, 5)[1])
    with fails("ValueError", 2, 1):
        cache.append(k, v[:, :, :1])


@points(0.25, part="KVCache")
@catches("dtype-of-tokens", "always-float32")
def test_cache_dtype(student, draw):
    """Keys and values come back in the cache's dtype, whatever the tokens' is; without one it is float32."""
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        sizes = draw.different_sizes(3, 2, 6)
        cache = student.KVCache(sizes[0], sizes[1], 10, sizes[2], dtype)
        k, v = fresh_kv(draw, sizes, 2)
        compare_held(cache.append(k.double(), v.double()) if dtype != torch.float64 else cache.append(k, v), k.to(dtype), v.to(dtype))
    cache, sizes = cache_of(student, draw, 10)
    k, v = fresh_kv(draw, sizes, 2)
    compare_held(cache.append(k.half(), v.double()), k.half().float(), v)
    cache = student.KVCache(sizes[0], sizes[1], 10, sizes[2], dtype=torch.float64, device="cpu")
    compare_held(cache.append(k, v), k.double(), v.double())


@points(0.25, part="KVCache")
@catches("shared-between-caches")
def test_cache_two(student, draw):
    """Two caches know nothing of each other."""
    one, sizes = cache_of(student, draw, 10)
    other = student.KVCache(sizes[0], sizes[1], 10, sizes[2])
    k, v = fresh_kv(draw, sizes, 3)
    compare_held(one.append(k, v), k, v)
    apart = fresh_kv(draw, sizes, 2)
    compare_held(other.append(*apart), *apart)
    more = fresh_kv(draw, sizes, 1)
    compare_held(one.append(*more), torch.cat([k, more[0]], 2), torch.cat([v, more[1]], 2))


# CachedAttention


@points(1.0, part="CachedAttention")
@catches("not-causal", "mask-inverted", "looks-one-ahead", "mask-without-itself", "output-not-mixed")
def test_attention_whole(student, reference, draw):
    """Without a cache it is causal multi-head attention: no token sees a later one."""
    for n_heads, bias, n_tokens in ((draw.size(2, 5), False, draw.size(4, 8)), (1, True, draw.size(4, 8)), (1, True, 1)):
        layers = Layers(student, reference, draw, n_heads, bias)  # asked once: whoever remembers a call loses the points of that elsewhere
        layers.compare(layers.x(draw, batch=draw.size(1, 4), n_tokens=n_tokens))


@points(0.5, part="CachedAttention")
@catches("no-gradients", "keys-detached")
def test_attention_gradients(student, reference, draw):
    """Without a cache, gradients reach x and all weights, as training needs them."""
    layers = Layers(student, reference, draw, n_heads=draw.size(2, 4))
    x = layers.x(draw, batch=2, n_tokens=draw.size(3, 6))
    cotangent = torch.from_numpy(draw.normal(x.shape)).float()
    outcome = layers.module.gradients([cotangent], x)
    got = {"x": outcome.arguments[0], **outcome.parameters}
    want = layer_gradients(layers.reference(torch.float64), cotangent.double(), x.double())
    low = layer_gradients(layers.reference(torch.float32), cotangent, x)
    for name in want:
        expect(present_gradient(got.get(name), name), want[name], low=low[name], name=f"gradient of {name}")


@points(1.0, part="CachedAttention")
@catches("cache-ignored", "attends-before-append", "new-token-twice", "attends-to-empty-places", "cache-not-filled", "step-top-left", "appended-swapped")
def test_attention_step(student, reference, draw):
    """One new token sees all earlier ones in the cache, and itself; it is then in the cache, too."""
    layers = Layers(student, reference, draw, n_heads=draw.size(2, 5))
    x = layers.x(draw, batch=2, n_tokens=6)
    cache = layers.filled_cache(x[:, :3], max_len=9)
    for t in range(3, 6):
        layers.compare(x, cache, first=t, last=t + 1)


@points(1.0, part="CachedAttention")
@catches("chunk-top-left", "chunk-not-causal", "chunk-sees-itself-alone", "chunk-as-one-query", "last-token-alone")
def test_attention_chunks(student, reference, draw):
    """A sequence that is handed over in pieces of any length gives the outputs of the whole."""
    for _ in range(2):
        layers = Layers(student, reference, draw, n_heads=draw.size(1, 4))
        pieces = [draw.size(2, 4), draw.size(5, 8), 1, draw.size(2, 6)]  # after 1 token, or few at once, a mask off by one is like another mistake
        x = layers.x(draw, batch=draw.size(1, 3), n_tokens=sum(pieces))
        cache, at = layers.filled_cache(x[:, : pieces[0]], max_len=sum(pieces) + 1), pieces[0]
        for n_tokens in pieces[1:]:
            layers.compare(x, cache, first=at, last=at + n_tokens)
            at += n_tokens


@points(0.75, part="CachedAttention")
@catches("empty-cache-is-none")
def test_attention_empty(student, reference, draw):
    """An empty cache is a cache: the first tokens go into it."""
    layers = Layers(student, reference, draw, n_heads=draw.size(1, 4))
    x = layers.x(draw, batch=2, n_tokens=4)
    cache = layers.cache(batch=2, max_len=8)
    for t in range(4):
        layers.compare(x, cache, first=t, last=t + 1)


@points(0.25, part="CachedAttention")
@catches("new-tokens-unrounded", "computes-in-cache-dtype")
def test_attention_dtype(student, reference, draw):
    """The outputs have the dtype of x; keys and values are used as the cache gives them, in a dtype of its own or not."""
    pairs = ((torch.float32, torch.bfloat16), (torch.float64, torch.float32), (torch.bfloat16, torch.bfloat16), (torch.float64, torch.float64))
    for dtype, of_cache in pairs:
        layers = Layers(student, reference, draw, n_heads=2, dtype=dtype, sharpness=8)  # large scores, in which rounding shows
        x = layers.x(draw, batch=32, n_tokens=3)
        cache, theirs = layers.cache(32, 20, of_cache), reference.KVCache(32, 2, 20, layers.width // 2, of_cache)
        before = fresh_kv(draw, (32, 2, layers.width // 2), 12)
        cache.append(*before), theirs.append(*before)
        for piece in x.split(1, dim=1):
            # Once rounded, the keys have no counterpart in float64: what the reference gives in the same precision is what is wanted.
            low = layers.reference(dtype)(piece, theirs)
            want = low.double()
            expect(layers.module(piece, cache), want, low=low, name="output")


@points(0.25, part="CachedAttention")
@catches("module-remembers", "module-keeps-cache")
def test_attention_state(student, reference, draw):
    """All that is remembered is in the cache: one module serves several caches, and calls without one."""
    layers = Layers(student, reference, draw, n_heads=2)
    x, other = (layers.x(draw, batch=2, n_tokens=n) for n in (5, 4))
    one, two = layers.filled_cache(x[:, :2], 8), layers.filled_cache(other[:, :1], 8)
    layers.compare(x, one, 2, 3)
    layers.compare(other, two, 1, 2)
    layers.compare(x)
    layers.compare(x, one, 3, 4)
    layers.compare(other, two, 2, 3)
    layers.compare(x)


@points(0.25, part="CachedAttention")
@catches("full-cache-passed-over")
def test_attention_errors(student, reference, draw):
    """A full cache, or one for another batch or other heads, raises ValueError, and the cache stays as it was."""
    layers = Layers(student, reference, draw, n_heads=2)
    x = layers.x(draw, batch=2, n_tokens=12)
    cache = layers.filled_cache(x[:, :4], max_len=7)
    with fails("ValueError", 7):
        layers.module(x[:, 4:8], cache)
    for sizes in ((3, 2, layers.width // 2), (2, 3, layers.width // 2), (2, 2, layers.width)):
        odd = student.KVCache(sizes[0], sizes[1], 20, sizes[2])
        odd.append(*fresh_kv(draw, sizes, 1))
        with fails("ValueError"):
            layers.module(x, odd)
    layers.compare(x, cache, 4, 5)


# on a GPU


@points(0.0, part="KVCache")
@cuda
def test_cache_cuda(gpu, draw):
    """On a GPU the numbers are right in float32, float16 and bfloat16, and all of the work is done there."""
    sizes = draw.different_sizes(3, 2, 7)
    for dtype in ON_GPU:
        cache = gpu.KVCache(sizes[0], sizes[1], 600, sizes[2], dtype, "cuda")
        k, v = (torch.cat(pieces, 2) for pieces in zip(*(fresh_kv(draw, sizes, n) for n in (200, 100))))
        for first, last in ((0, 200), (200, 300)):
            kept = cache.append(k[:, :, first:last].to(dtype), v[:, :, first:last].to(dtype))
            compare_held(kept, k[:, :, :last].to(dtype), v[:, :, :last].to(dtype))


@points(0.0, part="CachedAttention")
@cuda
def test_attention_cuda(gpu, reference, draw):
    """On a GPU the numbers are right in float32, float16 and bfloat16, and all of the work is done there."""
    for dtype in ON_GPU:
        layers = Layers(gpu, reference, draw, n_heads=draw.size(2, 5), dtype=dtype)
        x = layers.x(draw, batch=2, n_tokens=60)
        layers.compare(x)
        cache = gpu.KVCache(2, layers.n_heads, 60, layers.width // layers.n_heads, dtype, "cuda")
        for first, last in ((0, 40), (40, 59), (59, 60)):
            layers.compare(x, cache, first, last)


class Layers:
    """The student's module and the reference's with the same weights."""

    def __init__(self, student, reference, draw, n_heads, bias=False, dtype=torch.float32, sharpness=1):
        self.width, self.n_heads, self.bias, self.dtype = n_heads * draw.size(2, 5), n_heads, bias, dtype
        self.student, self.course = student, reference
        self.weights = {f"{name}.weight": on_a_grid(2 * draw.normal((self.width,) * 2) / self.width**0.5).to(dtype) for name in WEIGHTS}
        self.weights["w_q.weight"] *= sharpness
        if bias:
            self.weights |= {f"{name}.bias": on_a_grid(draw.normal(self.width)).to(dtype) for name in WEIGHTS}
        self.module = student.CachedAttention(self.width, n_heads, bias) if bias else student.CachedAttention(self.width, n_heads)
        if dtype != torch.float32:
            self.module.to(dtype)
        require_parameters(self.module, self.weights, "CachedAttention")
        self.module.load_state_dict(self.weights, False)

    def reference(self, dtype):
        """The reference's module."""
        module = self.course.CachedAttention(self.width, self.n_heads, self.bias).to(dtype)
        module.load_state_dict({name: weight.to(dtype) for name, weight in self.weights.items()})
        return module

    def x(self, draw, batch, n_tokens):
        """Tokens (B, T, D)."""
        return on_a_grid(draw.normal((batch, n_tokens, self.width))).to(self.dtype)

    def cache(self, batch, max_len, dtype=torch.float32):
        """An empty cache of the student's."""
        return self.student.KVCache(batch, self.n_heads, max_len, self.width // self.n_heads, dtype)

    def filled_cache(self, x, max_len):
        """A cache of the student's which holds the tokens x, put in by append()."""
        cache, module = self.cache(len(x), max_len), self.reference(torch.float64)
        cache.append(*(self.course.split_heads(w(x.double()), self.n_heads).detach().float() for w in (module.w_k, module.w_v)))
        return cache

    def compare(self, x, cache=None, first=0, last=None):
        """Judge the outputs of the tokens from first to last (excluded), those before being in the cache, against the whole sequence's."""
        got = self.module(x[:, first:last]) if cache is None else self.module(x[:, first:last], cache)
        want, low = (self.reference(dtype)(x.to(dtype))[:, first:last] for dtype in (torch.float64, self.dtype))
        expect(got, want, low=low, name="output", magnitude=8.0)


def on_a_grid(numbers):
    """Multiples of 1/64, float64: sums of their products are exact in float32, in whatever order, so that right keys all round alike."""
    return torch.from_numpy(numbers * 64).round() / 64


def cache_of(student, draw, max_len):
    """An empty cache of the student's and its sizes: sequences, heads, numbers a head; no two alike, and none 1."""
    sizes = draw.different_sizes(3, 2, 7)
    return student.KVCache(sizes[0], sizes[1], max_len, sizes[2]), sizes


def fresh_kv(draw, sizes, n_tokens):
    """Keys and values (B, G, t, Dh) of new tokens, float32."""
    shape = (sizes[0], sizes[1], n_tokens, sizes[2])
    return tuple(torch.from_numpy(draw.normal(shape)).float() for _ in range(2))


def compare_held(got, k, v):
    """Judge what append() has returned: the very numbers."""
    keys, values = expect_pair(got, "append")
    for came, want, name in ((keys, k, "keys"), (values, v, "values")):
        expect(came, want.double(), low=want, name=name)


def expect_length(cache, n):
    """Raise Wrong unless len() is n."""
    got = len(cache)
    if got != n:
        raise Wrong(message("`len(cache)` should be {expected}, and it is {got}.", expected=n, got=got))


def fails_full(cache, k_and_v, held, max_len):
    """The cache has to refuse these tokens with a ValueError that names max_len, and how many there would be (or are, or have come)."""
    new = k_and_v[0].shape[2]
    for number in (new, held):
        try:
            with fails("ValueError", max_len, number):
                cache.append(*k_and_v)
            return
        except Wrong:
            continue
    with fails("ValueError", max_len, held + new):
        cache.append(*k_and_v)


def present_gradient(gradient, name):
    """The gradient; raises Wrong where there is none."""
    if gradient is None:
        raise Wrong(message("{name} gets no gradient.", name=name))
    return gradient


def expect_bytes(got, want):
    """Raise Wrong unless it is the number that is wanted; a float may pass here, and there is a test for that."""
    if type(got) not in (int, float):
        raise no_whole_number(got, "kv_cache_bytes")
    expect_number(got, want, "kv_cache_bytes")
