"""One test's process: the grader names a function and hands over arrays, this side calls it and sends back what came.

Orders:
    {"order": "call", "target": T, "args": [node…], "kwargs": {…}, "return_args": bool}
    {"order": "get", "target": T}                  the value itself
    {"order": "length", "target": T}               len() of it
    {"order": "gradients", "target": T, "args": […], "kwargs": {…}, "cotangents": [node…]}
    {"order": "prepare", "target": T, "args": […], "kwargs": {…}}                on a GPU: a call that is to be timed, as an object P
    {"order": "repeat", "target": P, "times": n}                                 n calls of it; nothing travels, so that nothing else is timed
    {"order": "result", "target": P}                                             the last one's value
    {"order": "measured", "target": T, "args": […], "kwargs": {…}}               on a GPU: a call whose memory is looked at from outside
    {"order": "sweeps", "target": P, "times": n}                                 what lies between n calls, without them
    {"order": "kernels", "target": T, "args": […], "kwargs": {…}, "see": {…}}   see kernels.observed
where T is {"name": "attention"} or {"id": 3}, either with "path": ["w_q", "weight"] for attributes of it.
Answers: {"value": node, "args": [node…]} or {"error": {"type", "bases", "message", "line"}} or {"missing": name}.
Each answer also holds "library": the library's attention functions that have been called in this process, where the exercise forbids them.
For gradients, args are those of the arguments, and "parameters" is a dictionary of those of the target's parameters. On a GPU an answer
also holds "copied", what has copied numbers to the CPU, and "lowered", what the call has left at a lower precision; see device.py.
"""

import contextlib

import cells
import device
import gradients
import kernels
import own_work
import values
import wire


class Missing(Exception):
    """The student has not defined that name."""


def serve(connection, names, framework, own, place=None):
    """Answer the grader's orders until it closes the connection. own: a library's attention may not be called. place: a GPU; see device.py."""
    kept = Kept()
    if own:
        own_work.close()
    prepare(framework)
    if place is not None:
        try:
            kept.device = device.Device(place)
        except Exception as error:
            wire.receive(connection, framework)
            wire.send(connection, {"error": cells.describe(error)})
            return
    while True:
        try:
            order, arrays = wire.receive(connection, framework)
        except wire.Closed:
            return
        except BaseException:  # safetensors panics: what the calls before have kept leaves no room for the arguments of the next one
            wire.send(connection, {"error": cells.describe(MemoryError("no room for the arguments")), "library": own_work.seen})
            while connection.recv(1 << 16):  # the other side reads the answer when it has sent all
                pass
            return
        answer, arrays = perform(order, arrays, names, kept, framework)
        answer["library"] = own_work.seen
        if kept.device:
            answer |= {"copied": device.noticed[:20], "lowered": device.broken}
        try:
            wire.send(connection, answer, arrays, framework)
        except wire.Closed:
            return
        except BaseException as error:  # too long, of a kind that cannot travel, or too large for what room is left
            wire.send(connection, {"error": cells.describe(error if isinstance(error, Exception) else MemoryError("no room for the result"))})


def prepare(framework):
    """Before the first order comes: touch what a call touches, which a forked process has to copy first. No code of the student's is meant."""
    try:
        rehearse(framework)
    except BaseException:
        pass  # it has broken what is used here; the calls will tell


def rehearse(framework):
    """Go once through what every call goes through, so that what is made at first use is there."""
    ours, theirs = wire.pair()
    with ours, theirs:
        order = {"order": "call", "target": {"name": "f"}, "args": [{"kind": "array", "index": 0}], "kwargs": {}}
        wire.send(ours, order, [values.sample(framework)], framework)
        answer, arrays = perform(*wire.receive(theirs, framework), {"f": lambda x: (x, {"x": x.sum()})}, Kept(), framework)
        wire.send(theirs, answer, arrays, framework)


class Kept(dict):
    """The values that stay in this process, by the numbers under which the other side knows them; `device`: the GPU that calls are made on."""

    device = None

    def keep(self, value):
        """The number of a value."""
        self[len(self)] = value
        return len(self) - 1

    def find(self, node):
        """The value of an "object" or a "setting" node."""
        return self[node["id"]] if node["kind"] == "object" else setting(node["text"])


def perform(order, arrays, names, kept, framework):
    """Carry out one order. Returns (answer, arrays); what the student's code raises is part of the answer."""
    packer = values.Packer(kept.keep, framework)
    try:
        target = resolve(order["target"], names, kept)
        answer = PERFORM[order["order"]](target, order, arrays, kept)
        return {name: packer.pack(value) if name == "value" else pack_all(packer, value) for name, value in answer.items()}, packer.arrays
    except Missing as error:
        return {"missing": str(error)}, []
    except BaseException as error:
        return {"error": cells.describe(error)}, []


def pack_all(packer, several):
    """The nodes of a list's or a dictionary's values."""
    if isinstance(several, dict):
        return {name: packer.pack(value) for name, value in several.items()}
    return [packer.pack(value) for value in several]


def call(target, order, arrays, kept):
    """Call the target; the arguments come back as the call has left them."""
    args, kwargs = arguments(order, arrays, kept)
    with at_work(kept):
        value = target(*args, **kwargs)
    return {"value": kept.device.housed(value) if kept.device else value, "args": args}


def at_work(kept):
    """Around what the student's code does: on a GPU it is watched and waited for."""
    return kept.device.at_work() if kept.device else contextlib.nullcontext()


def call_for_gradients(target, order, arrays, kept):
    """Call the target, and take the gradients of its output, weighted by the cotangents."""
    args, kwargs = arguments(order, arrays, kept)
    cotangents = [unpacked(node, arrays, kept) for node in order["cotangents"]]
    with at_work(kept):
        value, of_arguments, of_parameters = gradients.take(target, args, kwargs, cotangents)
    return {"value": value, "args": of_arguments, "parameters": of_parameters}


class Prepared:
    """A call on a GPU that is to be made many times, its arguments there already; `result`: the last one's."""

    def __init__(self, target, args, kwargs):
        self.target, self.args, self.kwargs, self.result = target, args, kwargs, None


def prepare_call(target, order, arrays, kept):
    """Keep a call and its arguments."""
    return {"value": Prepared(target, *arguments(order, arrays, kept))}


def repeat(prepared, order, arrays, kept):
    """Make a prepared call many times."""
    prepared.result = kept.device.repeat(prepared.target, prepared.args, prepared.kwargs, order["times"])
    return {"value": None}


def call_with_little(target, order, arrays, kept):
    """Call the target on the GPU when the allocator has given back what it kept; the arguments do not come back."""
    args, kwargs = arguments(order, arrays, kept)
    kept.device.empty()
    with at_work(kept):
        value = target(*args, **kwargs)
    return {"value": value}


def sweeps(target, order, arrays, kept):
    """Do what lies between calls, without them."""
    kept.device.sweeps(order["times"])
    return {"value": None}


def call_kernels(target, order, arrays, kept):
    """Call a function that starts Triton kernels, with an eye on what they do."""
    args, kwargs = arguments(order, arrays, kept)
    with at_work(kept):
        value, args = kernels.observed(order["see"], target, args, kwargs)
    return {"value": value, "args": args}


PERFORM = {
    "call": call,
    "kernels": call_kernels,
    "get": lambda target, order, arrays, kept: {"value": target},
    "length": lambda target, order, arrays, kept: {"value": len(target)},
    "gradients": call_for_gradients,
    "measured": call_with_little,
    "prepare": prepare_call,
    "repeat": repeat,
    "result": lambda prepared, order, arrays, kept: {"value": prepared.result},
    "sweeps": sweeps,
}


def arguments(order, arrays, kept):
    """The positional arguments and the keywords of an order."""
    args = [unpacked(node, arrays, kept) for node in order["args"]]
    return args, {name: unpacked(node, arrays, kept) for name, node in order["kwargs"].items()}


def unpacked(node, arrays, kept):
    """The value of a node; on a GPU with its tensors there."""
    value = values.unpack(node, arrays, kept.find, layouts=True)
    return kept.device.moved(value) if kept.device else value


def resolve(target, names, kept):
    """The value that a target names."""
    if "name" in target:
        if target["name"] not in names:
            raise Missing(target["name"])
        value = names[target["name"]]
    else:
        value = kept[target["id"]]
    for attribute in target.get("path", ()):
        value = getattr(value, attribute)
    return value


def setting(text):
    """A torch dtype or device from its text."""
    import torch

    return getattr(torch, text.removeprefix("torch.")) if text.startswith("torch.") else torch.device(text)
