"""Hidden tests of the toy that has a GPU: one that needs none, and one of each kind that needs one."""

import torch

from autograder.hidden import Wrong, cuda, expect, points
from autograder.hidden.gpu import compare_speed, memory_of
from autograder.messages import message

HALVES = (torch.float32, torch.float16, torch.bfloat16)


def drawn(draw, *shapes, dtype=torch.float32):
    return [torch.from_numpy(draw.normal(shape)).to(dtype) for shape in shapes]


@points(1.0, part="attention")
def test_values(student, reference, draw):
    """Attention is right on the CPU."""
    q, k, v = drawn(draw, (2, 5, 8), (2, 7, 8), (2, 7, 8))
    expect(student.attention(q, k, v), reference.attention(q.double(), k.double(), v.double()), low=reference.attention(q, k, v))


@points(1.0, part="attention")
@cuda
def test_values_on_gpu(gpu, reference, draw):
    """Attention is right on a GPU."""
    for dtype in HALVES:
        q, k, v = drawn(draw, (2, 70, 16), (2, 90, 16), (2, 90, 16), dtype=dtype)
        expect(gpu.attention(q, k, v), reference.attention(q.double(), k.double(), v.double()), low=reference.attention(q, k, v))


@points(1.0, part="attention")
@cuda
def test_memory_on_gpu(gpu, draw):
    """Memory on a GPU grows with the length alone."""
    gpu.attention(*drawn(draw, (64, 8), (64, 8), (64, 8)))
    _, taken = memory_of(gpu.attention, *drawn(draw, (6000, 8), (6000, 8), (6000, 8)))
    if taken > 60 << 20:  # all scores take 144 MB
        raise Wrong(message("It has taken {n} bytes.", n=taken))


@points(1.0, part="attention")
@cuda
def test_speed_on_gpu(gpu, reference, draw):
    """It is timed on a GPU."""
    q, k, v = drawn(draw, (1, 2, 64, 16), (1, 2, 64, 16), (1, 2, 64, 16))
    value, _ = compare_speed(gpu.attention, q, k, v, True)
    expect(value, reference.attention(q.double(), k.double(), v.double(), True), low=reference.attention(q, k, v, True))


@points(1.0, part="Layer")
def test_layer(student, draw):
    """A module computes on the CPU."""
    layer, x = student.Layer(4), drawn(draw, (3, 4))[0]
    layer.load_state_dict({"w.weight": torch.eye(4)})
    expect(layer(x), 2 * x.double(), low=2 * x)


@points(1.0, part="Layer")
@cuda
def test_layer_on_gpu(gpu, draw):
    """Gradients reach a module's input and weights on a GPU."""
    layer, (x, cotangent, weight) = gpu.Layer(4), drawn(draw, (3, 4), (3, 4), (4, 4))
    layer.load_state_dict({"w.weight": weight})
    expect(layer.w.weight.get(), weight.double(), low=weight)
    expect(layer(x.T.contiguous().T), 2 * x.double() @ weight.double().mT, low=2 * x @ weight.mT)
    outcome = layer.gradients([cotangent], x)
    expect(outcome.arguments[0], 2 * cotangent.double() @ weight.double(), low=2 * cotangent @ weight)
    expect(outcome.parameters["w.weight"], 2 * cotangent.double().mT @ x.double(), low=2 * cotangent.mT @ x)
