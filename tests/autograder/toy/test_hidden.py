"""Hidden tests of the toy."""

import torch

from autograder.hidden import catches, expect, expect_small, expect_unchanged, memory, points


@points(1.0, part="attention")
@catches("no-scale")
def test_attention_values(student, reference, draw):
    """Attention is right in three precisions."""
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        q, k, v = (torch.from_numpy(draw.normal((2, n, 8))).to(dtype) for n in (5, 7, 7))
        expect(student.attention(q, k, v), reference.attention(q.double(), k.double(), v.double()), low=reference.attention(q, k, v))


@points(2.0, part="attention")
@catches("whole-matrix")
@memory(400 << 20)
def test_attention_memory(student, reference, draw):
    """No matrix of all scores is made."""
    q, k, v = (torch.from_numpy(draw.normal((8_000, 8))).float() for _ in range(3))
    got = student.attention(q, k, v)
    expect(got[:50], reference.attention(q[:50].double(), k.double(), v.double()), low=reference.attention(q[:50], k, v))


@points(1.0, part="Cache")
@catches("keeps-references")
def test_cache(student, draw):
    """A cache keeps what it was given."""
    cache = student.Cache()
    first, second = (torch.from_numpy(draw.normal((n, 3))) for n in (2, 4))
    assert len(cache) == 0
    outcome = cache.append.outcome(first)
    expect_unchanged(outcome, first)
    expect(cache.append(second), torch.cat([first, second]))
    assert len(cache) == 6


@points(1.5, part="Layer")
@catches("no-factor")
def test_layer(student, draw):
    """A module takes weights and computes with them."""
    layer = student.Layer(4)
    weight, x = torch.from_numpy(draw.normal((4, 4))).float(), torch.from_numpy(draw.normal((3, 4))).float()
    assert layer.w.weight.get().shape == (4, 4)
    assert set(layer.state_dict()) == {"w.weight"}
    layer.load_state_dict({"w.weight": weight})
    expect(layer(x), 2 * x.double() @ weight.double().mT, low=2 * x @ weight.mT)


@points(1.5, part="Layer")
@catches("detached")
def test_layer_gradients(student, draw):
    """Gradients reach the input and the weights."""
    layer = student.Layer(4)
    x, cotangent, weight = (torch.from_numpy(draw.normal((n, 4))).float() for n in (3, 3, 4))
    layer.load_state_dict({"w.weight": weight})
    outcome = layer.gradients([cotangent], x)
    expect(outcome.arguments[0], 2 * cotangent.double() @ weight.double(), low=2 * cotangent @ weight)
    expect(outcome.parameters["w.weight"], 2 * cotangent.double().mT @ x.double(), low=2 * cotangent.mT @ x)


@points(2.0, part="fold")
@catches("keeps-blocks")
def test_fold(student, draw):
    """A stream of blocks is taken in with a state that does not grow."""
    blocks = [torch.from_numpy(draw.normal((2, draw.size(1, 9)))) + i for i in range(20)]
    state = None
    for block in blocks:
        state = student.fold(state, block)
        expect_small(state, 4, "state")
    whole = torch.cat(blocks, -1)
    expect(state[0] + state[1].log(), whole.logsumexp(-1))
