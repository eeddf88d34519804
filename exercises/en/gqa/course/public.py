"""The public checks of gqa: what `check(...)` runs in a student's notebook.

Each function is one stage and isolates one thing; its docstring is the sentence that the student reads. The inputs are small, so
that they can be shown, and chosen so that every wrong solution in wrong/ gives another result than the right one, and than the
other wrong ones. What is expected is recorded when the exercise is made: there is no solution in here.
"""

from .language import _
from .stage import stage
from .tensors import fill, gradient, layer_shapes, mask_of, tensor, waves

USES = {"GroupedQueryAttention": ("repeat_kv",)}  # which parts call which

HEADS = {"axes": {"": (_("tokens"), _("numbers of a head"))}}
TOKENS = {"axes": {"": (_("tokens"), _("features"))}}
ROWS = {"axes": {"": (_("rows of the projection"), _("columns"))}}


def heads(n_kv_heads, n_tokens=1):
    """Keys of one sequence: the number before the point tells the head, the one behind it the token; the second feature is negative."""
    rows = [[[[head + token / 10, -head - token / 10] for token in range(n_tokens)] for head in range(n_kv_heads)]]
    return tensor(rows)


# repeat_kv


@stage("repeat_kv", **HEADS)
def one_head_twice(student):
    """One key/value head, 2 repeats: two query heads get a copy each."""
    return student.repeat_kv(heads(1, 2), 2)


@stage("repeat_kv", needs="one_head_twice", **HEADS)
def two_heads_once(student):
    """Two heads, 1 repeat: everything stays as it is."""
    return student.repeat_kv(heads(2, 2), 1)


@stage("repeat_kv", needs="one_head_twice", **HEADS)
def two_heads_twice(student):
    """Two heads, 2 repeats: the order is 0 0 1 1."""
    return student.repeat_kv(heads(2, 2), 2)


@stage("repeat_kv", needs="two_heads_twice", **HEADS)
def three_heads_of_two_sequences(student):
    """A batch of two, three heads, 2 repeats: each sequence keeps its own heads, in the order 0 0 1 1 2 2."""
    return student.repeat_kv(waves(2, 3, 2, 2), 2)


@stage("repeat_kv", needs="two_heads_twice")
def repeat_in_half(student):
    """float16 in, float16 out."""
    return student.repeat_kv(tensor([[[[1.0]], [[2.0]]]], "float16"), 2)


@stage("repeat_kv", needs="two_heads_twice")
def repeat_passes_gradients(student):
    """The gradient of a head is the sum of its copies' gradients: 1 + 2 and 3 + 4."""
    x = heads(2).requires_grad_()
    copies = student.repeat_kv(x, 2)
    return {"gradient": gradient(copies[..., 0], x, tensor([[[1.0], [2.0], [3.0], [4.0]]]))}


@stage("repeat_kv", needs="one_head_twice", raises="ValueError", numbers=(0,))
def no_repeats(student):
    """0 repeats: a ValueError that names the number."""
    return student.repeat_kv(heads(1, 2), 0)


# GroupedQueryAttention


def module(student, *arguments):
    """The student's module with fixed weights."""
    return fill(student.GroupedQueryAttention(*arguments))


@stage("GroupedQueryAttention")
def layers(student):
    """d_model 12, 6 heads, 2 key/value heads: w_k and w_v have 4 rows, the others 12, and none has a bias."""
    return layer_shapes(student.GroupedQueryAttention(12, 6, 2))


@stage("GroupedQueryAttention", needs="layers")
def layers_with_bias(student):
    """With `bias=True` each of the four layers has a bias."""
    return layer_shapes(student.GroupedQueryAttention(12, 6, 2, True))


@stage("GroupedQueryAttention", needs="layers", **TOKENS)
def one_token(student):
    """One token, one key/value head: its value goes to both query heads, and through w_o."""
    return module(student, 4, 2, 1)(waves(1, 1, 4))


@stage("GroupedQueryAttention", needs="one_token", **TOKENS)
def one_token_two_groups(student):
    """One token, four query heads, two key/value heads: query heads 0 and 1 get value head 0, and 2 and 3 value head 1."""
    return module(student, 4, 4, 2)(waves(1, 1, 4))


@stage("GroupedQueryAttention", needs="one_token", **TOKENS)
def as_many_groups_as_heads(student):
    """Three tokens, as many key/value heads as query heads: multi-head attention."""
    return module(student, 4, 2, 2)(waves(1, 3, 4))


@stage("GroupedQueryAttention", needs="as_many_groups_as_heads", **TOKENS)
def two_groups(student):
    """A batch of two, three tokens, four query heads, two key/value heads."""
    return module(student, 8, 4, 2)(waves(2, 3, 8))


@stage("GroupedQueryAttention", needs="as_many_groups_as_heads", **TOKENS)
def module_with_biases(student):
    """All four biases are used."""
    return module(student, 4, 2, 1, True)(waves(1, 2, 4))


@stage("GroupedQueryAttention", needs="as_many_groups_as_heads", **TOKENS)
def module_mask(student):
    """A causal mask: no token sees what comes after it."""
    return module(student, 4, 2, 1)(waves(1, 3, 4), mask_of([[1, 0, 0], [1, 1, 0], [1, 1, 1]]))


@stage("GroupedQueryAttention", needs="module_mask", **TOKENS)
def module_mask_of_heads(student):
    """A mask of shape (H, T, T): the two query heads that share keys and values may see different ones."""
    return module(student, 4, 2, 1)(waves(1, 2, 4), mask_of([[[1, 0], [1, 1]], [[1, 1], [0, 1]]]))


@stage("GroupedQueryAttention", needs="module_mask", **TOKENS)
def module_empty_row(student):
    """A token that may see nothing gets the bias of w_o alone."""
    return module(student, 4, 2, 1, True)(waves(1, 2, 4), mask_of([[0, 0], [1, 1]]))


@stage("GroupedQueryAttention", needs="two_groups")
def module_passes_gradients(student):
    """The gradients reach x and the weights of w_k and w_v, from all query heads."""
    made, x = module(student, 4, 4, 2), waves(1, 2, 4).requires_grad_()
    leaves = {"x": x, "w_k": made.w_k.weight, "w_v": made.w_v.weight}
    return {name: gradient(made(x), leaf, waves(1, 2, 4, shift=0.5)) for name, leaf in leaves.items()}


@stage("GroupedQueryAttention", needs="as_many_groups_as_heads", **TOKENS)
def module_in_double(student):
    """A module in float64 gives float64."""
    import torch

    made = module(student, 4, 2, 2)
    made.to(torch.float64)
    return made(waves(1, 2, 4).double())


@stage("GroupedQueryAttention", needs="as_many_groups_as_heads", **TOKENS)
def module_again(student):
    """The same input a second time gives the same output."""
    made, x = module(student, 4, 2, 2), waves(1, 2, 4)
    made(x)
    return made(x)


@stage("GroupedQueryAttention", needs="layers", raises="ValueError", numbers=(6, 4))
def heads_do_not_fit(student):
    """6 query heads, 4 key/value heads: a ValueError that names both numbers."""
    return layer_shapes(student.GroupedQueryAttention(12, 6, 4))


@stage("GroupedQueryAttention", needs="layers", raises="ValueError", numbers=(6, 0))
def no_kv_heads(student):
    """6 query heads, 0 key/value heads: a ValueError that names both numbers."""
    return layer_shapes(student.GroupedQueryAttention(12, 6, 0))


@stage("GroupedQueryAttention", needs="layers", raises="ValueError", numbers=(10, 4))
def width_does_not_fit(student):
    """d_model 10, 4 heads: a ValueError that names both numbers."""
    return layer_shapes(student.GroupedQueryAttention(10, 4, 2))


# pool_kv_heads


@stage("pool_kv_heads", **ROWS)
def two_heads_into_one(student):
    """Two heads of one row each: the new head is their mean."""
    return student.pool_kv_heads(tensor([[1.0, 10.0], [3.0, 20.0]]), 2, 1)


@stage("pool_kv_heads", needs="two_heads_into_one", **ROWS)
def group_of_one(student):
    """As many key/value heads as before: nothing changes."""
    return student.pool_kv_heads(tensor([[1.0, 10.0], [3.0, 20.0]]), 2, 2)


@stage("pool_kv_heads", needs="two_heads_into_one", **ROWS)
def two_rows_a_head(student):
    """Two heads of two rows each, 1 2 and 5 8: row 0 of the new head is the mean of 1 and 5, row 1 of 2 and 8."""
    return student.pool_kv_heads(tensor([[1.0], [2.0], [5.0], [8.0]]), 2, 1)


@stage("pool_kv_heads", needs="two_heads_into_one", **ROWS)
def six_heads_into_two(student):
    """Six heads into two: heads 0, 1 and 2 make one, and 3, 4 and 5 the other."""
    return student.pool_kv_heads(tensor([[0.0], [1.0], [5.0], [30.0], [40.0], [80.0]]), 6, 2)


@stage("pool_kv_heads", needs="six_heads_into_two", **ROWS)
def all_at_once(student):
    """Six heads of two rows each, into two."""
    return student.pool_kv_heads(waves(12, 3), 6, 2)


@stage("pool_kv_heads", needs="two_heads_into_one", **ROWS)
def pool_in_half(student):
    """float16 in, float16 out, and a sum above 65,504 does no harm on the way."""
    return student.pool_kv_heads(tensor([[40000.0], [50000.0]], "float16"), 2, 1)


@stage("pool_kv_heads", needs="two_heads_into_one", **ROWS)
def pool_in_double(student):
    """float64 in, float64 out, with all its digits."""
    return student.pool_kv_heads(waves(2, 2).double() / 3, 2, 1)


@stage("pool_kv_heads", needs="two_heads_into_one", **ROWS)
def pool_in_bfloat16(student):
    """bfloat16 in, bfloat16 out."""
    return student.pool_kv_heads(tensor([[1.0], [2.0]], "bfloat16"), 2, 1)


@stage("pool_kv_heads", needs="two_heads_into_one")
def pool_leaves_weight(student):
    """The weight that was handed in stays as it was."""
    weight = tensor([[1.0, 10.0], [3.0, 20.0]])
    student.pool_kv_heads(weight, 2, 1)
    return {"weight": weight}


@stage("pool_kv_heads", needs="two_heads_into_one", raises="ValueError", numbers=(5, 2))
def rows_do_not_fit(student):
    """5 rows, 2 heads: a ValueError that names both numbers."""
    return student.pool_kv_heads(waves(5, 2), 2, 1)


@stage("pool_kv_heads", needs="two_heads_into_one", raises="ValueError", numbers=(6, 4))
def groups_do_not_fit(student):
    """6 heads into 4: a ValueError that names both numbers."""
    return student.pool_kv_heads(waves(6, 2), 6, 4)


@stage("pool_kv_heads", needs="two_heads_into_one", raises="ValueError", numbers=(6, 0))
def no_groups(student):
    """6 heads into 0: a ValueError that names both numbers."""
    return student.pool_kv_heads(waves(6, 2), 6, 0)
