"""One test's process: the grader names a function and hands over arrays, this side calls it and sends back what came.

Orders:
    {"order": "call", "target": T, "args": [node…], "kwargs": {…}, "return_args": bool}
    {"order": "get", "target": T}                  the value itself
where T is {"name": "attention"} or {"id": 3}, either with "path": ["w_q", "weight"] for attributes of it.
Answers: {"value": node, "args": [node…]} or {"error": {"type", "bases", "message", "line"}} or {"missing": name}.
"""

import cells
import values
import wire


class Missing(Exception):
    """The student has not defined that name."""


def serve(connection, names, framework):
    """Answer the grader's orders until it closes the connection."""
    kept = {}

    def keep(value):
        kept[len(kept)] = value
        return len(kept) - 1

    while True:
        try:
            order, arrays = wire.receive(connection, framework)
        except wire.Closed:
            return
        packer = values.Packer(keep, framework)
        answer = perform(order, arrays, names, kept, packer)
        try:
            wire.send(connection, answer, packer.arrays, framework)
        except wire.Closed:
            return
        except Exception as error:  # too long, or of a kind that cannot travel
            wire.send(connection, {"error": cells.describe(error)})


def perform(order, arrays, names, kept, packer):
    """Carry out one order. Returns the answer; what the student's code raises is part of it."""
    def find(node):
        return kept[node["id"]] if node["kind"] == "object" else setting(node["text"])

    try:
        target = resolve(order["target"], names, kept)
        if order["order"] == "get":
            return {"value": packer.pack(target)}
        args = [values.unpack(node, arrays, find) for node in order["args"]]
        kwargs = {name: values.unpack(node, arrays, find) for name, node in order["kwargs"].items()}
        answer = {"value": packer.pack(target(*args, **kwargs))}
        if order.get("return_args"):
            answer["args"] = [packer.pack(value) for value in args]
        return answer
    except Missing as error:
        return {"missing": str(error)}
    except BaseException as error:
        return {"error": cells.describe(error)}


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
