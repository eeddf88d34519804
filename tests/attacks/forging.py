"""Attacks on the protocol: bytes that no honest answer would hold, written straight to the sockets."""

from tests.attacks.attack import Attack, each_call, right_and, wrong_and

TOOLS = """
import json, os, socket, stat, struct, time
import numpy as np
def ends():
    found = []
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                found.append(socket.socket(fileno=os.dup(fd)))
        except OSError:
            pass
    return found
def write(data):
    for end in ends():
        try:
            end.settimeout(5)
            end.sendall(data)
        except OSError:
            pass
def framed(text, payload=b""):
    text = text if isinstance(text, bytes) else text.encode() if isinstance(text, str) else json.dumps(text).encode()
    return struct.pack(">IQ", len(text), len(payload)) + text + payload
def tensors(header, data=b""):
    header = json.dumps(header).encode() if not isinstance(header, bytes) else header
    return struct.pack("<Q", len(header)) + header + data
"""

# what a call writes before it ends; each is a test's answer
ANSWERS = {
    "forged-results": ("well-formed answers with made-up numbers", """
write(framed({"value": {"kind": "array", "index": 0}, "args": []}, tensors({"0": {"dtype": "F64", "shape": [3], "data_offsets": [0, 24]}}, bytes(24))))"""),
    "claims": ("answers that claim success",
        'write(framed({"passed": True, "status": "passed", "points": 10, "score": 10, "value": True}))'),
    "giant-lengths": ("lengths of gigabytes are announced", 'write(struct.pack(">IQ", 2**32 - 1, 2**64 - 1)); time.sleep(60)'),
    "long-payload": ("all bytes that may be announced are announced, and some are sent",
        'write(struct.pack(">IQ", 2, 128 << 20) + b"{}" + bytes(32 << 20)); time.sleep(60)'),
    "full-payloads": ("every call brings back as many bytes as may come", """
data = bytes((128 << 20) - 4096)
write(framed({"value": None, "args": [{"kind": "array", "index": 0}]}, tensors({"0": {"dtype": "U8", "shape": [len(data)], "data_offsets": [0, len(data)]}}, data)))"""),
    "deep-json": ("JSON a hundred thousand levels deep",
        'write(framed("[" * 100_000 + "]" * 100_000)); write(framed(\'{"value":\' * 100_000 + "1" + "}" * 100_000))'),
    "deep-error": ("texts are replaced by lists as deep as JSON may be", """
deep = "[" * 900 + "]" * 900
write(framed('{"error": {"type": %s, "message": %s, "line": %s, "bases": [%s]}}' % (deep, deep, deep, deep)))"""),
    "deep-kind": ("the kind of a value is a deep list", 'write(framed(\'{"value": {"kind": \' + "[" * 900 + "]" * 900 + "}}"))'),
    "nan-in-json": ("NaN and infinities in JSON",
        'write(framed(\'{"value": [NaN, Infinity, -Infinity], "args": NaN}\')); write(framed(\'{"value": {"kind": "list", "items": [NaN, 1e999]}}\'))'),
    "duplicate-keys": ("keys that stand twice",
        'write(framed(\'{"value": 1, "value": {"kind": "array", "index": 0}, "error": null, "error": {}, "missing": 1, "missing": "x"}\'))'),
    "long-number": ("a number of a million digits",
        'write(framed(\'{"value": \' + "9" * 1_000_000 + "}")); write(framed(\'{"value": \' + "9" * 4300 + "}"))'),
    "no-utf8": ("bytes that are no text", 'write(framed(b"\\xff\\xfe{\\x00}\\x00")); write(framed(b\'{"value": "\\xed\\xa0\\x80"}\'))'),
    "lone-surrogates": ("half characters and control characters in every text", r"""
bad = '"\\ud800\\u0000\\u001b[31m\\u202e\\u2066"'
write(framed('{"error": {"type": %s, "message": %s, "line": %s, "bases": [%s]}}' % (bad, bad, bad, bad)))"""),
    "odd-types": ("every field of an answer has another type", """
for odd in (None, 1, [], {}, "x", [[]], {"kind": None}, {"kind": "object", "id": {}, "type": 7}, {"kind": "object"}, {"kind": "setting",
    "text": []},
            {"kind": "dict", "items": []}, {"kind": "list", "items": {}}, {"kind": "array", "index": "0"}, {"kind": "tensor",
                "index": 0}, {"kind": "tuple", "class": [], "items": [1]}):
    write(framed({"value": odd, "args": odd, "parameters": odd, "library": odd}))"""),
    "odd-errors": ("errors whose fields have other types", """
for odd in (None, 1, [], {}, "x", {"type": {}, "bases": 3, "message": [], "line": None}, {"type": "ValueError", "bases": [{}, None,
    [1]], "message": {"a": 1}}):
    write(framed({"error": odd}))"""),
    "odd-library": ("library calls that are no texts, or full of control characters",
        'write(framed({"library": [[1], {}, "\\x1b[31m" * 30, None], "value": 1}))'),
    "missing-control": ("a missing name full of control characters", 'write(framed({"missing": "\\x1b[2J\\u202e" * 5000}))'),
    "lying-shapes": ("safetensors headers whose shapes and places do not fit the data", """
for shape, places in (([10**9, 10**9], [0, 24]), ([3], [0, 2**63]), ([-3], [0, 24]), ([3], [24, 0]), ([2**62, 4], [0, 0]), ([0, 2**62],
    [0, 0]), ([1] * 100 + [3], [0, 24])):
    write(framed({"value": {"kind": "array", "index": 0}}, tensors({"0": {"dtype": "F64", "shape": shape, "data_offsets": places}}, bytes(24))))"""),
    "odd-dtypes": ("dtypes that NumPy does not have", """
for dtype in ("BF16", "F8_E4M3", "F8_E5M2", "Q4", "O", "", 7):
    write(framed({"value": {"kind": "array", "index": 0}}, tensors({"0": {"dtype": dtype, "shape": [3], "data_offsets": [0, 6]}}, bytes(6))))"""),
    "header-bomb": ("a safetensors header with a million arrays of nothing", """
entries = ",".join('"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}' % i for i in range(1_000_000))
write(framed({"value": None}, tensors(("{" + entries + "}").encode())))"""),
    "one-array-a-thousand-times": ("a hundred thousand values point at one array of 64 MB", """
data = bytes(64 << 20)
write(framed({"value": {"kind": "list", "items": [{"kind": "array", "index": 0, "layout": "strided"}] * 100_000}},
             tensors({"0": {"dtype": "U8", "shape": [len(data)], "data_offsets": [0, len(data)]}}, data)))"""),
    "many-nodes": ("an answer of eight megabytes of empty dictionaries",
        'write(framed(\'{"value":{"kind":"list","items":[\' + "{}," * 2_700_000 + "{}]}}"))'),
    "answers-of-other-tests": ("a thousand answers wait before they are asked for",
        'write(framed({"value": {"kind": "array", "index": 0}}) * 1000 + framed({"pid": 1}) * 1000 + framed({"killed": True}) * 1000)'),
    "half-an-answer": ("an answer that stops in the middle", 'write(framed({"value": 1})[:-1]); time.sleep(60)'),
    "byte-by-byte": ("an answer at a few bytes a second", """
for byte in framed({"value": 1, "args": []}):
    write(bytes([byte]))
    time.sleep(0.25)"""),
    "closed": ("the connection is closed, and the process lives on", """
for end in ends():
    end.shutdown(socket.SHUT_RDWR)
time.sleep(60)"""),
    "descriptors-sent": ("hundreds of descriptors are sent along", """
for end in ends():
    for _ in range(50):
        try:
            socket.send_fds(end, [b"{"], [0, 1, 2, end.fileno()] * 20)
        except OSError:
            break"""),
    "out-of-band": ("bytes out of band, and signals at every byte that comes", """
import fcntl, signal
for end in ends():
    try:
        fcntl.fcntl(end, fcntl.F_SETOWN, -1); fcntl.fcntl(end, 10, signal.SIGKILL); fcntl.fcntl(end, fcntl.F_SETFL, os.O_ASYNC)
        end.send(b"x", socket.MSG_OOB)
    except OSError:
        pass"""),
    "orders-to-the-grader": ("orders in the grader's own form are sent back to it", """
for order in ({"order": "get", "target": {"name": "reference"}}, {"order": "kill", "pid": 1}, {"order": "end"}, {"order": "load",
    "cells": [], "skip": []}):
    write(framed(order))"""),
}

# what a cell writes; each is an answer of the submission's process
MESSAGES = {
    "loaded-early": ("cells are said to have run, with errors of every type", """
for errors in (None, 1, {}, "x", [1, None, [], {}], [{"cell": True}, {"cell": "0"}, {"cell": -1}, {"cell": 2**70}, {"cell": 0,
    "type": [], "message": {}, "line": 3}]):
    write(framed({"loaded": True, "errors": errors}))
time.sleep(60)"""),
    "loaded-with-a-long-number": ("a cell's number is as long as a number may be",
        'write(framed(\'{"loaded": true, "errors": [{"cell": \' + "9" * 4300 + "}]}"))'),
    "loaded-with-deep-errors": ("the errors of the cells are lists as deep as JSON may be", """
deep = "[" * 900 + "]" * 900
write(framed('{"loaded": true, "errors": [{"cell": 0, "type": %s, "message": %s, "line": %s}]}' % (deep, deep, deep)))"""),
    "failed-with-deep-reason": ("the reason of a failure is a deep list", 'write(framed(\'{"failed": \' + "[" * 900 + "]" * 900 + "}"))'),
    "cells-that-are-not-there": ("cells far outside the notebook are said to run, without end", """
while True:
    write(framed({"cell": 10**18}) + framed({"cell": -5}) + framed({"cell": True}) + framed({"cell": 0}) * 1000)"""),
    "odd-pids": ("the numbers of tests' processes are made up", """
import student
odd = iter([1, 0, -1, 2**63, 2**200, True, None, "1", [], {}, 1.5] * 10)
student.fork_test = lambda *args, **kwargs: next(odd)"""),
    "kill-not-answered": ("the order to end a test is never answered", """
import student
def never(pid):
    time.sleep(600)
student.kill = never"""),
    "replayed": ("every message is sent twice", """
import wire
once = wire.send
def twice(connection, *args, **kwargs):
    once(connection, *args, **kwargs)
    once(connection, *args, **kwargs)
wire.send = twice"""),
    "tests-answered-by-the-submission": ("tests are not forked, but answered by one process that remembers them all", """
import student, calls
def no_fork(connection, test, serving, *args):
    import threading
    end = socket.socket(fileno=os.dup(test.fileno()))
    threading.Thread(target=calls.serve, args=(end, *serving), daemon=True).start()
    return None
student.fork_test = no_fork"""),
}

# what goes along with answers that are right
LUGGAGE = {
    "luggage-of-numbers": ("every number of a process brings eight megabytes of empty lists", """
import wire
dumps = wire.dumps
def laden(tree):
    text = dumps(tree)
    return text[:-1] + ',"x":[' + '[],' * 2_700_000 + '[]]}' if {"pid", "killed"} & set(tree) else text
wire.dumps = laden""", 0.0),
    "luggage-of-answers": ("every answer brings more arguments than there were", """
import wire
dumps, texts = wire.dumps, ',"args":[{"kind":"list","items":[' + '"\\\\u044b",' * 700_000 + '""]}]}'
def laden(tree):
    return dumps({name: value for name, value in tree.items() if name != "args"})[:-1] + texts if "library" in tree else dumps(tree)
wire.dumps = laden""", 10.0),
}

ATTACKS = [Attack("forge", name, what, TOOLS.encode() + each_call(code, "return np.zeros(3)")) for name, (what, code) in ANSWERS.items()]
ATTACKS += [Attack("forge", name, what, wrong_and(TOOLS + code)) for name, (what, code) in MESSAGES.items()]
ATTACKS += [Attack("forge", name, what, right_and(code), most) for name, (what, code, most) in LUGGAGE.items()]
