"""Values as trees: what a function takes and gives, written so that the other side can rebuild it without running anything.

A node is a JSON scalar (None, bool, int, float, str) or a dictionary with a "kind":
    array, scalar, tensor    {"index": place in the message's arrays}; scalar is a NumPy scalar; of a tensor also {"axes": their order in memory}
                             and, where it was not on the CPU, {"device": where}
    tuple, list              {"items": [node, …]}; of a named tuple also {"class": the number of its class}
    dict                     {"items": {key: node, …}}
    object                   {"id": number in the student's process, "type": name}; anything else stays where it is
    setting                  {"text": "torch.float16"}; a torch dtype or device
Arrays that safetensors cannot hold (of objects, complex, text), and those of more axes than travel, are objects too.
"""

from collections import OrderedDict

import numpy as np

from wire import MAX_AXES, MAX_DEPTH, WireError

MAX_ITEMS = 10_000
MAX_TEXT = 10_000
NUMPY_KINDS = "biuf"
further_tensors = []  # classes of tensors, besides PyTorch's own, that travel as tensors


class Packer:
    """Turns values into a tree and a list of arrays; `keep(value)` gives a number to whatever has to stay behind."""

    def __init__(self, keep, framework="numpy"):
        self.keep = keep
        self.framework = framework
        self.arrays = []

    def pack(self, value, depth=0):
        """The node of a value."""
        kind = type(value)
        if value is None or kind is bool or kind is float:
            return value
        if kind is int and abs(value) < 1 << 63:
            return value
        if kind is str:
            return value[:MAX_TEXT]
        if depth < MAX_DEPTH and kind in (list, tuple) or _is_named_tuple(value):
            if len(value) <= MAX_ITEMS:
                node = {"kind": "list" if kind is list else "tuple", "items": [self.pack(item, depth + 1) for item in tuple(value)]}
                return node | {"class": self.keep(kind)} if kind not in (list, tuple) and self.keep else node
        if depth < MAX_DEPTH and kind in (dict, OrderedDict) and len(value) <= MAX_ITEMS and all(type(key) is str for key in value):
            return {"kind": "dict", "items": {key: self.pack(item, depth + 1) for key, item in value.items()}}
        return self.pack_array(value) or self.pack_setting(value) or {"kind": "object", "id": self.keep(value), "type": type_name(value)}

    def pack_array(self, value):
        """The node of an array, a NumPy scalar or a tensor; None for anything else, subclasses included."""
        if type(value) is np.ndarray and _portable(value.dtype):
            return self._add("array", value)
        if isinstance(value, np.generic) and _portable(value.dtype):
            return self._add("scalar", np.asarray(value))
        torch = loaded_torch()
        if torch is not None and type(value) in (torch.Tensor, torch.nn.Parameter, *further_tensors) and _travels(value):
            node = self._add("tensor", value.detach())
            return node if value.device.type == "cpu" else node | {"device": str(value.device)}
        return None

    def pack_setting(self, value):
        torch = loaded_torch()
        if torch is not None and type(value) in (torch.dtype, torch.device):
            return {"kind": "setting", "text": str(value)}
        return None

    def _add(self, kind, array):
        self.arrays.append(_for_wire(array, self.framework))
        return {"kind": kind, "index": len(self.arrays) - 1}


def _is_named_tuple(value):
    return isinstance(value, tuple) and type(value) is not tuple and type(value).__bases__ == (tuple,) and hasattr(value, "_fields")


def _portable(dtype):
    return dtype.kind in NUMPY_KINDS and dtype.itemsize <= 8


def _travels(tensor):
    return not tensor.is_complex() and tensor.dim() <= MAX_AXES


def _for_wire(array, framework):
    """An array as safetensors' module for the framework takes it: contiguous, in native byte order, on the CPU."""
    if isinstance(array, np.ndarray):
        array = np.array(array, dtype=array.dtype.newbyteorder("="), order="C", copy=True)
        return array if framework == "numpy" else loaded_torch().from_numpy(array)
    array = array.cpu().contiguous().clone()
    return array if framework == "torch" else array.numpy()


def sample(framework):
    """A small array as safetensors' module for the framework takes it."""
    return _for_wire(np.zeros((2, 3)), framework)


def loaded_torch():
    """The torch module where it has been imported already; importing it costs a second, which NumPy exercises need not pay."""
    import sys

    return sys.modules.get("torch")


def type_name(value):
    """The name of a value's type, as a student would write it."""
    name = getattr(type(value), "__name__", "object")
    if type(value) is np.ndarray:
        return f"ndarray ({value.dtype})"
    return name if isinstance(name, str) else "object"


def unpack(node, arrays, find, layouts=False, depth=0):
    """The value of a node. `find(node)` gives the value of an "object" node. Raises WireError for what is no node.

    layouts: whether arrays are laid out in memory as their nodes say. The grader says so, and hears it from nobody: it costs a second array.
    """
    if node is None or isinstance(node, (bool, int, float, str)):
        return node
    if not isinstance(node, dict) or depth > MAX_DEPTH:
        raise WireError("a value is no node")
    kind = node.get("kind")
    if kind in ("array", "scalar", "tensor"):
        return _unpack_array(node if layouts else node | {"layout": None, "axes": None}, arrays)
    if kind in ("tuple", "list") and isinstance(node.get("items"), list):
        items = [unpack(item, arrays, find, layouts, depth + 1) for item in node["items"]]
        if "class" in node:
            return named(find({"kind": "object", "id": node["class"]}), items)
        return tuple(items) if kind == "tuple" else items
    if kind == "dict" and isinstance(node.get("items"), dict):
        return {key: unpack(item, arrays, find, layouts, depth + 1) for key, item in node["items"].items()}
    if kind in ("object", "setting"):
        return find(node)
    raise WireError(f"unknown kind of value {kind[:40] if isinstance(kind, str) else type(kind)!r}")


class Named(tuple):
    """A student's named tuple, as the grader sees it: `origin` says which class it has to become again."""

    origin = None


def named(found, items):
    """A named tuple's items as what they were: in the student's process of the student's class, elsewhere as Named."""
    if isinstance(found, type) and hasattr(found, "_make"):
        return found._make(items)
    stand_in = Named(items)
    stand_in.origin = found
    return stand_in


def _unpack_array(node, arrays):
    index = node.get("index")
    if type(index) is not int or not 0 <= index < len(arrays):
        raise WireError("a value points at an array that is not there")
    array, arrays[index] = arrays[index], None  # each one belongs to one value: a million nodes cannot make a million copies
    if array is None:
        raise WireError("two values point at one array")
    if node["kind"] == "tensor":
        tensor = array if not isinstance(array, np.ndarray) else loaded_torch().from_numpy(array)
        return tensor if node.get("axes") is None else _laid_out(tensor, node["axes"])
    array = array if isinstance(array, np.ndarray) else array.numpy()
    if node.get("layout") == "strided":  # the same numbers, every second place of a larger array
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype) if array.ndim else array
        wide[..., ::2] = array
        return wide[..., ::2]
    return array[()] if node["kind"] == "scalar" else array.copy()


def _laid_out(tensor, axes):
    """The same tensor with its axes in another order in memory, as `transpose` leaves them."""
    if not isinstance(axes, list) or any(type(axis) is not int for axis in axes) or sorted(axes) != list(range(tensor.ndim)):
        raise WireError("an order of axes that is none")
    return tensor.permute(axes).contiguous().permute([axes.index(axis) for axis in range(tensor.ndim)])
