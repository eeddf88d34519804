"""Hidden tests of single-head. A test's docstring is the sentence that a student reads beside its result.

Where a test is not about the scale it takes d_head = 1: √1 is 1, so that a solution without the scale loses the scale's points and no others.
"""

import numpy as np

from autograder.hidden import catches, expect, expect_unchanged, fails, points
from autograder.hidden.judge import expect_pair

FLOATS = (np.float64, np.float32, np.float16)


@points(0.5, part="softmax")
@catches("softmax-over-everything", "softmax-adds-epsilon")
def test_softmax_rows(student, reference, draw):
    """Each row is divided by its own sum."""
    for shape in ((draw.size(2, 9),), (draw.size(2, 6), draw.size(2, 9)), (2, 3, draw.size(2, 9))):
        compare_softmax(student, reference, draw.normal(shape))


@points(0.5, part="softmax")
@catches("softmax-ignores-axis")
def test_softmax_axis(student, reference, draw):
    """The argument `axis` chooses along which axis the sum runs."""
    x = draw.normal((draw.size(2, 5), draw.size(2, 5), draw.size(2, 5)))
    for axis in (0, 1, -2, -1):
        compare_softmax(student, reference, x, axis=axis)


@points(0.75, part="softmax")
@catches("softmax-overflow", "softmax-global-maximum")
def test_softmax_large(student, reference, draw):
    """Large numbers neither overflow nor vanish, and each row is taken by itself."""
    x = draw.normal((draw.size(3, 6), draw.size(3, 9)))
    for offset in (1000.0, -1000.0, np.linspace(-2000, 2000, len(x))[:, None]):
        compare_softmax(student, reference, x + offset)
    compare_softmax(student, reference, np.array([100.0, 0.0, -100.0]))


@points(0.5, part="softmax")
@catches("softmax-empty-row-nan", "softmax-empty-row-uniform")
def test_softmax_empty(student, reference, draw):
    """A row that is −∞ throughout gives zeros; −∞ elsewhere gives a weight of zero."""
    x = draw.normal((draw.size(3, 6), draw.size(3, 9)))
    x[:, draw.index(x.shape[1] - 1)] = -np.inf
    compare_softmax(student, reference, x)
    x[draw.index(len(x))] = -np.inf
    compare_softmax(student, reference, x)


@points(0.5, part="softmax")
@catches("softmax-always-float64", "softmax-in-float16")
def test_softmax_dtype(student, reference, draw):
    """The result has the input's dtype, integers give float64, and float16 is added up in a wider one."""
    compare_softmax(student, reference, draw.integers(-4, 4, (2, draw.size(3, 6))))
    for dtype in FLOATS:
        compare_softmax(student, reference, draw.normal((2, draw.size(3, 6))).astype(dtype))
        compare_softmax(student, reference, (0.01 * draw.normal((2, 6000))).astype(dtype))


@points(0.25, part="softmax")
@catches("softmax-changes-input")
def test_softmax_input(student, reference, draw):
    """The array that is handed in stays as it was."""
    for x in (draw.normal((3, draw.size(3, 6))), draw.normal((3, 8))[:, ::2]):
        compare_softmax(student, reference, x)
        expect_unchanged(student.softmax.outcome(x), x)


@points(0.5, part="attention")
@catches("keys-as-values", "no-softmax", "attention-results-swapped")
def test_attention_one_key(student, reference, draw):
    """With a single key the output is its value, whatever the query says."""
    d_head, d_value = draw.different_sizes(2, 3, 9)
    compare_attention(student, reference, draw.normal((1, d_head)), draw.normal((1, d_head)), draw.normal((1, d_value)))
    compare_attention(student, reference, draw.normal((3, d_head)), draw.normal((1, d_head)), draw.normal((1, d_head)))


@points(1.0, part="attention")
@catches("no-scale", "scale-by-d", "scale-by-value-width", "scale-by-length", "scale-after-softmax")
def test_attention_scale(student, reference, draw):
    """The scores are divided by √d_head, before the softmax."""
    for _ in range(2):
        sizes = draw.size(7, 10), draw.size(13, 19), draw.size(28, 40)  # far apart, and none the root of another
        d_head, n_keys, d_value = (sizes[place] for place in draw.different_sizes(3, 0, 3))
        q, k, v = draw.normal((1, d_head)) / 2, draw.normal((n_keys, d_head)), draw.normal((n_keys, d_value))  # no key wins, scaled or not
        compare_attention(student, reference, q, k, v)


@points(1.0, part="attention")
@catches("softmax-over-queries", "scores-transposed")
def test_attention_rows(student, reference, draw):
    """Each query shares out its attention among the keys: the rows of the weights sum to one."""
    n, other, d_value = draw.different_sizes(3, 3, 9)
    for n_queries, n_keys in ((n, n), (n, other)):
        compare_attention(student, reference, *draw.qkv(n_queries, n_keys, 1, d_value))


@points(0.5, part="attention")
@catches("transposes-every-axis")
def test_attention_batch(student, reference, draw):
    """Leading dimensions are carried along and broadcast, and arrays need not be contiguous."""
    n_queries, n_keys, d_head, d_value = draw.different_sizes(4, 2, 9)
    for leading in ((3,), (2, 3)):
        q, k, v = draw.qkv(n_queries, n_keys, d_head, d_value)
        q, k, v = (x + draw.normal((*leading, 1, 1)) for x in (q, k, v))
        compare_attention(student, reference, q, k, v)
    compare_attention(student, reference, draw.normal((2, 1, n_queries, d_head)), draw.normal((3, n_keys, d_head)), draw.normal((n_keys, d_value)))
    wide = draw.normal((3, 2, n_keys, 2 * d_head))[..., ::2]
    compare_attention(student, reference, *wide)


@points(0.75, part="attention")
@catches("mask-inverted", "mask-after-softmax", "mask-added", "mask-multiplied", "mask-ignored")
def test_attention_mask(student, reference, draw):
    """A key that the mask forbids gets no weight, and the others share its part."""
    n_queries, n_keys, d_value = draw.different_sizes(3, 3, 9)
    q, k, v = draw.qkv(n_queries, n_keys, 1, d_value)
    compare_attention(student, reference, q, k, v, draw.mask((n_queries, n_keys)))
    q, k, v = (np.stack([x, -x]) for x in (q, k, v))
    compare_attention(student, reference, q, k, v, draw.mask((2, 1, n_keys)))
    loud = np.pad(draw.mask((n_queries, n_keys - 1)), ((0, 0), (1, 0)))  # one key more, forbidden, before those of which each query sees some
    k[:, 0] *= 1000  # it would win any contest
    compare_attention(student, reference, q, k, v, loud)


@points(0.5, part="attention")
@catches("mask-minus-1e9")
def test_attention_empty(student, reference, draw):
    """A query that may see no key gives zeros, in the output and in the weights."""
    n_queries, n_keys, d_value = draw.different_sizes(3, 3, 9)
    mask = draw.mask((n_queries, n_keys))
    mask[draw.index(n_queries)] = False
    compare_attention(student, reference, *draw.qkv(n_queries, n_keys, 1, d_value), mask)
    compare_attention(student, reference, *draw.qkv(n_queries, n_keys, 1, d_value), np.zeros((n_queries, n_keys), bool))


@points(0.25, part="attention")
@catches("attention-always-float64", "attention-in-float16")
def test_attention_dtype(student, reference, draw):
    """Output and weights have the queries' dtype; float16 is multiplied and added in a wider one."""
    n_queries, n_keys, d_head, d_value = draw.different_sizes(4, 3, 9)
    for dtype in FLOATS:
        compare_attention(student, reference, *(x.astype(dtype) for x in draw.qkv(n_queries, n_keys, d_head, d_value)))
    integers = (draw.integers(-2, 3, shape) for shape in ((n_queries, d_head), (n_keys, d_head), (n_keys, d_value)))
    compare_attention(student, reference, *integers)
    q, k, v = draw.qkv(n_queries, n_keys, 16, d_value)
    compare_attention(student, reference, (300 * np.sign(q)).astype(np.float16), (300 * np.sign(k)).astype(np.float16), v.astype(np.float16))


@points(0.25, part="attention")
@catches("integer-mask")
def test_attention_errors(student, reference, draw):
    """Sizes that disagree raise ValueError with the two numbers, a mask that is not boolean raises TypeError."""
    n_queries, n_keys, d_head, other = draw.different_sizes(4, 4, 10)
    compare_attention(student, reference, *draw.qkv(n_queries, n_keys, 1, other))  # where all fits, nothing is raised
    q, k, v = draw.qkv(n_queries, n_keys, d_head, d_head)
    for dtype in (np.int64, np.float32):
        with fails("TypeError"):
            student.attention(q, k, v, np.ones((n_queries, n_keys), dtype))
    with fails("ValueError", d_head, other):
        student.attention(q, draw.normal((n_keys, other)), v)
    with fails("ValueError", n_keys, other):
        student.attention(q, k, draw.normal((other, d_head)))
    with fails("ValueError", n_keys, other):
        student.attention(q, k, v, np.ones((n_queries, other), bool))
    with fails("ValueError", 2, 3):
        student.attention(np.stack([q, q]), np.stack([k, k, k]), v)


@points(0.25, part="attention")
@catches("attention-changes-input")
def test_attention_inputs(student, reference, draw):
    """The arrays that are handed in stay as they were, the mask too."""
    n_queries, n_keys, d_value = draw.different_sizes(3, 3, 9)
    arguments = (*draw.qkv(n_queries, n_keys, 1, d_value), draw.mask((n_queries, n_keys)))
    compare_attention(student, reference, *arguments)
    expect_unchanged(student.attention.outcome(*arguments), *arguments)


@points(0.5, part="causal_mask")
@catches("causal-inverted", "causal-without-itself", "causal-one-ahead", "causal-of-numbers")
def test_causal_square(student, reference, draw):
    """With as many queries as keys, each token sees itself and those before it."""
    for n in (draw.size(3, 9), 1):
        expect(student.causal_mask(n, n), reference.causal_mask(n, n), name="causal_mask")


@points(0.5, part="causal_mask")
@catches("causal-top-left", "causal-transposed")
def test_causal_rectangle(student, reference, draw):
    """With more keys than queries the queries are the last tokens; with fewer, the first queries see nothing."""
    few = draw.size(2, 7)
    many = few + draw.size(2, 5)  # with one key more than queries `<` for `≤` gives the mask that is aligned at the first key
    for n_queries, n_keys in ((few, many), (1, many), (many, few)):
        expect(student.causal_mask(n_queries, n_keys), reference.causal_mask(n_queries, n_keys), name="causal_mask")


@points(0.75, part="padding_mask")
@catches("padding-inverted", "padding-one-too-many", "padding-from-the-left", "padding-without-query-axis")
def test_padding_values(student, reference, draw):
    """A key is seen where it lies within its sequence's length, from none to all of them."""
    n_keys = draw.size(3, 9)
    mixed = np.array([draw.size(1, n_keys), 1, draw.size(1, n_keys)])  # not all of them half of the keys
    for lengths in (mixed, np.array([0, n_keys]), np.array([draw.size(1, n_keys)])):
        expect(student.padding_mask(lengths, n_keys), reference.padding_mask(lengths, n_keys), name="padding_mask")
    lengths = [int(n) for n in draw.integers(0, n_keys + 1, 4)]
    expect(student.padding_mask(lengths, n_keys), reference.padding_mask(lengths, n_keys), name="padding_mask")


@points(0.25, part="padding_mask")
@catches("padding-out-of-range")
def test_padding_errors(student, reference, draw):
    """A length outside 0…n_keys raises ValueError with the two numbers."""
    n_keys = draw.size(3, 9)
    expect(student.padding_mask(np.array([0, n_keys]), n_keys), reference.padding_mask([0, n_keys], n_keys), name="padding_mask")
    for wrong in (n_keys + draw.size(1, 4), -draw.size(1, 4)):
        with fails("ValueError", wrong, n_keys):
            student.padding_mask(np.array([1, wrong]), n_keys)


def compare_softmax(student, reference, x, **keywords):
    """Judge the student's softmax of x against the reference in float64."""
    want, low = (reference.softmax(y, **keywords) for y in (x.astype(np.float64), x))
    magnitude = np.max(np.abs(x), where=np.isfinite(x), initial=1.0)
    expect(student.softmax(x, **keywords), want, low=low, name="softmax", magnitude=magnitude)


def compare_attention(student, reference, q, k, v, mask=None):
    """Judge the student's output and weights against the reference in float64."""
    arguments = (q, k, v) if mask is None else (q, k, v, mask)
    output, weights = expect_pair(student.attention(*arguments), "attention")
    want = reference.attention(*(x.astype(np.float64) for x in (q, k, v)), mask)
    low = reference.attention(q, k, v, mask)
    expect(weights, want[1], low=low[1], name="weights")
    expect(output, want[0], low=low[0], name="output")
