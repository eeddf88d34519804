"""The protocol's reader trusts nothing."""

import json

import numpy as np
import pytest

from autograder.hidden import backends
from autograder.sandbox.child_modules import values, wire


@pytest.fixture
def ends():
    ours, theirs = wire.pair()
    with ours, theirs:
        yield ours, theirs


def soon():
    return wire.clock() + 2


@pytest.mark.parametrize("array", [np.zeros((0, 3)), np.array(1.5), np.arange(6, dtype=np.int8), np.eye(3, dtype=np.float16), np.ones((2, 2), bool), np.arange(4.0)[::-1], np.ones((2, 3)).T])
def test_arrays_arrive_as_they_were(ends, array):
    ours, theirs = ends
    packer = values.Packer(keep=None)
    node = packer.pack(array)
    wire.send(ours, {"value": node}, packer.arrays)
    tree, arrays = wire.receive(theirs, deadline=soon())
    got = values.unpack(tree["value"], arrays, None)
    assert got.shape == array.shape and got.dtype == array.dtype and np.array_equal(got, array)


@pytest.mark.parametrize("raw", [
    b"nonsense that is longer than a header",
    wire.HEAD.pack(4, 0) + b"[1]}",
    wire.HEAD.pack(2, 0) + b"[]",
    wire.HEAD.pack(2**32 - 1, 0),
    wire.HEAD.pack(2, 2**63) + b"{}",
    wire.HEAD.pack(2, 8) + b"{}" + b"\xff" * 8,
    wire.HEAD.pack(2, 16) + b"{}" + (8).to_bytes(8, "little") + b'{"a":1} ',
    wire.HEAD.pack(200_000, 0) + b"[" * 100_000 + b"]" * 100_000,
    wire.HEAD.pack(3, 0) + b"\x80\x04\x95",
], ids=range(9))
@pytest.mark.usefixtures("tidy")
def test_malformed_messages_are_wire_errors(ends, raw):
    ours, theirs = ends
    ours.sendall(raw)
    ours.close()
    with pytest.raises(wire.WireError):
        wire.receive(theirs, deadline=soon())


@pytest.mark.parametrize("node", [
    {"kind": "array", "index": 7}, {"kind": "array", "index": -1}, {"kind": "array", "index": True}, {"kind": "array"}, {"kind": "pickle", "data": "x"},
    {"kind": "tuple", "items": 3}, {}, [1], {"kind": ["array"]},
])
def test_malformed_values_are_wire_errors(node):
    with pytest.raises(wire.WireError):
        values.unpack(node, [np.zeros(2)], lambda node: None)


def test_a_value_nested_too_deep_is_a_wire_error():
    node = 1
    for _ in range(100):
        node = {"kind": "list", "items": [node]}
    with pytest.raises(wire.WireError):
        values.unpack(node, [], None)


@pytest.mark.parametrize("value", [
    np.array([object()]), np.array(["text"]), np.ones(2, complex), np.ma.array([1.0]), {1: 2}, 2**80, (i for i in ()), type("Array", (np.ndarray,), {})((2,)),
])
def test_what_is_no_plain_array_stays_behind(value):
    kept = []
    node = values.Packer(lambda value: kept.append(value) or 0).pack(value)
    assert node["kind"] == "object" and json.dumps(node)


def test_nothing_in_time_is_timed_out(ends):
    with pytest.raises(wire.TimedOut):
        wire.receive(ends[1], deadline=wire.clock() + 0.05)


@pytest.mark.parametrize("axes", [(0, 1, 2), (0, 2, 1), (2, 0, 1), (1, 0, 2)])
def test_a_tensor_that_is_not_contiguous_arrives_so(axes):
    torch = pytest.importorskip("torch")
    tensor = torch.arange(24.0).reshape(2, 3, 4).permute(axes)
    packer = backends._OrderPacker("torch")
    node = packer.pack(tensor)
    got = values.unpack(node, packer.arrays, None, layouts=True)
    assert torch.equal(got, tensor) and got.stride() == tensor.stride()


def test_who_does_not_ask_for_layouts_gets_none():
    torch = pytest.importorskip("torch")
    got = values.unpack({"kind": "tensor", "index": 0, "axes": [1, 0]}, [torch.zeros(2, 3)], None)
    assert got.shape == (2, 3) and got.is_contiguous()
    assert values.unpack({"kind": "array", "index": 0, "layout": "strided"}, [np.zeros((2, 3))], None).flags.c_contiguous
    assert not values.unpack({"kind": "array", "index": 0, "layout": "strided"}, [np.zeros((2, 3))], None, layouts=True).flags.c_contiguous


def test_an_array_of_more_axes_than_travel_stays_behind(ends):
    """PyTorch takes minutes for the simplest sum of one that has a hundred thousand."""
    torch = pytest.importorskip("torch")
    many = [1] * (wire.MAX_AXES + 1)
    assert values.Packer(lambda value: 0, "torch").pack(torch.zeros(many[1:]))["kind"] == "tensor"
    assert values.Packer(lambda value: 0, "torch").pack(torch.zeros(many))["kind"] == "object"
    wire.send(ends[0], {}, [torch.zeros(many)], "torch")
    with pytest.raises(wire.WireError, match="axes"):
        wire.receive(ends[1], "torch", deadline=soon())


def test_a_message_may_be_allowed_little_text(ends):
    wire.send(ends[0], {"pid": 1, "more": [[]] * 30_000})
    with pytest.raises(wire.WireError):
        wire.receive(ends[1], deadline=soon(), most=wire.SMALL)


@pytest.mark.parametrize("axes", [[0, 0], [0], [0, 2], [0, True], "01", [0, "1"]])
def test_an_order_of_axes_that_is_none_is_a_wire_error(axes):
    torch = pytest.importorskip("torch")
    with pytest.raises(wire.WireError):
        values.unpack({"kind": "tensor", "index": 0, "axes": axes}, [torch.zeros(2, 3)], None, layouts=True)
