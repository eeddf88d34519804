"""Hidden tests of mla. A test's docstring is the sentence that a student reads beside its result.

A test that is not about the scores takes a single token, or queries of zeros, so that every seen token weighs the same. A test of the scores that is not
about their scale makes them so large, and draws until they lie so far apart, that one key takes all, whatever the scale. So a mistake
loses the points of its own test and few others.
"""

import torch

from autograder.hidden import Wrong, catches, cuda, expect, expect_names, expect_unchanged, fails, memory, points
from autograder.hidden.judge import expect_array, expect_number, expect_pair, no_whole_number
from autograder.hidden.pytorch import ON_GPU, compare_module_gradients, double, in_dtype, layer_gradients, require_parameters, tensor, wide

WIDE = 30.0  # of w_dkv: latents so large before the norm that its eps does not show
LOUD = 100.0  # scores some thousands apart
APART = 300.0  # the least by which the largest score leads before it is divided by anything: it takes all, whatever the scale
LINEAR = ("w_q", "w_dkv", "w_kr", "w_uk", "w_uv", "w_o")
FAR = 300  # the furthest position; an angle in float32 is off by about as many units in the last place


# mla_cache_bytes


@points(0.75, part="mla_cache_bytes")
@catches("bytes-keys-and-values", "bytes-without-rope", "bytes-rope-doubled", "bytes-one-layer", "bytes-batch-left-out", "bytes-in-bits")
def test_bytes_formula(student, reference, draw):
    """One latent and one rotary key are counted for every layer, token and sequence, in bytes."""
    for _ in range(2):
        sizes = draw.different_sizes(6, 3, 90)
        expect_whole(student.mla_cache_bytes(*sizes), reference.mla_cache_bytes(*sizes))
    expect_whole(student.mla_cache_bytes(60, 512, 64, 128_000), reference.mla_cache_bytes(60, 512, 64, 128_000))


@points(0.25, part="mla_cache_bytes")
@catches("bytes-not-whole")
def test_bytes_whole(student, reference, draw):
    """The result is a whole number; one sequence and 2 bytes a number are taken where nothing else is said."""
    sizes, batch_size = draw.different_sizes(4, 3, 90), draw.size(3, 9)
    for got, whole in (  # with the student's own results: a formula that is wrong loses its points above
        (student.mla_cache_bytes(*sizes), student.mla_cache_bytes(*sizes, 1, 2)),
        (student.mla_cache_bytes(*sizes, batch_size=batch_size), student.mla_cache_bytes(*sizes, batch_size, 2)),
        (student.mla_cache_bytes(*sizes, bytes_per_element=1), student.mla_cache_bytes(*sizes, 1, 1)),
    ):
        expect_whole(got, whole)


# the layers


@points(0.5, part="MultiHeadLatentAttention")
@catches("biases", "biases-in-w-uk", "up-from-model", "head-width-from-model", "rotary-key-for-each-head", "no-norm")
def test_parameters(student, reference, draw):
    """The layers have their names and sizes, without biases, and norm has one weight for each number of the latent."""
    for _ in range(2):
        sizes = layer_sizes(draw)
        theirs, ours = student.MultiHeadLatentAttention(*sizes), reference.MultiHeadLatentAttention(*sizes)
        require_parameters(theirs, ours.state_dict(), "MultiHeadLatentAttention")
        for name, weight in ours.state_dict().items():  # as noughts: their shape counts, and how they begin is free
            layer, _, _ = name.partition(".")
            expect(getattr(theirs, layer).weight.masked_fill(torch.tensor(True), 0), weight.double().mul(0), low=weight.mul(0), name=name)
        biases = {f"{name}.bias": tensor(draw.normal((len(weight),))) for name, weight in ((name, getattr(ours, name).weight) for name in LINEAR)}
        theirs, _ = loaded(student, ours, random_weights(ours, draw) | biases, *sizes)  # a layer without biases has no use for them
        names = [name for name in theirs.state_dict() if name.startswith("w_") or name.endswith("bias")]
        expect_names(names, [f"{name}.weight" for name in LINEAR], "MultiHeadLatentAttention")


@points(0.75, part="MultiHeadLatentAttention")
@catches("latent-not-normed", "norm-before-projection", "norm-without-weight", "norm-takes-mean", "norm-eps")
def test_compress_latent(student, reference, draw):
    """The latent that is cached is w_dkv's, with norm applied to it."""
    theirs, ours = layers(student, reference, draw, *layer_sizes(draw), w_dkv=1)
    for size, shape in ((1.0, (2, draw.size(2, 6))), (1.0, (1, 1)), (1e-3, (3, draw.size(2, 6)))):
        x = size * tensor(draw.normal((*shape, ours.w_dkv.in_features)))
        arguments = x, torch.arange(shape[1])
        got = expect_pair(theirs.compress(*arguments), "compress")
        expect(got[0], in_double(ours).compress(*double(arguments))[0].detach(), low=ours.compress(*arguments)[0].detach(), name="latent")


@points(1.0, part="MultiHeadLatentAttention")
@catches("rope-key-not-rotated", "rope-half-split", "rope-positions-ignored", "rope-base-ignored", "rope-key-normed")
def test_compress_rope(student, reference, draw):
    """The rotary key that is cached is w_kr's, turned by its token's position with the layer's base, neighbouring channels as pairs."""
    d_model, n_heads, d_head, d_latent, _ = layer_sizes(draw)
    n_tokens = draw.size(3, 6)
    for base in ((), (draw.size(50, 500),)):
        theirs, ours = layers(student, reference, draw, d_model, n_heads, d_head, d_latent, 2 * draw.size(2, 5), *base)
        for positions in (torch.arange(n_tokens), draw.size(20, FAR) + torch.arange(n_tokens), torch.from_numpy(draw.integers(0, FAR, (3, n_tokens)))):
            arguments = tensor(draw.normal((3, n_tokens, d_model))), positions
            got = expect_pair(theirs.compress(*arguments), "compress")
            right, low = in_double(ours).compress(*double(arguments))[1].detach(), ours.compress(*arguments)[1].detach()
            expect(got[1], right, low=low, name="k_rope", magnitude=FAR)


# forward


@points(0.25, part="MultiHeadLatentAttention")
@catches("values-from-keys", "output-not-mixed")
def test_forward_one_token(student, reference, draw):
    """A single token gets its own value, made of its latent by w_uv and mixed by w_o."""
    for batch in (1, draw.size(2, 5)):
        theirs, ours = layers(student, reference, draw, *layer_sizes(draw))
        compare(theirs, ours, tensor(draw.normal((batch, 1, ours.w_o.out_features))))


@points(0.5, part="MultiHeadLatentAttention")
@catches("not-causal", "causal-one-ahead", "causal-transposed")
def test_forward_causal(student, reference, draw):
    """A token sees itself and those before it. Where all scores are equal it gets the mean of their values."""
    for batch in (1, draw.size(2, 5)):
        theirs, ours = layers(student, reference, draw, *layer_sizes(draw), w_q=0)
        compare(theirs, ours, tensor(draw.normal((batch, draw.size(4, 8), ours.w_o.out_features))))


@points(0.75, part="MultiHeadLatentAttention")
@catches("no-scale", "scale-by-content-width", "scale-by-latent-width", "scale-by-model-width")
def test_forward_scale(student, reference, draw):
    """The scores are divided by √(d_head + d_rope), the width of a whole query."""
    for _ in range(2):
        theirs, ours = layers(student, reference, draw, *layer_sizes(draw), w_q=3, w_kr=0)
        compare_last(theirs, ours, tensor(draw.normal((2, draw.size(4, 8), ours.w_o.out_features))))


@points(0.5, part="MultiHeadLatentAttention")
@catches("heads-interleaved", "query-rope-first", "query-parts-not-per-head")
def test_forward_heads(student, reference, draw):
    """Each head has d_head + d_rope numbers of w_q's in a row, its content first, and d_head each of w_uk's and w_uv's."""
    for _ in range(2):
        theirs, ours, x, _ = decided(student, reference, draw, (2, draw.size(4, 8)), w_q=LOUD, w_uk=LOUD, w_kr=0)
        compare_last(theirs, ours, x)


@points(0.5, part="MultiHeadLatentAttention")
@catches("query-not-rotated", "query-half-split", "no-rotary-scores")
def test_forward_rope(student, reference, draw):
    """The rotary part of every head's query is turned as the key is, and its product with the shared rotary key counts."""
    for _ in range(2):
        theirs, ours, x, _ = decided(student, reference, draw, (2, draw.size(4, 8)), w_q=LOUD, w_kr=LOUD, w_uk=0)
        compare_last(theirs, ours, x)


@points(0.25, part="MultiHeadLatentAttention")
@catches("content-rotated", "query-content-rotated", "no-content-scores")
def test_forward_whole(student, reference, draw):
    """Content and rotary part add up in the scores, and the content knows of no positions."""
    several = [(2, draw.size(4, 8)) for _ in range(3)]  # by chance a wrong solution may pick the right key once
    for shape in ((1, 1), (1, draw.size(6, 10)), *several):
        theirs, ours, x, _ = decided(student, reference, draw, shape, w_q=LOUD, w_kr=LOUD, w_uk=LOUD)
        compare_last(theirs, ours, x)


@points(0.5, part="MultiHeadLatentAttention")
@catches("latent-detached", "rotary-key-detached", "cache-detached")
def test_gradients(student, reference, draw):
    """Gradients reach the input and all weights."""
    theirs, ours = layers(student, reference, draw, *layer_sizes(draw))
    shape = 2, draw.size(3, 6), ours.w_o.out_features
    x, cotangent = (tensor(draw.normal(shape)) for _ in range(2))
    outcome = theirs.gradients([cotangent], x)
    want, low = layer_gradients(in_double(ours), cotangent.double(), x.double()), layer_gradients(ours, cotangent, x)
    got = {"x": outcome.arguments[0], **outcome.parameters}
    right_output = is_right(outcome.value, ours, x)
    for name, right in want.items():
        if right_output or not isinstance(got.get(name), torch.Tensor):
            expect(got.get(name), right, low=low[name], name=f"gradient of {name}")
        else:  # a wrong forward loses its points elsewhere: that something arrives is what counts here
            expect(got[name].any(), right.any(), name=f"gradient of {name}")


@points(0.25, part="MultiHeadLatentAttention")
@catches("always-float32", "decode-in-half")
def test_dtype(student, reference, draw):
    """The results have the dtype of x, and half precision is multiplied and added up in float32."""
    for dtype in (torch.float64, torch.bfloat16, torch.float16):
        shape, sized = (2, draw.size(4, 9)), {"w_q": LOUD, "w_uk": LOUD, "w_kr": 0}
        theirs, ours, x, (latent, k_rope) = decided(student, reference, draw, shape, apart=6 * APART, **sized)
        weights = ours.state_dict()  # the layer's own tensors: what is written into them is written into the layer
        weights["w_uv.weight"][:, 0] = 0
        theirs.load_state_dict(weights, False)
        latent[:, :, 0] = 1024  # adds the same to all scores of a head: in float32 that does no harm, and in half precision nothing else is left
        theirs, ours, (x, latent, k_rope) = theirs.to(dtype), ours.to(dtype), (part.to(dtype) for part in (x, latent, k_rope))
        expect_array(theirs(x[:, :1].contiguous()), x[:, :1].shape, str(dtype), "output", "PyTorch tensor")
        compare(theirs.decode, ours.decode, x[:, -1:].contiguous(), latent, k_rope, 0)


# decode


@points(0.75, part="MultiHeadLatentAttention")
@catches("decode-appends-token", "decode-first-token-alone", "decode-without-rotary-scores", "decode-heads-interleaved", "decode-mixes-latents-of-head-0",
         "decode-norms-again", "decode-turns-keys-again", "decode-softmax-over-heads", "decode-values-from-keys", "decode-without-w-o")
def test_decode_values(student, reference, draw):
    """decode attends over all latents of the cache, those of the token itself included, and gives what forward gives for the last token."""
    several = [((3, draw.size(4, 8)), LOUD) for _ in range(3)]  # by chance a wrong solution may pick the right key once
    for shape, size in (((2, draw.size(3, 7)), 0), ((1, 1), LOUD), ((1, draw.size(3, 7)), LOUD), *several):
        theirs, ours, x, cache = decided(student, reference, draw, shape, w_q=size, w_kr=size, w_uk=size)
        compare(theirs.decode, ours.decode, x[:, -1:].contiguous(), *cache, shape[1] - 1)
    apart = [part.transpose(0, 1).contiguous().transpose(0, 1) for part in (x[:, -1:], *cache)]  # the same numbers, lying otherwise in memory
    compare(theirs.decode, ours.decode, *apart, shape[1] - 1)


@points(0.5, part="MultiHeadLatentAttention")
@catches("decode-no-scale", "decode-scale-by-latent-width", "decode-scale-by-cached-width", "decode-scale-by-content-width")
def test_decode_scale(student, reference, draw):
    """The scores of decode are divided by √(d_head + d_rope) too: how wide a latent is does not matter."""
    for _ in range(2):
        theirs, ours = layers(student, reference, draw, *layer_sizes(draw), w_q=3)
        n_tokens = draw.size(4, 9)
        cache = tensor(draw.normal((2, n_tokens, ours.w_uk.in_features))), torch.zeros(2, n_tokens, ours.w_kr.out_features)
        compare(theirs.decode, ours.decode, tensor(draw.normal((2, 1, ours.w_o.out_features))), *cache, 0)


@points(0.75, part="MultiHeadLatentAttention")
@catches("decode-position-from-cache", "decode-position-ignored")
def test_decode_position(student, reference, draw):
    """The query is turned by `position`, which may be any, since the cache may have begun later than the text; all of the cache is seen."""
    for offset in (0, 1, draw.size(20, FAR - 20)):
        n_tokens = draw.size(4, 9)
        theirs, ours, x, cache = decided(student, reference, draw, (2, n_tokens), offset, w_q=LOUD, w_kr=LOUD, w_uk=0)
        compare(theirs.decode, ours.decode, x[:, -1:].contiguous(), *cache, offset + n_tokens - 1)


@points(0.5, part="MultiHeadLatentAttention")
@catches("decode-expands-keys", "decode-expands-values")
def test_decode_absorbs(student, reference, draw):
    """decode makes no keys and no values out of latents: here they would be infinite, and the products that are needed never are."""
    theirs, ours, arguments = huge_values(student, reference, draw)
    compare(theirs.decode, ours.decode, *arguments)
    theirs, ours, arguments = huge_keys(student, reference, draw)
    compare(theirs.decode, ours.decode, *arguments)


@points(0.5, part="MultiHeadLatentAttention")
@catches("decode-copies-latents")
@memory(300 << 20)
def test_decode_memory(student, reference, draw):
    """decode makes no tensor that is much larger than the cache: no keys, no values, and no copy of the latents for each head."""
    theirs, ours = layers(student, reference, draw, 8, 32, 64, 64, 8, w_q=0)  # the latents of all tokens take 16 MiB, all keys 512 MiB
    theirs.requires_grad_(False)  # what is kept for gradients is another matter
    n_tokens = 32_768
    cache = [tensor(draw.normal((2, 1, width))).expand(-1, n_tokens, -1).contiguous() for width in (64, 8)]  # the tokens are all alike
    compare(theirs.decode, ours.decode, tensor(draw.normal((2, 1, 8))), *cache, n_tokens - 1, magnitude=n_tokens)


@points(0.25, part="MultiHeadLatentAttention")
@catches("decode-changes-cache", "sizes-not-checked", "cache-not-checked")
def test_inputs_and_errors(student, reference, draw):
    """Tensors that are handed in stay as they were; an odd d_rope, no heads, and a cache of two lengths raise ValueError with the numbers."""
    sizes = d_model, n_heads, d_head, d_latent, d_rope = layer_sizes(draw)
    theirs, ours = layers(student, reference, draw, *sizes)
    n_tokens = draw.size(4, 9)
    arguments = tuple(tensor(draw.normal((2, n, width))) for n, width in ((1, d_model), (n_tokens, d_latent), (n_tokens, d_rope)))
    expect_unchanged(theirs.decode.outcome(*arguments, n_tokens), *arguments)
    expect_unchanged(theirs.outcome(arguments[0]), arguments[0])
    with fails("ValueError", d_rope + 1):
        student.MultiHeadLatentAttention(d_model, n_heads, d_head, d_latent, d_rope + 1)
    with fails("ValueError", 0):
        student.MultiHeadLatentAttention(d_model, 0, d_head, d_latent, d_rope)
    with fails("ValueError", n_tokens, n_tokens - 1):
        theirs.decode(*arguments[:2], arguments[2][:, 1:].contiguous(), n_tokens)


# on a GPU


@points(0.0, part="MultiHeadLatentAttention")
@cuda
def test_cuda(gpu, reference, draw):
    """On a GPU the numbers are right in float32, float16 and bfloat16, and all of the work is done there."""
    n_tokens = draw.size(40, 90)
    sizes = 48, 3, 16, 24, 8
    theirs, ours = layers(gpu, reference, draw, *sizes)
    for dtype in ON_GPU:
        theirs, ours = in_dtype(theirs, ours, dtype)
        x, positions = tensor(draw.normal((2, n_tokens, sizes[0]))).to(dtype), torch.arange(n_tokens)
        compare(theirs, ours, x)
        with torch.no_grad():
            cache, right = ours.compress(x, positions), wide(ours).compress(x.double(), positions)
        for came, want, low, name in zip(expect_pair(theirs.compress(x, positions), "compress"), right, cache, ("latent", "k_rope")):
            expect(came, want, low=low, name=name, magnitude=float(n_tokens))
        compare(theirs.decode, ours.decode, x[:, -1:], *cache, n_tokens - 1)


@points(0.0, part="MultiHeadLatentAttention")
@cuda
def test_gradients_cuda(gpu, reference, draw):
    """On a GPU the gradients are right, and all of the work is done there."""
    theirs, ours = layers(gpu, reference, draw, 48, 3, 16, 24, 8)
    x, cotangent = (tensor(draw.normal((2, draw_tokens, 48))) for draw_tokens in 2 * (draw.size(40, 90),))
    compare_module_gradients(theirs, ours, cotangent, x)


def layer_sizes(draw):
    """(d_model, n_heads, d_head, d_latent, d_rope), the first four different, and no two of the widths that somebody may take for the scale's alike."""
    d_head = 2 * draw.size(2, 6)  # even, so that whoever turns the contents too is told so, and not that they make no pairs
    n_heads, d_latent, d_model = [size for size in draw.different_sizes(4, 3, 12) if size != d_head][:3]
    d_rope = 2 * draw.size(2, 5)
    while d_head + d_rope in (d_latent, d_model) or d_latent + d_rope in (d_head, d_model):
        d_rope += 2
    return d_model, n_heads, d_head, d_latent, d_rope


def layers(student, reference, draw, *sizes, **sized):
    """The student's layer and the reference's with the same weights; `w_q=3` makes a layer's weights so many times as large."""
    ours = reference.MultiHeadLatentAttention(*sizes)
    return loaded(student, ours, random_weights(ours, draw, **sized), *sizes)


def decided(student, reference, draw, shape, first=0, apart=APART, **sized):
    """Both layers, tokens (B, T, D) that stand from `first` on, and their cache: among the last token's scores the largest leads by `apart`
    at least in each head, so that its token takes all. Where the queries are made nought (w_q=0) all weigh the same."""
    while True:
        sizes = layer_sizes(draw)
        ours = reference.MultiHeadLatentAttention(*sizes)
        weights = random_weights(ours, draw, **sized)
        ours.load_state_dict(weights)
        x, positions = tensor(draw.normal((*shape, sizes[0]))), first + torch.arange(shape[1])
        with torch.no_grad():
            cache = ours.compress(x, positions)
            scores = last_scores(ours, x, positions, *cache)
        if sized["w_q"] == 0 or shape[1] == 1 or (scores.topk(2).values.diff().abs() > apart).all():
            return *loaded(student, ours, weights, *sizes), x, cache


def last_scores(ours, x, positions, latent, k_rope):
    """The scores (B, H, T) of the last token, not divided by anything yet."""
    content, rotary = (part[:, :, -1:] for part in ours.queries(x, positions))
    keys = ours.w_uk(latent).unflatten(-1, (ours.n_heads, -1)).transpose(1, 2)
    return (content @ keys.mT + rotary @ k_rope[:, None].mT)[:, :, 0]


def random_weights(ours, draw, **sized):
    """Weights for a layer."""
    sized, weights = {"w_dkv": WIDE} | sized, {}
    for name, weight in ours.state_dict().items():
        numbers = tensor(draw.normal(tuple(weight.shape)))
        weights[name] = numbers / weight.shape[1] ** 0.5 * sized.get(name.split(".")[0], 1) if weight.ndim == 2 else 1 + numbers / 2
    return weights


def loaded(student, ours, weights, *sizes):
    """The student's layer and the reference's, both with these weights; biases that nobody asked for are nought, where none are given."""
    ours.load_state_dict(weights, False)
    theirs = student.MultiHeadLatentAttention(*sizes)
    require_parameters(theirs, [f"{name}.weight" for name in LINEAR], "MultiHeadLatentAttention")
    biases = {f"{name}.bias": torch.zeros(len(getattr(ours, name).weight)) for name in (*LINEAR, "norm")}
    theirs.load_state_dict(biases | weights, False)  # not strict: a buffer of the student's own does no harm
    return theirs, ours


def huge_values(student, reference, draw):
    """A step in which the values of single tokens overflow, and the mix of the latents does not.

    Their scores are so low that their weights are exactly 0, in whatever parts a softmax is taken; the other tokens weigh the same. All numbers of a
    head's content are alike in queries and keys, and keys come from the second number of a latent alone.
    """
    sizes = d_model, n_heads, d_head, d_latent, d_rope = layer_sizes(draw)
    theirs, ours = (one.to(torch.float64) for one in layers(student, reference, draw, *sizes))
    weights = ours.state_dict()  # the layer's own tensors: what is written into them is written into the layer
    weights["w_q.weight"][:] = 1.0
    weights["w_uk.weight"][:] = 0.0
    weights["w_uk.weight"][:, 1] = 1.0
    weights["w_uv.weight"][:, 0] = 2.0**700
    theirs.load_state_dict(weights, False)
    latent = torch.from_numpy(draw.normal((2, 9, d_latent)))
    latent[:, :, :2] = 0.0
    latent[:, draw.size(1, 3) :: 3, :2] = torch.tensor([2.0**700, -(2.0**20)], dtype=torch.float64)
    x = 1 + torch.from_numpy(draw.normal((2, 1, d_model))).abs()
    return theirs, ours, (x, latent, torch.zeros(2, 9, d_rope, dtype=torch.float64), 0)


def huge_keys(student, reference, draw):
    """A step in which the keys of single tokens overflow, and the queries in the latents' space do not meet what makes them do so.

    All rows of w_q are one and the same, so that all numbers of a query are equal, however they are divided among the heads; the first
    two numbers of each head's content are opposite in what w_uk makes of a latent, and the others nought. So all scores are 0.
    """
    sizes = d_model, n_heads, d_head, d_latent, d_rope = layer_sizes(draw)
    theirs, ours = (one.to(torch.float64) for one in layers(student, reference, draw, *sizes))
    weights = ours.state_dict()  # the layer's own tensors: what is written into them is written into the layer
    weights["w_q.weight"][1:] = weights["w_q.weight"][0]
    w_uk = weights["w_uk.weight"].unflatten(0, (n_heads, d_head))  # (H, Dh, R), a view
    w_uk[:, 0, 0] = 2.0**700
    w_uk[:, 1] = -w_uk[:, 0]
    w_uk[:, 2:] = 0
    weights["w_uv.weight"][:, 0] = 0
    theirs.load_state_dict(weights, False)
    x = torch.zeros(2, 1, d_model, dtype=torch.float64)
    x[:, :, draw.index(d_model)] = 1  # a single number, so that equal rows of w_q give exactly equal numbers
    latent = torch.from_numpy(draw.normal((2, draw.size(4, 9), d_latent)))
    latent[:, :, 0] = 2.0**700
    return theirs, ours, (x, latent, torch.zeros(2, latent.shape[1], d_rope, dtype=torch.float64), 0)


def in_double(function):
    """A layer, or a method of it, in float64."""
    if isinstance(function, torch.nn.Module):
        return wide(function)
    return getattr(in_double(function.__self__), function.__name__)


def is_right(output, ours, x):
    """Whether an output is the layer's for these tokens."""
    try:
        compare(lambda _: output, ours, x)
    except Wrong:
        return False
    return True


def compare_last(theirs, ours, x):
    """Judge the output for the last token alone, which sees all, so that it does not matter here who is not causal."""
    with torch.no_grad():
        expect(last_of(theirs(x)), last_of(in_double(ours)(x.double())), low=last_of(ours(x)))


def last_of(output):
    """The last token of an output (B, T, D); what has no such form stays as it is."""
    return output[:, -1:] if isinstance(output, torch.Tensor) and output.ndim == 3 else output


def compare(theirs, ours, *arguments, magnitude=1.0):
    """Judge a layer's or a method's output against the reference's in float64."""
    with torch.no_grad():
        right, low = in_double(ours)(*double(arguments)), ours(*arguments)
    expect(theirs(*arguments), right, low=low, magnitude=magnitude)


def expect_whole(got, want):
    """Raise Wrong unless a whole number of bytes came, and the right one."""
    if type(got) is not int:
        raise no_whole_number(got, "mla_cache_bytes")
    expect_number(got, want, "mla_cache_bytes")
