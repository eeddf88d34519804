"""The public checks of multi-head: what `check(...)` runs in a student's notebook.

Each function is one stage and isolates one thing; its docstring is the sentence that the student reads. The inputs are small, so
that they can be shown, and chosen so that every wrong solution in wrong/ gives another result than the right one, and than the
other wrong ones. What is expected is recorded when the exercise is made: there is no solution in here.
"""

from .language import _
from .stage import stage
from .tensors import fill, tensor, waves

USES = {"MultiHeadAttention": ("split_heads", "merge_heads", "attention")}  # which parts call which

WEIGHTS = ("w_q", "w_k", "w_v", "w_o")
SPLIT = {"axes": {"": (_("tokens"), _("features of one head"))}}
MERGED = {"axes": {"": (_("tokens"), _("features"))}}
OUTPUT = {"axes": {"": (_("queries"), _("numbers of a value vector"))}}

QUERIES = ((1.0, 0.0), (0.0, 2.0), (1.0, -1.0))
KEYS = ((2.0, 0.0), (1.0, 1.0), (0.0, 3.0))
VALUES = ((1.0, 0.0, 0.0, 4.0), (0.0, 2.0, 0.0, 4.0), (0.0, 0.0, 3.0, 4.0))


def numbered(n_tokens, n_features):
    """A sequence whose numbers say where they belong: 23 is feature 3 of token 2."""
    return [[10.0 * token + feature for feature in range(n_features)] for token in range(1, n_tokens + 1)]


def labelled(n_heads, n_tokens, d_head):
    """Heads whose numbers say where they belong: 213 is feature 3 of token 1 in head 2."""
    return [[[100.0 * head + 10 * token + feature for feature in range(d_head)] for token in range(n_tokens)] for head in range(1, n_heads + 1)]


def slope(result, *inputs):
    """The gradients of a weighted sum of a result. An input that the result does not depend on gets zeros."""
    weights = waves(*result.shape, shift=0.5).to(result.dtype)
    total = (result * weights).sum() + sum(0 * x.sum() for x in inputs)
    total.backward()
    return [x.grad for x in inputs]


# split_heads


@stage("split_heads", **SPLIT)
def split_one_token(student):
    """One token of six features, two heads: each gets three, in their order."""
    return student.split_heads(tensor([numbered(1, 6)]), 2)


@stage("split_heads", needs="split_one_token", **SPLIT)
def split_three_tokens(student):
    """Three tokens: each token's features stay together, and each head sees all tokens."""
    return student.split_heads(tensor([numbered(3, 6)]), 2)


@stage("split_heads", needs="split_three_tokens", **SPLIT)
def split_batch(student):
    """Two sequences, three heads: the shape is (B, H, T, d_head)."""
    return student.split_heads(tensor([numbered(2, 6), [[-1.0, -2.0, -3.0, -4.0, -5.0, -6.0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]]]), 3)


@stage("split_heads", needs="split_one_token", **SPLIT)
def split_keeps_dtype(student):
    """float64 in, float64 out."""
    return student.split_heads(tensor([numbered(1, 6)], "float64"), 2)


@stage("split_heads", needs="split_one_token")
def split_passes_gradients(student):
    """A gradient comes through to x."""
    x = tensor([numbered(1, 6)]).requires_grad_()
    return {"x.grad": slope(student.split_heads(x, 2), x)[0]}


@stage("split_heads", needs="split_one_token")
def split_leaves_input(student):
    """The tensor that was handed in stays as it was."""
    x = tensor([numbered(1, 6)])
    student.split_heads(x, 2)
    return {"x": x}


@stage("split_heads", needs="split_one_token", raises="ValueError", numbers=(6, 4), telling=True)
def split_unevenly(student):
    """Six features and four heads: a ValueError that names both numbers."""
    return student.split_heads(tensor([numbered(1, 6)]), 4)


@stage("split_heads", needs="split_one_token", raises="ValueError", numbers=(6, 0), telling=True)
def split_into_none(student):
    """Six features and no heads: a ValueError that names both numbers."""
    return student.split_heads(tensor([numbered(1, 6)]), 0)


# merge_heads


@stage("merge_heads", **MERGED)
def merge_one_token(student):
    """One token of two heads: their features side by side."""
    return student.merge_heads(tensor([labelled(2, 1, 3)]))


@stage("merge_heads", needs="merge_one_token", **MERGED)
def merge_two_tokens(student):
    """Two tokens of three heads: each token gets its own features from all heads."""
    heads = tensor([labelled(3, 2, 2)])
    return student.merge_heads(heads.transpose(1, 2).contiguous().transpose(1, 2))


@stage("merge_heads", needs="merge_two_tokens", telling=True, **MERGED)
def merge_in_any_layout(student):
    """The same numbers in another order in memory give the same result."""
    return student.merge_heads(tensor([labelled(3, 2, 2)]))


@stage("merge_heads", needs="merge_in_any_layout", **MERGED)
def merge_batch(student):
    """Two sequences: the shape is (B, T, H·d_head)."""
    return student.merge_heads(tensor([labelled(2, 3, 1), labelled(2, 3, 1)[::-1]]))


@stage("merge_heads", needs="merge_one_token", **MERGED)
def merge_keeps_dtype(student):
    """float64 in, float64 out."""
    return student.merge_heads(tensor([labelled(2, 1, 3)], "float64"))


@stage("merge_heads", needs="merge_one_token")
def merge_passes_gradients(student):
    """A gradient comes through to x."""
    x = tensor([labelled(2, 1, 3)]).requires_grad_()
    return {"x.grad": slope(student.merge_heads(x), x)[0]}


# attention


@stage("attention", **OUTPUT)
def one_query_one_key(student):
    """One query, one key: the output is the value."""
    return student.attention(tensor([[[[1.0, 2.0]]]]), tensor([[[[1.0, 0.5]]]]), tensor([[[[7.0, 8.0, 9.0]]]]))


@stage("attention", needs="one_query_one_key", **OUTPUT)
def equal_scores(student):
    """A query that scores all keys alike gets the mean of the values."""
    return student.attention(tensor([[[[0.0, 0.0]]]]), tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), tensor([[[[2.0, 0.0, 6.0], [4.0, 8.0, 0.0]]]]))


@stage("attention", needs="equal_scores", **OUTPUT)
def scale(student):
    """One query, three keys: the scores are divided by √d_head."""
    k = tensor([[[[1.0, 1.0, 1.0, 1.0], [2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]] * 2])
    v = tensor([[[[1.0, 0.0, 0.0, 0.0, 2.0], [0.0, 1.0, 0.0, 3.0, 0.0], [0.0, 0.0, 1.0, 3.0, 2.0]]] * 2])
    return student.attention(tensor([[[[1.0, 1.0, 1.0, 1.0]]] * 2]), k, v)


@stage("attention", needs="scale", **OUTPUT)
def several_queries(student):
    """Three queries, three keys: row i is query i's."""
    return student.attention(tensor([[QUERIES]]), tensor([[KEYS]]), tensor([[VALUES]]))


@stage("attention", needs="several_queries", **OUTPUT)
def batch_and_heads(student):
    """Two sequences, two heads: each head of each sequence attends by itself."""
    return student.attention(waves(2, 2, 2, 2), waves(2, 2, 2, 2, shift=1.0), waves(2, 2, 2, 2, shift=2.0))


@stage("attention", needs="several_queries", telling=True, **OUTPUT)
def no_leading_dimensions(student):
    """Queries, keys and values without batch and heads."""
    return student.attention(tensor(QUERIES), tensor(KEYS), tensor(VALUES))


@stage("attention", needs="batch_and_heads", telling=True, **OUTPUT)
def as_split_heads_leaves_them(student):
    """Tensors that lie in memory as `split_heads` leaves them."""
    return student.attention(*(waves(2, 3, 2, 2, shift=shift).transpose(1, 2) for shift in (0.0, 1.0, 2.0)))


@stage("attention", needs="batch_and_heads", **OUTPUT)
def leading_dimensions(student):
    """Leading dimensions broadcast: (2, 1) queries and (3,) keys and values make (2, 3)."""
    return student.attention(waves(2, 1, 1, 2), waves(3, 2, 2, shift=1.0), waves(3, 2, 1, shift=2.0))


@stage("attention", needs="several_queries", **OUTPUT)
def mask_forbids(student):
    """A mask: where it is False, the weight is 0, and the others of the row share out the whole."""
    mask = tensor([[True, False, True], [True, True, False], [False, False, True]], "bool")
    return student.attention(tensor([[QUERIES]]), tensor([[KEYS]]), tensor([[VALUES]]), mask)


@stage("attention", needs="mask_forbids", **OUTPUT)
def mask_of_two_queries(student):
    """Two queries, three keys, and a mask (2, 3)."""
    mask = tensor([[True, False, True], [True, True, False]], "bool")
    return student.attention(tensor([[QUERIES[:2]]]), tensor([[KEYS]]), tensor([[VALUES]]), mask)


@stage("attention", needs="mask_forbids", **OUTPUT)
def mask_for_each_sequence(student):
    """A mask (2, 1, 1, 2) holds for all heads and queries of a sequence."""
    mask = tensor([[[[True, True]]], [[[False, True]]]], "bool")
    return student.attention(waves(2, 2, 2, 2), waves(2, 2, 2, 2, shift=1.0), waves(2, 2, 2, 2, shift=2.0), mask)


@stage("attention", needs="mask_forbids", **OUTPUT)
def empty_query(student):
    """A query that may see no key gives zeros."""
    mask = tensor([[True, False, True], [False, False, False], [True, True, True]], "bool")
    return student.attention(tensor([[QUERIES]]), tensor([[KEYS]]), tensor([[VALUES]]), mask)


@stage("attention", needs="several_queries")
def gradients(student):
    """Gradients come through to q, k and v."""
    q, k, v = (tensor([[rows]]).requires_grad_() for rows in (QUERIES, KEYS, VALUES))
    return dict(zip(("q.grad", "k.grad", "v.grad"), slope(student.attention(q, k, v), q, k, v)))


@stage("attention", needs="empty_query")
def gradients_of_an_empty_query(student):
    """A query that may see no key has gradients of zero, and never NaN."""
    q, k, v = (tensor([[rows]]).requires_grad_() for rows in (QUERIES, KEYS, VALUES))
    mask = tensor([[True, False, True], [False, False, False], [True, True, True]], "bool")
    return dict(zip(("q.grad", "k.grad", "v.grad"), slope(student.attention(q, k, v, mask), q, k, v)))


@stage("attention", needs="several_queries", **OUTPUT)
def attention_of_float64(student):
    """float64 in, float64 out, with all its digits."""
    return student.attention(waves(2, 2).double(), waves(3, 2, shift=1.0).double(), waves(3, 1, shift=2.0).double())


@stage("attention", needs="equal_scores", **OUTPUT)
def attention_of_integers(student):
    """Integers in, float64 out."""
    return student.attention(tensor([[0, 0]], "int64"), tensor([[1, 2], [3, 4]], "int64"), tensor([[2, 4], [4, 8]], "int64"))


@stage("attention", needs="attention_of_float64", **OUTPUT)
def attention_of_float16(student):
    """float16 in, float16 out, and large scores do not overflow on the way."""
    k = tensor([[200.0] * 4, [200.0] * 4, [100.0] * 4], "float16")
    return student.attention(tensor([[200.0] * 4], "float16"), k, tensor([[1.0], [3.0], [8.0]], "float16"))


@stage("attention", needs="equal_scores", raises="ValueError", numbers=(2, 3), telling=True)
def widths_disagree(student):
    """Queries of width 2 and keys of width 3: a ValueError that names both numbers."""
    return student.attention(waves(1, 4, 2), waves(1, 5, 3), waves(1, 5, 1))


@stage("attention", needs="equal_scores", raises="ValueError", numbers=(5, 6), telling=True)
def counts_disagree(student):
    """Five keys and six values: a ValueError that names both numbers."""
    return student.attention(waves(1, 4, 2), waves(1, 5, 2), waves(1, 6, 1))


@stage("attention", needs="mask_forbids", raises="ValueError", numbers=(3, 4), telling=True)
def mask_does_not_fit(student):
    """A mask for four keys where there are three: a ValueError that names both numbers."""
    return student.attention(waves(2, 2), waves(3, 2), waves(3, 1), tensor([[True] * 4] * 2, "bool"))


@stage("attention", needs="mask_forbids", raises="TypeError")
def mask_of_numbers(student):
    """A mask of 0 and 1 in place of False and True: a TypeError."""
    return student.attention(tensor(QUERIES), tensor(KEYS), tensor(VALUES), tensor([[1, 0, 1], [1, 1, 0], [0, 0, 1]], "int64"))


@stage("attention", needs="equal_scores")
def attention_leaves_inputs(student):
    """The tensors that were handed in stay as they were."""
    q, k, v = (tensor([[rows]]) for rows in (QUERIES, KEYS, VALUES))
    mask = tensor([[True, False, False], [True, True, False], [True, True, True]], "bool")
    student.attention(q, k, v, mask)
    return {"q": q, "k": k, "v": v, "mask": mask}


# MultiHeadAttention


def names(module):
    """The names of the parameters, as one text."""
    return ", ".join(sorted(name for name, _ in module.made.named_parameters()))


def shapes(module):
    """The shapes of the four weights, each as a text, so that all of it can be shown."""
    return {f"{name}.weight": str(tuple(getattr(module, name).weight.shape)) for name in WEIGHTS}


@stage("MultiHeadAttention")
def parameter_names(student):
    """Four layers with the names w_q, w_k, w_v and w_o, and no biases."""
    return names(student.MultiHeadAttention(4, 2))


@stage("MultiHeadAttention", needs="parameter_names")
def parameter_names_with_bias(student):
    """With bias=True each of the four layers has a bias."""
    return names(student.MultiHeadAttention(4, 2, True))


@stage("MultiHeadAttention", needs="parameter_names")
def parameter_shapes(student):
    """Each weight has the shape (d_model, d_model)."""
    return shapes(student.MultiHeadAttention(4, 2))


@stage("MultiHeadAttention", needs="parameter_shapes", **MERGED)
def module_one_token(student):
    """One token: it can only attend to itself."""
    return fill(student.MultiHeadAttention(4, 2))(waves(1, 1, 4))


@stage("MultiHeadAttention", needs="module_one_token", **MERGED)
def module_three_tokens(student):
    """Three tokens, two heads, no mask."""
    return fill(student.MultiHeadAttention(4, 2))(2 * waves(1, 3, 4))


@stage("MultiHeadAttention", needs="module_three_tokens", **MERGED)
def module_batch(student):
    """Two sequences, three heads."""
    return fill(student.MultiHeadAttention(6, 3))(2 * waves(2, 2, 6))


@stage("MultiHeadAttention", needs="module_three_tokens", **MERGED)
def module_mask(student):
    """A mask (T, T) holds for all sequences and heads."""
    mask = tensor([[True, False, False], [True, True, False], [False, True, True]], "bool")
    return fill(student.MultiHeadAttention(4, 2))(2 * waves(1, 3, 4), mask)


@stage("MultiHeadAttention", needs="module_mask", **MERGED)
def module_mask_of_heads(student):
    """A mask (H, T, T) has a plane for each head, and goes to attention as it is."""
    mask = tensor([[[True, False], [True, True]], [[True, True], [False, True]]], "bool")
    return fill(student.MultiHeadAttention(4, 2))(2 * waves(2, 2, 4), mask)


@stage("MultiHeadAttention", needs="module_three_tokens", **MERGED)
def module_with_bias(student):
    """With biases every layer adds its own."""
    return fill(student.MultiHeadAttention(4, 2, True))(2 * waves(1, 2, 4))


@stage("MultiHeadAttention", needs="module_with_bias", **MERGED)
def module_empty_row(student):
    """A token that may see nothing gets w_o's bias."""
    mask = tensor([[True, True], [False, False]], "bool")
    return fill(student.MultiHeadAttention(4, 2, True))(2 * waves(1, 2, 4), mask)


@stage("MultiHeadAttention", needs="module_three_tokens")
def module_gradients(student):
    """Gradients come through to the input and to all four weights."""
    module, x = fill(student.MultiHeadAttention(4, 2)), waves(1, 2, 4).requires_grad_()
    tensors = {"x": x, **{f"{name}.weight": getattr(module, name).weight for name in WEIGHTS}}
    return dict(zip([f"{name}.grad" for name in tensors], slope(module(x), *tensors.values())))


@stage("MultiHeadAttention", needs="module_three_tokens", telling=True, **MERGED)
def module_another_length(student):
    """The same module takes a sequence of another length."""
    module = fill(student.MultiHeadAttention(4, 2))
    module(waves(1, 3, 4))
    return module(waves(1, 2, 4))


@stage("MultiHeadAttention", needs="module_three_tokens", **MERGED)
def module_of_float64(student):
    """A module and an input of float64 give float64."""
    module = fill(student.MultiHeadAttention(4, 2))
    module.double()
    return module(waves(1, 2, 4).double())


@stage("MultiHeadAttention", needs="module_three_tokens")
def module_leaves_input(student):
    """The input stays as it was."""
    x = waves(1, 2, 4)
    fill(student.MultiHeadAttention(4, 2))(x)
    return {"x": x}


@stage("MultiHeadAttention", needs="parameter_names", raises="ValueError", numbers=(6, 4))
def module_unevenly(student):
    """d_model = 6 and four heads: a ValueError that names both numbers, as soon as the module is made."""
    return names(student.MultiHeadAttention(6, 4))


@stage("MultiHeadAttention", needs="parameter_names", raises="ValueError", numbers=(6, 0))
def module_without_heads(student):
    """d_model = 6 and no heads: a ValueError that names both numbers."""
    return names(student.MultiHeadAttention(6, 0))
