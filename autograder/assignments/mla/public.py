"""The public checks of mla: what `check(...)` runs in a student's notebook.

Each function is one stage and isolates one thing; its docstring is the sentence that the student reads. What is expected is recorded
when the exercise is made: there is no solution in here. A stage that is not about the scores takes one token, or makes the queries zeros.
"""

from .language import _
from .stage import stage
from .tensors import fill, largest_tensor, tensor, waves

USES = {}  # which parts call which

CACHED = {
    "returns": ("latent", "k_rope"),
    "first": "latent",
    "axes": {"latent": (_("tokens"), _("numbers of a latent")), "k_rope": (_("tokens"), _("numbers of a rotary key"))},
}
OUTPUT = {"axes": {"": (_("tokens"), _("numbers of an output vector"))}}
PART = "MultiHeadLatentAttention"

# two heads of 4 numbers and 2 rotary ones each, made from a latent of 5; the model is 3 wide
D_MODEL, N_HEADS, D_HEAD, D_LATENT, D_ROPE = 3, 2, 4, 5, 2
LINEAR = ("w_q", "w_dkv", "w_kr", "w_uk", "w_uv", "w_o")


def layer_of(student, *base, d_rope=D_ROPE, **times):
    """A layer with fixed weights; `w_q=0` makes those of a layer so many times as large."""
    layer = fill(student.MultiHeadLatentAttention(D_MODEL, N_HEADS, D_HEAD, D_LATENT, d_rope, *base))
    for name, factor in times.items():
        getattr(layer, name).weight.data.mul_(factor)
    return layer


def cache_of(n_tokens, batch_size=1, d_rope=D_ROPE):
    """A cache of so many tokens that no layer has made: latents (B, S, R) and rotary keys (B, S, d_rope)."""
    return waves(batch_size, n_tokens, D_LATENT, shift=0.3), waves(batch_size, n_tokens, d_rope, shift=0.6)


# mla_cache_bytes


@stage("mla_cache_bytes")
def one_token(student):
    """One token, one layer, a latent of 4 and a rotary key of 2 numbers, 2 bytes each."""
    return student.mla_cache_bytes(1, 4, 2, 1)


@stage("mla_cache_bytes", needs="one_token")
def all_sizes(student):
    """3 layers, a latent of 5 and a rotary key of 7 numbers, 11 tokens."""
    return student.mla_cache_bytes(3, 5, 7, 11)


@stage("mla_cache_bytes", needs="all_sizes")
def batch_and_bytes(student):
    """The same for a batch of 13 sequences, 4 bytes a number."""
    return student.mla_cache_bytes(3, 5, 7, 11, 13, 4)


# __init__


@stage(PART)
def sizes_of_layers(student):
    """The layers' sizes, for d_model 7, 2 heads of 3, a latent of 5 and 4 rotary channels."""
    layer = student.MultiHeadLatentAttention(7, 2, 3, 5, 4)
    return {name: list(getattr(layer, name).weight.shape) for name in (*LINEAR, "norm")}


@stage(PART, needs="sizes_of_layers")
def no_biases(student):
    """No layer has a bias."""
    layer = student.MultiHeadLatentAttention(7, 2, 3, 5, 4)
    biases = {name: getattr(layer, name).bias for name in LINEAR}
    return {f"{name}.bias": str(None if bias is None else tuple(bias.shape)) for name, bias in biases.items()}


@stage(PART, needs="sizes_of_layers", raises="ValueError", numbers=(5,))
def odd_rotary_channels(student):
    """Five rotary channels make no pairs: a ValueError that names the 5."""
    return sorted(student.MultiHeadLatentAttention(7, 2, 3, 5, 5).state_dict())


@stage(PART, needs="sizes_of_layers", raises="ValueError", numbers=(0,))
def without_heads(student):
    """No heads at all: a ValueError that names the 0."""
    return sorted(student.MultiHeadLatentAttention(7, 0, 3, 5, 4).state_dict())


# compress


@stage(PART, needs="sizes_of_layers", **CACHED)
def compress_one_token(student):
    """One token at position 0: its latent, normed, and its rotary key, which position 0 leaves as it is."""
    return layer_of(student).compress(waves(1, 1, D_MODEL), tensor([0], "int64"))


@stage(PART, needs="compress_one_token", **CACHED)
def compress_small(student):
    """A token of small numbers: norm adds its eps, 1e-6."""
    layer = layer_of(student)
    return layer.compress(waves(1, 1, D_MODEL) / 1000, tensor([0], "int64"))


@stage(PART, needs="compress_one_token", **CACHED)
def compress_positions(student):
    """Three tokens at positions 0, 1 and 2, with 6 rotary channels: neighbours are turned together."""
    return layer_of(student, d_rope=6).compress(waves(1, 3, D_MODEL), tensor([0, 1, 2], "int64"))


@stage(PART, needs="compress_positions", **CACHED)
def compress_elsewhere(student):
    """The same tokens at positions 7, 8 and 9."""
    return layer_of(student, d_rope=6).compress(waves(1, 3, D_MODEL), tensor([7, 8, 9], "int64"))


@stage(PART, needs="compress_positions", **CACHED)
def compress_base(student):
    """The same tokens with the base 100."""
    return layer_of(student, 100.0, d_rope=6).compress(waves(1, 3, D_MODEL), tensor([0, 1, 2], "int64"))


# forward


@stage(PART, needs="compress_one_token", **OUTPUT)
def forward_one_token(student):
    """forward on one token: it gets its own value, mixed by w_o."""
    return layer_of(student)(waves(1, 1, D_MODEL))


@stage(PART, needs="forward_one_token", **OUTPUT)
def forward_equal_scores(student):
    """forward with queries of zeros: each token gets the mean of the values up to its own."""
    return layer_of(student, w_q=0)(waves(1, 4, D_MODEL))


@stage(PART, needs="forward_equal_scores", **OUTPUT)
def forward_content(student):
    """forward with rotary keys of zeros: the contents alone make the scores, divided by √(d_head + d_rope)."""
    return layer_of(student, w_q=2, w_kr=0)(waves(1, 4, D_MODEL))


@stage(PART, needs="forward_equal_scores", **OUTPUT)
def forward_rotary(student):
    """forward with contents of zeros: the rotary parts alone make the scores."""
    return layer_of(student, d_rope=6, w_q=2, w_uk=0)(waves(1, 4, D_MODEL))


@stage(PART, needs="forward_content", **OUTPUT)
def forward_all(student):
    """forward on two sequences of four tokens, contents and rotary parts together."""
    return layer_of(student, d_rope=6, w_q=2)(waves(2, 4, D_MODEL))


@stage(PART, needs="forward_all")
def gradients(student):
    """Gradients reach the layers that make the cache, w_dkv and w_kr."""
    layer = layer_of(student, w_q=2)
    layer(waves(1, 4, D_MODEL)).sum().backward()
    return {name: getattr(layer, name).weight.grad for name in ("w_dkv", "w_kr")}


@stage(PART, needs="forward_one_token", **OUTPUT)
def forward_of_bfloat16(student):
    """forward in bfloat16: bfloat16 comes out."""
    layer = layer_of(student)
    return layer.to(layer.w_q.weight.bfloat16().dtype)(waves(1, 1, D_MODEL).bfloat16())


# decode


@stage(PART, needs="compress_one_token", **OUTPUT)
def decode_one_token(student):
    """decode with one token in the cache: its value, mixed by w_o."""
    return layer_of(student).decode(waves(1, 1, D_MODEL), *cache_of(1), 0)


@stage(PART, needs="decode_one_token", **OUTPUT)
def decode_equal_scores(student):
    """decode with queries of zeros: all tokens of the cache, this one included, weigh the same."""
    return layer_of(student, w_q=0).decode(waves(1, 1, D_MODEL), *cache_of(4), 3)


@stage(PART, needs="decode_equal_scores", **OUTPUT)
def decode_content(student):
    """decode with rotary keys of zeros: the contents alone make the scores, divided by √(d_head + d_rope)."""
    latent, k_rope = cache_of(4)
    return layer_of(student, w_q=2).decode(waves(1, 1, D_MODEL), latent, k_rope * 0, 3)


@stage(PART, needs="decode_equal_scores", **OUTPUT)
def decode_rotary(student):
    """decode with contents of zeros: the rotary parts alone make the scores."""
    return layer_of(student, d_rope=6, w_q=2, w_uk=0).decode(waves(1, 1, D_MODEL), *cache_of(4, d_rope=6), 3)


@stage(PART, needs="decode_rotary", **OUTPUT)
def decode_elsewhere(student):
    """The same at position 30: the cache has begun later than the text."""
    return layer_of(student, d_rope=6, w_q=2, w_uk=0).decode(waves(1, 1, D_MODEL), *cache_of(4, d_rope=6), 30)


@stage(PART, needs="decode_content", **OUTPUT)
def decode_all(student):
    """decode for two sequences, contents and rotary parts together."""
    return layer_of(student, d_rope=6, w_q=2).decode(waves(2, 1, D_MODEL), *cache_of(4, 2, d_rope=6), 3)


@stage(PART, needs="decode_equal_scores", **OUTPUT)
def decode_without_values(student):
    """decode makes no values of single tokens: theirs would be infinite here, and those of the mixed latents are not."""
    layer, (latent, k_rope) = layer_of(student, w_q=0), cache_of(4)
    layer.w_uv.weight.data[:, 0] = 2.0**80
    latent[:, :, 0] = tensor([1.0, -1.0, 1.0, -1.0]) * 2.0**80
    return layer.decode(waves(1, 1, D_MODEL), latent, k_rope, 3)


@stage(PART, needs="decode_content", **OUTPUT)
def decode_without_keys(student):
    """decode makes no keys of single tokens: theirs would be infinite here, and the query in the latents' space does not see that number."""
    layer, (latent, k_rope) = layer_of(student), cache_of(4)
    layer.w_q.weight.data[1:] = layer.w_q.weight.data[0]
    for row, factor in enumerate([1, -1, 0, 0] * N_HEADS):
        layer.w_uk.weight.data[row] = factor * tensor([2.0**80, 0.5, 0.3, 0.2, 0.1])
    layer.w_uv.weight.data[:, 0] = 0
    latent[:, :, 0] = 2.0**80
    return layer.decode(tensor([[[1.0, 0.0, 0.0]]]), latent, k_rope * 0, 3)


@stage(PART, needs="decode_all")
def decode_memory(student):
    """decode for two sequences of 64 tokens, with 8 heads: no tensor is much larger than the cache."""
    layer = fill(student.MultiHeadLatentAttention(D_MODEL, 8, D_HEAD, 16, D_ROPE))
    latent, k_rope = waves(2, 64, 16), waves(2, 64, D_ROPE)
    return {"tensors_stay_small": largest_tensor(layer.decode, waves(2, 1, D_MODEL), latent, k_rope, 63) <= 2 * latent.numel()}


@stage(PART, needs="decode_all", **OUTPUT)
def decode_of_bfloat16(student):
    """decode in bfloat16, with scores that are large all alike: their differences are lost unless they are computed in float32."""
    layer, (latent, k_rope) = layer_of(student), cache_of(4)
    layer.w_uv.weight.data[:, 0] = 0
    latent[:, :, 0] = 1024
    dtype = latent.bfloat16().dtype
    return layer.to(dtype).decode(waves(1, 1, D_MODEL).to(dtype), latent.to(dtype), (k_rope * 0).to(dtype), 3)


@stage(PART, needs="decode_one_token")
def decode_leaves_cache(student):
    """The cache stays as it was."""
    latent, k_rope = cache_of(4)
    layer_of(student).decode(waves(1, 1, D_MODEL), latent, k_rope, 3)
    return {"latent": latent, "k_rope": k_rope}


@stage(PART, needs="decode_one_token", raises="ValueError", numbers=(4, 3))
def decode_lengths_differ(student):
    """Four latents and three rotary keys: a ValueError that names both numbers."""
    latent, k_rope = cache_of(4)
    return layer_of(student).decode(waves(1, 1, D_MODEL), latent, k_rope[:, 1:], 3)
