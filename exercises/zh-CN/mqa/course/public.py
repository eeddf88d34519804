"""The public checks of mqa: what `check(...)` runs in a student's notebook.

Each function is one stage and isolates one thing; its docstring is the sentence that the student reads. The inputs are small, so
that they can be shown, and chosen so that every wrong solution in wrong/ gives another result than the right one, and than the
other wrong ones. What is expected is recorded when the exercise is made: there is no solution in here.
"""

from .language import _
from .stage import stage
from .tensors import fill, gradient, largest_tensor, layer_shapes, mask_of, tensor, waves

USES = {}  # which parts call which

TOKENS = {"axes": {"": (_("tokens"), _("features"))}}


# MultiQueryAttention


def module(student, *arguments):
    """The student's module with fixed weights."""
    return fill(student.MultiQueryAttention(*arguments))


@stage("MultiQueryAttention")
def layers(student):
    """d_model 12, 3 heads: w_k and w_v have 4 rows, the others 12, and none has a bias."""
    return layer_shapes(student.MultiQueryAttention(12, 3))


@stage("MultiQueryAttention", needs="layers")
def layers_with_bias(student):
    """With `bias=True` each of the four layers has a bias."""
    return layer_shapes(student.MultiQueryAttention(12, 3, True))


@stage("MultiQueryAttention", needs="layers", **TOKENS)
def one_token(student):
    """One token: its value goes to both query heads, and through w_o."""
    return module(student, 4, 2)(waves(1, 1, 4))


@stage("MultiQueryAttention", needs="one_token", **TOKENS)
def one_head(student):
    """Three tokens, a single query head: attention as you have known it from the beginning."""
    return module(student, 4, 1)(waves(1, 3, 4))


@stage("MultiQueryAttention", needs="one_token", **TOKENS)
def two_heads(student):
    """Three tokens, two query heads, each with a question of its own."""
    return module(student, 4, 2)(waves(1, 3, 4))


@stage("MultiQueryAttention", needs="two_heads", **TOKENS)
def as_many_sequences_as_heads(student):
    """Two sequences, two query heads: both heads of a sequence see the keys of that sequence."""
    return module(student, 4, 2)(waves(2, 2, 4))


@stage("MultiQueryAttention", needs="two_heads", **TOKENS)
def batch(student):
    """A batch of two, three tokens, four query heads."""
    return module(student, 8, 4)(waves(2, 3, 8))


@stage("MultiQueryAttention", needs="two_heads", **TOKENS)
def module_with_biases(student):
    """All four biases are used."""
    return module(student, 4, 2, True)(waves(1, 2, 4))


@stage("MultiQueryAttention", needs="two_heads", **TOKENS)
def module_mask(student):
    """A causal mask: no token sees what comes after it."""
    return module(student, 4, 2)(waves(1, 3, 4), mask_of([[1, 0, 0], [1, 1, 0], [1, 1, 1]]))


@stage("MultiQueryAttention", needs="module_mask", **TOKENS)
def module_mask_of_heads(student):
    """A mask of shape (H, T, T): the two query heads may see different keys."""
    return module(student, 4, 2)(waves(1, 2, 4), mask_of([[[1, 0], [1, 1]], [[1, 1], [0, 1]]]))


@stage("MultiQueryAttention", needs="module_mask", **TOKENS)
def module_empty_row(student):
    """A token that may see nothing gets the bias of w_o alone."""
    return module(student, 4, 2, True)(waves(1, 2, 4), mask_of([[0, 0], [1, 1]]))


@stage("MultiQueryAttention", needs="two_heads")
def module_passes_gradients(student):
    """The gradients reach x and the weights of w_k and w_v, from all query heads."""
    made, x = module(student, 4, 2), waves(1, 2, 4).requires_grad_()
    leaves = {"x": x, "w_k": made.w_k.weight, "w_v": made.w_v.weight}
    return {name: gradient(made(x), leaf, waves(1, 2, 4, shift=0.5)) for name, leaf in leaves.items()}


@stage("MultiQueryAttention", needs="two_heads", **TOKENS)
def module_in_double(student):
    """A module in float64 gives float64."""
    import torch

    made = module(student, 4, 2)
    made.to(torch.float64)
    return made(waves(1, 2, 4).double())


@stage("MultiQueryAttention", needs="two_heads", **TOKENS)
def module_again(student):
    """The same input a second time gives the same output."""
    made, x = module(student, 4, 2), waves(1, 2, 4)
    made(x)
    return made(x)


@stage("MultiQueryAttention", needs="layers", raises="ValueError", numbers=(10, 4))
def width_does_not_fit(student):
    """d_model 10, 4 heads: a ValueError that names both numbers."""
    return layer_shapes(student.MultiQueryAttention(10, 4))


# attention_parameters


@stage("attention_parameters")
def multi_head(student):
    """d_model 12, 6 heads, 6 key/value heads: four square matrices."""
    return student.attention_parameters(12, 6, 6)


@stage("attention_parameters", needs="multi_head")
def multi_query(student):
    """d_model 12, 6 heads, 1 key/value head: w_k and w_v have 2 rows each."""
    return student.attention_parameters(12, 6, 1)


@stage("attention_parameters", needs="multi_query")
def grouped(student):
    """d_model 512, 8 heads, 2 key/value heads."""
    return student.attention_parameters(512, 8, 2)


@stage("attention_parameters", needs="multi_query")
def grouped_with_biases(student):
    """The same with biases: one more number for each row of each layer."""
    return student.attention_parameters(512, 8, 2, True)


@stage("attention_parameters", needs="multi_head", raises="ValueError", numbers=(10, 4))
def width_cannot_be_shared(student):
    """d_model 10, 4 heads: a ValueError that names both numbers."""
    return student.attention_parameters(10, 4, 2)


@stage("attention_parameters", needs="multi_head", raises="ValueError", numbers=(12, 0))
def no_heads_to_count(student):
    """d_model 12, 0 heads: a ValueError that names both numbers."""
    return student.attention_parameters(12, 0, 1)


@stage("attention_parameters", needs="multi_head", raises="ValueError", numbers=(6, 0))
def no_kv_heads_to_count(student):
    """6 query heads, 0 key/value heads: a ValueError that names both numbers."""
    return student.attention_parameters(12, 6, 0)


@stage("attention_parameters", needs="multi_head", raises="ValueError", numbers=(6, 4))
def heads_cannot_be_shared(student):
    """6 query heads, 4 key/value heads: a ValueError that names both numbers."""
    return student.attention_parameters(12, 6, 4)


# decode_step


@stage("decode_step")
def one_key(student):
    """Two heads, a single key: both get its value, whatever they ask."""
    return student.decode_step(waves(1, 2, 1, 3), waves(1, 1, 1, 3, shift=1.0), tensor([[[[7.0, 8.0]]]]))


@stage("decode_step", needs="one_key")
def three_keys(student):
    """One head, three keys: the scores are divided by √d_head, here 2, and the softmax runs over the keys."""
    return student.decode_step(waves(1, 1, 1, 4), waves(1, 1, 3, 4, shift=1.0), waves(1, 1, 3, 2, shift=2.0))


@stage("decode_step", needs="three_keys")
def three_heads(student):
    """Three heads, two keys: each head asks for itself, and all of them the same keys."""
    return student.decode_step(waves(1, 3, 1, 4), waves(1, 1, 2, 4, shift=1.0), waves(1, 1, 2, 4, shift=2.0))


@stage("decode_step", needs="three_heads")
def two_sequences(student):
    """Two sequences: each has a cache of its own."""
    return student.decode_step(waves(2, 3, 1, 4), waves(2, 1, 5, 4, shift=1.0), waves(2, 1, 5, 2, shift=2.0))


@stage("decode_step", needs="one_key")
def step_in_half(student):
    """float16 in, float16 out, and a score above 65,504 does no harm on the way."""
    keys = tensor([[[[200.0, 200.0, 200.0, 200.0], [200.0, 200.0, 200.0, 200.0], [100.0, 100.0, 100.0, 100.0]]]], "float16")
    return student.decode_step(tensor([[[[200.0, 200.0, 200.0, 200.0]]]], "float16"), keys, tensor([[[[1.0], [3.0], [8.0]]]], "float16"))


@stage("decode_step", needs="three_heads")
def step_leaves_cache(student):
    """The cache stays as it was."""
    keys, values = waves(1, 1, 2, 4, shift=1.0), waves(1, 1, 2, 4, shift=2.0)
    student.decode_step(waves(1, 3, 1, 4), keys, values)
    return {"keys": keys, "values": values}


def compared_to_keys(student, q, keys, values):
    """How many times as many numbers the largest tensor holds as the keys; up to 4 it does not matter."""
    times = largest_tensor(student.decode_step, q, keys, values) / keys.numel()
    return {"largest / keys.numel()": "≤ 4" if times <= 4 else f"{times:g}"}


@stage("decode_step", needs="three_heads")
def no_copy_for_each_head(student):
    """One sequence, 16 heads: no tensor is made that holds more than 4 times as many numbers as the keys."""
    q, keys, values = waves(1, 16, 1, 32), waves(1, 1, 50, 32, shift=1.0), waves(1, 1, 50, 32, shift=2.0)
    return compared_to_keys(student, q, keys, values)


@stage("decode_step", needs="two_sequences")
def no_copy_for_each_head_of_a_batch(student):
    """Two sequences, 16 heads: still no tensor that holds more than 4 times as many numbers as the keys."""
    q, keys, values = waves(2, 16, 1, 32), waves(2, 1, 50, 32, shift=1.0), waves(2, 1, 50, 32, shift=2.0)
    return compared_to_keys(student, q, keys, values)


@stage("decode_step", needs="one_key", raises="ValueError", numbers=(1, 2))
def two_tokens(student):
    """Queries of 2 tokens: a ValueError that names the number and 1."""
    return student.decode_step(waves(1, 3, 2, 4), waves(1, 1, 2, 4, shift=1.0), waves(1, 1, 2, 4, shift=2.0))


@stage("decode_step", needs="one_key", raises="ValueError", numbers=(1, 3))
def three_kv_heads(student):
    """Keys and values of 3 heads: a ValueError that names the number and 1."""
    return student.decode_step(waves(1, 3, 1, 4), waves(1, 3, 2, 4, shift=1.0), waves(1, 3, 2, 4, shift=2.0))


@stage("decode_step", needs="one_key", raises="ValueError", numbers=(1, 3))
def three_heads_of_values(student):
    """Values of 3 heads, keys of one: a ValueError that names the number and 1."""
    return student.decode_step(waves(1, 3, 1, 4), waves(1, 1, 2, 4, shift=1.0), waves(1, 3, 2, 4, shift=2.0))


@stage("decode_step", needs="two_sequences", raises="ValueError", numbers=(2, 3), telling=True)
def batches_disagree(student):
    """Two sequences in q, three in the cache: a ValueError that names both numbers."""
    return student.decode_step(waves(2, 3, 1, 4), waves(3, 1, 2, 4, shift=1.0), waves(3, 1, 2, 4, shift=2.0))


@stage("decode_step", needs="one_key", raises="ValueError", numbers=(4, 5), telling=True)
def widths_disagree(student):
    """Queries of width 4, keys of width 5: a ValueError that names both numbers."""
    return student.decode_step(waves(1, 3, 1, 4), waves(1, 1, 2, 5, shift=1.0), waves(1, 1, 2, 4, shift=2.0))
