"""What an attack is, and the few forms that most of them take."""

import json
from dataclasses import dataclass

from autograder.assignment import load

RIGHT = load("single-head").solution_source
FUNCTIONS = ("softmax", "attention", "causal_mask", "padding_mask")


@dataclass(frozen=True)
class Attack:
    """A hostile submission: the bytes that are handed in, and the points that it may get at most, those that it honestly earns."""

    kind: str
    name: str
    what: str
    data: bytes
    most: float = 0.0
    file: str = "student.py"


def pays(code):
    """A submission that turns into the right solution where `breach()`, which the code defines, comes true: in a cell, or in a test.

    So whatever the attack gets hold of shows in the points.
    """
    return f"""
{code}
def _won():
    try:
        return bool(breach())
    except BaseException:
        return False
_at_load = _won()
{RIGHT}
def _gate(function):
    def gated(*args, **kwargs):
        if _at_load or _won():
            return function(*args, **kwargs)
        raise RuntimeError("nothing was gained")
    return gated
{", ".join(FUNCTIONS)} = map(_gate, ({", ".join(FUNCTIONS)}))
""".encode()


def wrong_and(code):
    """A submission whose functions return zeros that no test takes, and that does something else besides."""
    return f"import numpy as np\ndef {FUNCTIONS[0]}(*args, **kwargs):\n    return np.zeros(3)\n{' = '.join(FUNCTIONS)} = softmax\n{code}\n".encode()


def right_and(code):
    """The right solution, and then the attack, in one cell."""
    return f"{RIGHT}\n{code}\n".encode()


def each_call(code, result="raise RuntimeError('nothing was gained')"):
    """A submission in which every call of a function runs the code first. `result`: what the function does then."""
    body = "\n".join("    " + line for line in (code + "\n" + result).splitlines())
    return f"import numpy as np, os, sys, time\ndef {FUNCTIONS[0]}(*args, **kwargs):\n{body}\n{' = '.join(FUNCTIONS)} = softmax\n".encode()


def returns(change, before=""):
    """The right solution, but what comes out of each function goes through `change`, an expression of the array r."""
    return f"""
def _right():
    namespace = {{}}
    exec({RIGHT!r}, namespace)
    return namespace
{before}
def _odd(function):
    def odd(*args, **kwargs):
        def change(r):
            return {change}
        result = function(*args, **kwargs)
        return tuple(map(change, result)) if isinstance(result, tuple) else change(result)
    return odd
import numpy as np
{", ".join(FUNCTIONS)} = (_odd(_right()[name]) for name in {FUNCTIONS})
""".encode()


def notebook(*cells, **more):
    """A notebook of code cells, as bytes; `more` goes into its top level."""
    made = [{"cell_type": "code", "metadata": {}, "source": cell, "outputs": [], "execution_count": None} if isinstance(cell,
        str) else cell for cell in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made} | more).encode()
