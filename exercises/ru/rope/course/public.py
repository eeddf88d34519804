"""The public checks of rope: what `check(...)` runs in a student's notebook.

Each function is one stage and isolates one thing; its docstring is the sentence that the student reads. A width of two has one pair and
the frequency 1; a base of 1 makes all frequencies 1, and leaves the layout alone to be seen.
"""

from .language import _
from .stage import stage
from .tensors import tensor

USES = {}  # which parts call which

TOKENS = {"axes": {"": (_("tokens"), _("channels"))}}


@stage("apply_rope", **TOKENS)
def nothing_at_zero(student):
    """Position 0: nothing turns."""
    return student.apply_rope(tensor([[3.0, 4.0], [1.0, 2.0]]), tensor([0, 0], "int64"))


@stage("apply_rope", needs="nothing_at_zero", **TOKENS)
def one_pair(student):
    """A width of two is one pair, and turns by the position: 0, 1, 2, 3."""
    return student.apply_rope(tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [2.0, 1.0]]), tensor(range(4), "int64"))


@stage("apply_rope", needs="one_pair")
def inputs_stay(student):
    """The tensors that were handed in stay as they were."""
    x, positions = tensor([[1.0, 0.0], [1.0, 0.0]]), tensor([3, 4], "int64")
    student.apply_rope(x, positions)
    return {"x": x, "positions": positions}


@stage("apply_rope", needs="one_pair", **TOKENS)
def half_split(student):
    """Half-split: with `base=1.0` all pairs turn alike, channel 0 with 3, 1 with 4, 2 with 5."""
    x = tensor([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    return student.apply_rope(x, tensor([0, 1], "int64"), 1.0, False)


@stage("apply_rope", needs="one_pair", **TOKENS)
def interleaved(student):
    """Interleaved: with `base=1.0` all pairs turn alike, channel 0 with 1, 2 with 3, 4 with 5."""
    x = tensor([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    return student.apply_rope(x, tensor([0, 1], "int64"), 1.0, True)


@stage("apply_rope", needs="half_split", **TOKENS)
def frequencies(student):
    """Half-split, the base 10,000: pair i turns by p·θᵢ."""
    return student.apply_rope(tensor([[1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]] * 3), tensor([0, 1, 2], "int64"))


@stage("apply_rope", needs="interleaved", **TOKENS)
def interleaved_frequencies(student):
    """Interleaved, the base 10,000: pair i turns by p·θᵢ."""
    return student.apply_rope(tensor([[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]] * 3), tensor([0, 1, 2], "int64"), 10000.0, True)


@stage("apply_rope", needs="frequencies", **TOKENS)
def another_base(student):
    """Half-split, the base 100."""
    return student.apply_rope(tensor([[1.0, 1.0, 0.0, 0.0]] * 2), tensor([0, 1], "int64"), 100.0)


@stage("apply_rope", needs="one_pair", **TOKENS)
def later_positions(student):
    """Positions 7, 8 and 20: tokens need not begin at 0, nor follow each other."""
    return student.apply_rope(tensor([[1.0, 0.0]] * 3), tensor([7, 8, 20], "int64"))


@stage("apply_rope", needs="one_pair", **TOKENS)
def heads(student):
    """x of shape (1, 3, 2, 2), three heads with two tokens each: all heads turn alike."""
    x = tensor([[[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]]])
    return student.apply_rope(x, tensor([0, 1], "int64"))


@stage("apply_rope", needs="later_positions", **TOKENS)
def sequences(student):
    """Positions of shape (B, T), x of shape (B, T, Dh): each sequence has its own."""
    return student.apply_rope(tensor([[[1.0, 0.0]] * 3] * 2), tensor([[0, 1, 2], [5, 6, 7]], "int64"))


@stage("apply_rope", needs="sequences", **TOKENS)
def sequences_with_heads(student):
    """Positions of shape (B, T), x of shape (B, H, T, Dh): all heads of a sequence share its positions."""
    return student.apply_rope(tensor([[[[1.0, 0.0]] * 2] * 2] * 2), tensor([[0, 1], [5, 6]], "int64"))


@stage("apply_rope", needs="sequences_with_heads", **TOKENS)
def five_axes(student):
    """Positions of shape (B, T), x of shape (B, 2, 3, T, Dh): all that a sequence holds shares its positions."""
    return student.apply_rope(tensor([[[[[1.0, 0.0]]] * 3] * 2] * 2), tensor([[1], [5]], "int64"))


@stage("apply_rope", needs="later_positions", **TOKENS)
def far_position(student):
    """Position 5,000 is a position like any other."""
    return student.apply_rope(tensor([[1.0, 0.0]]), tensor([5000], "int64"))


@stage("apply_rope", needs="later_positions", **TOKENS)
def bfloat16(student):
    """bfloat16 in, bfloat16 out, and the angle of position 1,001 is that of 1,001."""
    return student.apply_rope(tensor([[1.0, 0.0], [1.0, 0.0]], "bfloat16"), tensor([1, 1001], "int64"))


@stage("apply_rope", needs="one_pair", **TOKENS)
def float64(student):
    """float64 in, float64 out, and numbers that only float64 can hold survive."""
    return student.apply_rope(tensor([[0.0, 1e100]], "float64"), tensor([0], "int64"))


@stage("apply_rope", needs="one_pair", **TOKENS)
def integers(student):
    """Integers in, float64 out."""
    return student.apply_rope(tensor([[3, 4]], "int64"), tensor([0], "int64"))


@stage("apply_rope", needs="inputs_stay", axes={"gradient": (_("tokens"), _("channels"))})
def gradient(student):
    """The gradient of the result's sum with respect to x."""
    x = tensor([[1.0, 0.0], [1.0, 0.0]]).requires_grad_()
    turned = student.apply_rope(x, tensor([0, 1], "int64"))
    if turned.requires_grad:
        turned.sum().backward()
    return {"gradient": tensor([[0.0, 0.0], [0.0, 0.0]]) if x.grad is None else x.grad}


@stage("apply_rope", needs="one_pair", raises="ValueError", numbers=(5,))
def odd_width(student):
    """A width of 5 cannot be cut into pairs: a ValueError that names it."""
    return student.apply_rope(tensor([[1.0, 2.0, 3.0, 4.0, 5.0]]), tensor([1], "int64"))


@stage("apply_rope", needs="one_pair", raises="ValueError", numbers=(2, 3))
def too_many_positions(student):
    """Two tokens and three positions: a ValueError that names both numbers."""
    return student.apply_rope(tensor([[1.0, 0.0], [1.0, 0.0]]), tensor([0, 1, 2], "int64"))


@stage("apply_rope", needs="one_pair", raises="ValueError", numbers=(3, 1))
def one_position_for_several(student):
    """Three tokens and one position: it is not stretched; a ValueError names both numbers."""
    return student.apply_rope(tensor([[1.0, 0.0]] * 3), tensor([5], "int64"))


@stage("apply_rope", needs="sequences", raises="ValueError", numbers=(3, 1))
def one_row_for_several(student):
    """Three sequences in x and one in the positions: it is not stretched; a ValueError names both numbers."""
    return student.apply_rope(tensor([[[1.0, 0.0]] * 2] * 3), tensor([[0, 5]], "int64"))


@stage("apply_rope", needs="sequences", raises="ValueError", numbers=(2, 3))
def too_many_sequences(student):
    """Two sequences in x and three in the positions: a ValueError that names both numbers."""
    return student.apply_rope(tensor([[[1.0, 0.0]]] * 2), tensor([[0], [1], [2]], "int64"))
