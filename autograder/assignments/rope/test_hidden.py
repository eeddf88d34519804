"""Hidden tests of rope. A test's docstring is the sentence that a student reads beside its result.

Each test hides the faults that it is not about. A width of two has one pair and the frequency 1, whatever the layout, the exponent and
the base. A base of 1 makes all frequencies 1, so that only the layout counts. Positions 0, 1, 2 … are right even for those who count
themselves. Which way the pairs turn is one rule, and `test_one_pair` asks for it: all other tests let both ways pass.
"""

import torch

from autograder.hidden import Wrong, catches, cuda, expect, expect_unchanged, fails, points
from autograder.hidden.pytorch import ON_GPU

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@points(0.25, part="apply_rope")
@catches("positions-from-one", "waves-added")
def test_position_zero(student, reference, draw):
    """At position 0 nothing turns: what goes in comes out."""
    x = drawn_normal(draw, 3, 2)
    compare_turned(student, reference, x, torch.zeros(3, dtype=torch.int64))


@points(1.5, part="apply_rope")
@catches("turned-backwards", "not-turned", "minus-missing", "degrees", "first-number-reused", "sine-and-cosine-swapped")
def test_one_pair(student, reference, draw):
    """A pair (a, b) turns into (a·cos p − b·sin p, a·sin p + b·cos p)."""
    n_tokens = draw.size(4, 9)
    for interleaved in (False, True):
        compare_turned(student, reference, drawn_normal(draw, n_tokens, 2), torch.arange(n_tokens), 10000.0, interleaved, either_way=False)


@points(1.0, part="apply_rope")
@catches("always-interleaved", "pairs-from-outside-in", "half-left-alone", "result-interleaved")
def test_half_split(student, reference, draw):
    """Half-split, channel i is turned together with channel i + Dh/2."""
    n_tokens, d_head = draw.size(4, 9), 2 * draw.size(3, 7)
    compare_turned(student, reference, drawn_normal(draw, n_tokens, d_head), torch.arange(n_tokens), 1.0, False)


@points(1.0, part="apply_rope")
@catches("never-interleaved", "result-half-split", "interleaved-cut-in-halves")
def test_interleaved(student, reference, draw):
    """Interleaved, channel 2i is turned together with channel 2i + 1, and both stay in their places."""
    n_tokens, d_head = draw.size(4, 9), 2 * draw.size(3, 7)
    compare_turned(student, reference, drawn_normal(draw, n_tokens, d_head), torch.arange(n_tokens), 1.0, True)


@points(1.5, part="apply_rope")
@catches("exponent-too-small", "exponent-too-large", "frequencies-reversed", "frequencies-inverted", "one-frequency",
         "frequencies-from-one", "exponents-up-to-one")
def test_frequencies(student, reference, draw):
    """Pair i turns by p·θᵢ with θᵢ = base^(−2i/Dh), and the base is 10,000 if nothing is said."""
    for pairs in draw.different_sizes(2, 3, 9):  # two pairs alone do not tell these mistakes apart
        n_tokens = draw.size(4, 9)
        compare_turned(student, reference, drawn_normal(draw, n_tokens, 2 * pairs), torch.arange(n_tokens))


@points(0.75, part="apply_rope")
@catches("angles-half-split")
def test_interleaved_frequencies(student, reference, draw):
    """Interleaved, the pair of the channels 2i and 2i + 1 turns by p·θᵢ."""
    n_tokens, d_head = draw.size(4, 9), 2 * draw.size(3, 7)
    compare_turned(student, reference, drawn_normal(draw, n_tokens, d_head), torch.arange(n_tokens), 10000.0, True)


@points(0.5, part="apply_rope")
@catches("base-ignored")
def test_base(student, reference, draw):
    """The argument `base` sets the frequencies."""
    n_tokens, d_head = draw.size(4, 9), 2 * draw.size(3, 7)
    for base in (float(draw.size(50, 500)), 500000.0):
        compare_turned(student, reference, drawn_normal(draw, n_tokens, d_head), torch.arange(n_tokens), base)


@points(0.5, part="apply_rope")
@catches("positions-ignored", "positions-from-the-first")
def test_positions(student, reference, draw):
    """The positions are those that are handed in, wherever they begin and whatever they leave out."""
    n_tokens, first = draw.size(4, 9), draw.size(3, 9)
    shuffled = torch.from_numpy(draw.generator.permutation(20)[:n_tokens])
    for positions in (shuffled + 1, torch.arange(n_tokens) + first, torch.tensor([first])):
        compare_turned(student, reference, drawn_normal(draw, len(positions), 2), positions)


@points(0.75, part="apply_rope")
@catches("positions-by-head", "first-sequence-for-all", "head-axis-taken-for-granted")
def test_positions_of_sequences(student, reference, draw):
    """Positions (B, T) give each sequence of the batch its own, the same for all of its heads."""
    batch, heads, n_tokens = draw.different_sizes(3, 2, 7)
    for shape in ((batch, batch, n_tokens), (batch, n_tokens), (batch, heads, n_tokens)):
        positions = torch.from_numpy(draw.integers(0, 20, (batch, n_tokens)))
        compare_turned(student, reference, drawn_normal(draw, *shape, 2), positions)


@points(0.25, part="apply_rope")
@catches("tokens-on-the-wrong-axis", "one-axis-for-all-heads")
def test_leading_dimensions(student, reference, draw):
    """The tokens are the last axis but one, whatever stands before it."""
    batch, heads, n_tokens = draw.different_sizes(3, 2, 7)
    for shape in ((batch, heads, n_tokens), (n_tokens,), (batch, n_tokens), (1, heads, n_tokens), (batch, 1, 1), (2, 1, heads, n_tokens)):
        compare_turned(student, reference, drawn_normal(draw, *shape, 2), torch.arange(shape[-1]))
    split = drawn_normal(draw, batch, n_tokens, heads, 2).transpose(1, 2)  # as heads come out of a projection: not contiguous
    compare_turned(student, reference, split, torch.arange(n_tokens))
    positions = torch.from_numpy(draw.integers(0, 20, (batch, n_tokens)))  # all that a sequence holds shares its positions
    compare_turned(student, reference, drawn_normal(draw, batch, batch, heads, n_tokens, 2), positions)


@points(0.25, part="apply_rope")
@catches("positions-cut-off")
def test_long(student, reference, draw):
    """There is no largest position."""
    positions = torch.tensor([draw.size(3_000, 5_000), draw.size(30_000, 50_000), draw.size(130_000, 200_000)])
    compare_turned(student, reference, drawn_normal(draw, 3, 2), positions)


@points(0.5, part="apply_rope")
@catches("always-float32", "angles-in-half", "through-float32")
def test_dtype(student, reference, draw):
    """The result has the dtype of x; angles are computed in float32 at least, and float64 is not narrowed on the way."""
    n_tokens = draw.size(4, 9)
    for dtype in FLOATS:
        compare_turned(student, reference, drawn_normal(draw, n_tokens, 2).to(dtype), torch.arange(n_tokens))
    for dtype in (torch.bfloat16, torch.float16):  # odd numbers that neither can hold
        compare_turned(student, reference, drawn_normal(draw, n_tokens, 2).to(dtype), 4097 + 2 * torch.arange(n_tokens))
    compare_turned(student, reference, 1e100 * drawn_normal(draw, n_tokens, 2), torch.arange(n_tokens))


@points(0.25, part="apply_rope")
@catches("integers-kept")
def test_integers(student, reference, draw):
    """Integers are computed in float64, and give float64."""
    n_tokens = draw.size(4, 9)
    compare_turned(student, reference, torch.from_numpy(draw.integers(-9, 10, (n_tokens, 2))), torch.arange(n_tokens))


@points(0.25, part="apply_rope")
@catches("no-gradient")
def test_gradients(student, reference, draw):
    """Gradients find their way back to x: they turn by the same angles, backwards."""
    n_tokens = draw.size(4, 9)
    for dtype in (torch.float64, torch.float32):
        x, cotangent = drawn_normal(draw, 2, n_tokens, 2).to(dtype), drawn_normal(draw, 2, n_tokens, 2).to(dtype)
        outcome = student.apply_rope.gradients([cotangent], x, torch.arange(n_tokens))
        judge_either_way(outcome.arguments[0], reference, cotangent, -torch.arange(n_tokens), name="gradient")


@points(0.25, part="apply_rope")
@catches("x-changed")
def test_inputs(student, reference, draw):
    """The tensors that are handed in stay as they were."""
    n_tokens = draw.size(4, 9)
    for dtype in (torch.float64, torch.float32):
        x, positions = drawn_normal(draw, n_tokens, 2).to(dtype), torch.arange(n_tokens)
        expect_unchanged(student.apply_rope.outcome(x, positions), x, positions)


@points(0.25, part="apply_rope")
@catches("odd-width-accepted")
def test_odd_width(student, reference, draw):
    """An odd width raises ValueError with the width."""
    n_tokens, odd = draw.size(3, 9), 2 * draw.size(5, 9) + 1
    student.apply_rope(drawn_normal(draw, n_tokens, odd + 1), torch.arange(n_tokens))  # where all fits, nothing is raised
    for interleaved in (False, True):
        with fails("ValueError", odd):
            student.apply_rope(drawn_normal(draw, n_tokens, odd), torch.arange(n_tokens), 10000.0, interleaved)


@points(0.25, part="apply_rope")
@catches("positions-cut-to-fit", "one-position-stretched", "one-sequence-stretched")
def test_positions_that_do_not_fit(student, reference, draw):
    """Positions that do not fit x raise ValueError with the two numbers, also where one would have to serve several."""
    batch, n_tokens, other = draw.different_sizes(3, 3, 9)
    student.apply_rope(drawn_normal(draw, n_tokens, 2), torch.arange(n_tokens))  # where all fits, nothing is raised
    for length in (n_tokens + draw.size(1, 4), n_tokens - 1, 1):
        with fails("ValueError", n_tokens, length):
            student.apply_rope(drawn_normal(draw, batch, n_tokens, 2), torch.arange(length))
    for length in (other, 1):
        with fails("ValueError", n_tokens, length):
            student.apply_rope(drawn_normal(draw, batch, 2, n_tokens, 2), torch.zeros(batch, length, dtype=torch.int64))
    for sequences in (batch + 1, 1):
        with fails("ValueError", batch, sequences):
            student.apply_rope(drawn_normal(draw, batch, 2, n_tokens, 2), torch.zeros(sequences, n_tokens, dtype=torch.int64))


def drawn_normal(draw, *shape):
    """Standard normal numbers in a float64 tensor."""
    return torch.from_numpy(draw.normal(shape))


def compare_turned(student, reference, x, positions, *options, either_way=True):
    """Judge the student's result against the reference in float64. options: base and interleaved, where they are not to be the defaults."""
    judge_either_way(student.apply_rope(x, positions, *options), reference, x, positions, *options, either_way=either_way)


def judge_either_way(got, reference, x, positions, *options, either_way=True, name="output"):
    """Judge a result against x turned by the reference; either_way: or turned by as much the other way."""
    first_wrong = None
    for signed in (positions, -positions) if either_way else (positions,):
        want, low = (reference.apply_rope(given, signed, *options) for given in (x.double(), x))
        try:
            return judge_turned(got, want, low, int(positions.abs().max()), name)
        except Wrong as wrong:
            first_wrong = first_wrong or wrong
    raise first_wrong


def judge_turned(got, want, low, largest, name):
    """`expect`, with an allowance for angles in float32, which may be computed by whatever formula.

    Position 0 is turned by nothing, and a width of two by the position itself, which float32 holds; elsewhere frequencies may be off by
    some units in the last place, and angles by as much, times the position.
    """
    units = 0 if largest == 0 else 1 if want.shape[-1] == 2 else 1 + 2 * largest
    allowance = 1e-6 * units * want.abs().max()
    expect(got, want, low=(low.double() + allowance).to(low.dtype), name=name)


# on a GPU


@points(0.0, part="apply_rope")
@cuda
def test_cuda(gpu, reference, draw):
    """On a GPU the numbers are right in float32, float16 and bfloat16, and all of the work is done there."""
    batch, n_tokens, d_head = draw.size(2, 4), draw.size(40, 90), 2 * draw.size(12, 20)
    several = torch.from_numpy(draw.integers(0, 5000, (batch, n_tokens)))
    for dtype in ON_GPU:
        x = drawn_normal(draw, batch, n_tokens, 3, d_head).transpose(1, 2).to(dtype)  # as heads come out of a projection
        for positions in (torch.arange(n_tokens), several):
            for interleaved in (False, True):
                compare_turned(gpu, reference, x, positions, 10000.0, interleaved)


@points(0.0, part="apply_rope")
@cuda
def test_gradients_cuda(gpu, reference, draw):
    """On a GPU the gradients are right, and all of the work is done there."""
    n_tokens, d_head = draw.size(40, 90), 2 * draw.size(12, 20)
    x, cotangent = (drawn_normal(draw, 2, n_tokens, d_head).float() for _ in range(2))
    outcome = gpu.apply_rope.gradients([cotangent], x, torch.arange(n_tokens))
    judge_either_way(outcome.arguments[0], reference, cotangent, -torch.arange(n_tokens), name="gradient")
