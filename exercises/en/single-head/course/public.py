"""The public checks of single-head: what `check(...)` runs in a student's notebook.

Each function is one stage and isolates one thing; its docstring is the sentence that the student reads. The inputs are small, so
that they can be shown, and chosen so that every wrong solution in wrong/ gives another result than the right one, and than the
other wrong ones. What is expected is recorded when the exercise is made: there is no solution in here.
"""

import numpy as np

from .language import _
from .stage import stage

USES = {"attention": ("softmax",)}  # which parts call which

ATTENTION = {
    "returns": ("output", "weights"),
    "first": "weights",
    "axes": {"output": (_("queries"), _("numbers of a value vector")), "weights": (_("queries"), _("keys"))},
}
MASK = {"axes": {"": (_("queries"), _("keys"))}}
PADDING = {"axes": {"": (_("sequences"), _("keys"))}}

QUERIES = ((1.0, 0.0), (0.0, 2.0), (1.0, -1.0))
KEYS = ((2.0, 0.0), (1.0, 1.0), (0.0, 3.0))
VALUES = ((1.0, 0.0, 0.0, 4.0), (0.0, 2.0, 0.0, 4.0), (0.0, 0.0, 3.0, 4.0))


# softmax


@stage("softmax")
def one_row(student):
    """One row: the exponentials, divided by their sum."""
    return student.softmax(np.log([1.0, 2.0, 6.0, 1.0]))


@stage("softmax", needs="one_row")
def several_rows(student):
    """Several rows: each sums to one by itself."""
    return student.softmax(np.log([[1.0, 1.0, 2.0], [1.0, 4.0, 5.0]]))


@stage("softmax", needs="several_rows")
def another_axis(student):
    """`axis=0`: each column sums to one."""
    return student.softmax(np.log([[1.0, 1.0, 2.0], [1.0, 4.0, 8.0]]), axis=0)


@stage("softmax", needs="one_row")
def large_scores(student):
    """Large scores do not overflow."""
    return student.softmax(np.array([1000.0, 1001.0, 1002.0]))


@stage("softmax", needs="several_rows")
def rows_far_apart(student):
    """Rows far apart: a row of small scores is as good as one of large ones."""
    return student.softmax(np.array([[0.0, 1.0, 0.0], [-1000.0, -1000.0, -1001.0]]))


@stage("softmax", needs="one_row")
def forbidden_score(student):
    """A score of −∞ gets the weight 0."""
    return student.softmax(np.array([3.0, 1.0, -np.inf]))


@stage("softmax", needs="forbidden_score")
def empty_row(student):
    """A row that is −∞ throughout gives zeros."""
    return student.softmax(np.array([[1.0, 1.0, -np.inf], [-np.inf, -np.inf, -np.inf]]))


@stage("softmax", needs="one_row")
def softmax_of_float32(student):
    """float32 in, float32 out."""
    return student.softmax(np.zeros(4, dtype=np.float32))


@stage("softmax", needs="one_row")
def softmax_of_integers(student):
    """Integers in, float64 out."""
    return student.softmax(np.array([5, 5, 5, 5]))


@stage("softmax", needs="softmax_of_float32")
def softmax_of_float16(student):
    """float16 in, float16 out, and the sum keeps its many small terms."""
    return student.softmax(np.array([0.0] + [-8.0] * 49, dtype=np.float16))


@stage("softmax", needs="one_row")
def softmax_leaves_input(student):
    """The array that was handed in stays as it was."""
    x = np.array([1.0, 2.0, 3.0])
    student.softmax(x)
    return {"x": x}


# attention


@stage("attention", **ATTENTION)
def one_query_one_key(student):
    """One query, one key: the weight is 1, and the output is the value."""
    return student.attention(np.array([[1.0, 2.0]]), np.array([[1.0, 0.5]]), np.array([[7.0, 8.0, 9.0]]))


@stage("attention", needs="one_query_one_key", **ATTENTION)
def equal_scores(student):
    """A query that scores all keys alike gives the mean of the values."""
    return student.attention(np.zeros((1, 2)), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[2.0, 0.0, 6.0], [4.0, 8.0, 0.0]]))


@stage("attention", needs="equal_scores", **ATTENTION)
def scale(student):
    """One query, three keys: the scores are divided by √d_head."""
    q = np.array([[1.0, 1.0, 1.0, 1.0]])
    k = np.array([[1.0, 1.0, 1.0, 1.0], [2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    return student.attention(q, k, np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))


@stage("attention", needs="scale", **ATTENTION)
def several_queries(student):
    """Three queries, three keys: row i is query i, and its weights sum to one."""
    return student.attention(np.array(QUERIES), np.array(KEYS), np.array(VALUES))


@stage("attention", needs="several_queries", **ATTENTION)
def fewer_queries_than_keys(student):
    """Two queries, three keys."""
    return student.attention(np.array(QUERIES[:2]), np.array(KEYS), np.array(VALUES))


@stage("attention", needs="several_queries", **ATTENTION)
def batch(student):
    """A batch in front: only the last two axes of k change places."""
    q = np.array([[[1.0, 0.0], [0.0, 1.0]], [[2.0, 1.0], [1.0, 2.0]]])
    k = np.array([[[1.0, 2.0], [3.0, 0.0]], [[0.0, 1.0], [2.0, 2.0]]])
    return student.attention(q, k, np.array([[[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 2.0]]]))


@stage("attention", needs="batch", **ATTENTION)
def leading_dimensions(student):
    """Leading dimensions broadcast: (2, 1) queries and (3,) keys and values make (2, 3)."""
    q = np.array([[[[1.0, 0.0]]], [[[0.0, 1.0]]]])
    k = np.array([[[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 2.0]], [[3.0, 0.0], [0.0, 3.0]]])
    return student.attention(q, k, np.array([[[1.0], [2.0]], [[3.0], [4.0]], [[5.0], [6.0]]]))


@stage("attention", needs="several_queries", **ATTENTION)
def mask_forbids(student):
    """A mask: where it is False, the weight is 0, and the others of the row share out the whole."""
    mask = np.array([[True, False, True], [True, True, False], [False, False, True]])
    return student.attention(np.array(QUERIES), np.array(KEYS), np.array(VALUES), mask)


@stage("attention", needs="mask_forbids", **ATTENTION)
def mask_broadcasts(student):
    """A mask with one row holds for all queries."""
    return student.attention(np.array(QUERIES), np.array(KEYS), np.array(VALUES), np.array([[True, True, False]]))


@stage("attention", needs="mask_forbids", **ATTENTION)
def large_score_forbidden(student):
    """The largest score cannot beat a mask."""
    k = np.array([[1.0, 0.0], [500.0, 0.0], [0.0, 1.0]])
    return student.attention(np.array([[1.0, 1.0]]), k, np.array(VALUES), np.array([[True, False, True]]))


@stage("attention", needs="mask_forbids", **ATTENTION)
def empty_query(student):
    """A query that may see no key gives zeros, in the output and in the weights."""
    mask = np.array([[True, True, False], [False, False, False], [True, True, True]])
    return student.attention(np.array(QUERIES), np.array(KEYS), np.array(VALUES), mask)


@stage("attention", needs="equal_scores", **ATTENTION)
def attention_of_float32(student):
    """float32 queries give float32 results, even where the keys and values are float64."""
    return student.attention(np.zeros((1, 2), dtype=np.float32), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[2.0, 4.0], [4.0, 8.0]]))


@stage("attention", needs="equal_scores", **ATTENTION)
def attention_of_integers(student):
    """Integers in, float64 out."""
    return student.attention(np.zeros((1, 2), dtype=int), np.array([[1, 2], [3, 4]]), np.array([[2, 4], [4, 8]]))


@stage("attention", needs="attention_of_float32", **ATTENTION)
def attention_of_float16(student):
    """float16 in, float16 out, and large scores do not overflow on the way."""
    q = np.full((1, 4), 200, dtype=np.float16)
    k = np.array([[200.0] * 4, [200.0] * 4, [100.0] * 4], dtype=np.float16)
    return student.attention(q, k, np.array([[1.0], [3.0], [8.0]], dtype=np.float16))


@stage("attention", needs="equal_scores", raises="ValueError", numbers=(2, 3))
def widths_disagree(student):
    """Queries of width 2 and keys of width 3: a ValueError that names both numbers."""
    return student.attention(np.ones((4, 2)), np.ones((5, 3)), np.ones((5, 1)))


@stage("attention", needs="equal_scores", raises="ValueError", numbers=(5, 6))
def counts_disagree(student):
    """Five keys and six values: a ValueError that names both numbers."""
    return student.attention(np.ones((4, 2)), np.ones((5, 2)), np.ones((6, 1)))


@stage("attention", needs="mask_forbids", raises="ValueError", numbers=(3, 4))
def mask_does_not_fit(student):
    """A mask for four keys where there are three: a ValueError that names both numbers."""
    return student.attention(np.ones((2, 2)), np.ones((3, 2)), np.ones((3, 1)), np.ones((2, 4), dtype=bool))


@stage("attention", needs="mask_forbids", raises="TypeError")
def mask_of_numbers(student):
    """A mask of 0 and 1 in place of False and True: a TypeError."""
    return student.attention(np.array(QUERIES), np.array(KEYS), np.array(VALUES), np.array([[1, 0, 1], [1, 1, 0], [0, 0, 1]]))


@stage("attention", needs="equal_scores")
def attention_leaves_inputs(student):
    """The arrays that were handed in stay as they were."""
    q, k, v = np.array(QUERIES), np.array(KEYS), np.array(VALUES)
    mask = np.array([[True, False, False], [True, True, False], [True, True, True]])
    student.attention(q, k, v, mask)
    return {"q": q, "k": k, "v": v, "mask": mask}


# causal_mask


@stage("causal_mask", **MASK)
def square(student):
    """As many queries as keys: each token sees itself and what came before."""
    return student.causal_mask(4, 4)


@stage("causal_mask", needs="square", **MASK)
def one_new_token(student):
    """One query, four keys: the newest token sees everything."""
    return student.causal_mask(1, 4)


@stage("causal_mask", needs="square", **MASK)
def last_queries(student):
    """Two queries, five keys: the queries are the last two tokens."""
    return student.causal_mask(2, 5)


@stage("causal_mask", needs="square", **MASK)
def more_queries_than_keys(student):
    """Four queries, two keys: the first queries see nothing."""
    return student.causal_mask(4, 2)


# padding_mask


@stage("padding_mask", **PADDING)
def three_lengths(student):
    """Lengths 3, 1 and 2 of four keys: True for the tokens, False for the padding, in shape (3, 1, 4)."""
    return student.padding_mask(np.array([3, 1, 2]), 4)


@stage("padding_mask", needs="three_lengths", **PADDING)
def nothing_and_everything(student):
    """Length 0 sees nothing, and the full length everything."""
    return student.padding_mask(np.array([0, 3]), 3)


@stage("padding_mask", needs="three_lengths", raises="ValueError", numbers=(5, 4))
def too_long(student):
    """A length of 5 where there are 4 keys: a ValueError that names both numbers."""
    return student.padding_mask(np.array([2, 5]), 4)


@stage("padding_mask", needs="three_lengths", raises="ValueError", numbers=(-1, 4))
def negative_length(student):
    """A length of −1: a ValueError that names it and the number of keys."""
    return student.padding_mask(np.array([-1, 2]), 4)
