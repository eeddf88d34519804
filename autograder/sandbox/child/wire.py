"""What travels between grader and student: JSON for the structure, safetensors for the numbers, and nothing that could run.

Both sides import this file. The reader trusts nothing: lengths are bounded before anything is read, JSON and safetensors
only ever become numbers, texts, lists and arrays.
"""

import functools
import importlib
import socket
import struct
import time
from json import dumps, loads  # bound now: a student who replaces json.dumps replaces it for the student's code alone

HEAD = struct.Struct(">IQ")  # bytes of JSON, bytes of safetensors
MAX_JSON = 8 << 20
MAX_ARRAYS = 128 << 20
MAX_HEADER = 1 << 20  # of safetensors, which names each array
MAX_DEPTH = 20
MAX_AXES = 64  # NumPy's bound too: with a hundred thousand axes, as safetensors has them, PyTorch takes minutes for an addition
SMALL = 1 << 16  # not worth a message of its own
LOOK_S = 0.25  # how often a wait looks at the clock, which may go slower than the wall's
clock = time.monotonic  # what deadlines are measured by; the grader's is another


class WireError(Exception):
    """The other side did not keep to the protocol."""


class Closed(WireError):
    """The other side has gone."""


class TimedOut(WireError):
    """Nothing, or not all of it, came in time."""


def send(connection, tree, arrays=None, framework="numpy", deadline=None):
    """Send one message: a JSON-able tree and the arrays that its nodes point into by index."""
    payload = _library(framework).save({str(i): array for i, array in enumerate(arrays)}) if arrays else b""
    text = dumps(tree).encode("utf-8")
    if len(text) > MAX_JSON or len(payload) > MAX_ARRAYS:
        raise WireError(f"a message of {len(text) + len(payload)} bytes is too long")
    head = HEAD.pack(len(text), len(payload)) + text
    if len(payload) <= SMALL:
        _send_all(connection, head + payload, deadline)  # at once: the other side wakes up once
    else:
        _send_all(connection, head, deadline)
        _send_all(connection, payload, deadline)


def receive(connection, framework="numpy", deadline=None, most=MAX_JSON):
    """Receive one message: (tree, arrays). Raises Closed, TimedOut, or WireError for anything malformed. most: the most bytes of JSON."""
    return receive_measured(connection, framework, deadline, most)[:2]


def receive_measured(connection, framework="numpy", deadline=None, most=MAX_JSON):
    """The same, and how many bytes of JSON there were: (tree, arrays, bytes)."""
    n_text, n_payload = HEAD.unpack(_exactly(connection, HEAD.size, deadline))
    if n_text > most or n_payload > MAX_ARRAYS:
        raise WireError(f"a message announces {n_text + n_payload} bytes")
    text = _exactly(connection, n_text, deadline)
    payload = _exactly(connection, n_payload, deadline) if n_payload else b""
    if int.from_bytes(payload[:8], "little") > MAX_HEADER:
        raise WireError("the list of arrays is too long")
    try:
        tree = loads(text)
        loaded = _library(framework).load(bytes(payload)) if payload else {}
        arrays = [loaded[str(i)] for i in range(len(loaded))]
    except (ValueError, KeyError, RecursionError, TypeError) as error:
        raise WireError(f"unreadable message: {type(error).__name__}") from None
    except Exception as error:  # safetensors' own error class differs between its versions
        raise WireError(f"unreadable arrays: {type(error).__name__}") from None
    if not isinstance(tree, dict):
        raise WireError("a message is no dictionary")
    if any(array.ndim > MAX_AXES for array in arrays):
        raise WireError("an array has too many axes")
    return tree, arrays, n_text


def send_with_socket(connection, tree, passed=None, deadline=None):
    """Send an order, and with it a socket for the other side to keep."""
    descriptors = [passed.fileno()] if passed else []
    _patiently(connection, deadline, lambda: socket.send_fds(connection, [b"."], descriptors))  # the descriptor rides on one byte of its own
    send(connection, tree, deadline=deadline)


def receive_with_socket(connection):
    """The next order, (tree, arrays), and the socket that came along with it, or None. Waits for ever."""
    connection.settimeout(None)
    note, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
    if not note:
        raise Closed("the connection was closed")
    passed = socket.socket(fileno=descriptors[0]) if descriptors else None
    return receive(connection), passed


def text(value, most):
    """A text that came as part of a message, cut; empty where something else came in its place."""
    return value[:most] if isinstance(value, str) else ""


def _exactly(connection, size, deadline):
    data = bytearray()
    while len(data) < size:
        piece = _patiently(connection, deadline, lambda: connection.recv(min(size - len(data), 1 << 20)))
        if not piece:
            raise Closed("the connection was closed")
        data += piece
    return data


def _send_all(connection, data, deadline):
    left = memoryview(data)
    while left:
        left = left[_patiently(connection, deadline, lambda: connection.send(left)):]


def _patiently(connection, deadline, call):
    """What a call on the connection gives, tried until the deadline (by `clock`); None waits for ever."""
    while True:
        try:
            _set_timeout(connection, deadline)
            return call()
        except TimeoutError:
            continue  # the clock is looked at
        except OSError as error:
            raise Closed(str(error)) from None


def _set_timeout(connection, deadline):
    """Let the next call on the connection end soon enough to look at the clock again. Raises TimedOut where no time is left."""
    if deadline is None:
        if connection.gettimeout() is not None:
            connection.settimeout(None)
        return
    left = deadline - clock()
    if left <= 0:
        raise TimedOut("no answer in time")
    connection.settimeout(min(left, LOOK_S))


def arrays_of(framework):
    """The library whose arrays travel: what a framework's functions take and give. triton and triton-compiled take PyTorch's."""
    return "torch" if framework.startswith("triton") else framework


@functools.cache
def _library(framework):
    return importlib.import_module(f"safetensors.{framework}")


def pair():
    """Two connected sockets."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
