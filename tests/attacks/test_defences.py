"""The defences one by one, where a hostile submission alone would not show which of them has held."""

import os
import platform
import signal
import types

import numpy as np
import pytest

from autograder.hidden import backends, diagnose
from autograder.hidden.outcomes import Outcome, Target
from autograder.sandbox import sandbox as sandboxes
from autograder.sandbox.bubblewrap import CHILD
from autograder.sandbox.child_modules import values, wire
from autograder.sandbox.limits import Limits
from autograder.sandbox.patience import clock
from autograder.sandbox.sandbox import Sandbox, SandboxFailed
from tests.attacks.worker import descendants

syscalls = types.ModuleType("syscalls")
exec((CHILD / "syscalls.py").read_text(encoding="utf-8"), syscalls.__dict__)


def soon(seconds=10.0):
    return clock() + seconds


def call(process, name):
    with process.test(soon()) as test:
        return test.ask({"order": "call", "target": {"name": name}, "args": [], "kwargs": {}, "cotangents": []}, [])[0].get("value")


@pytest.fixture
def sandbox(needs_sandbox):
    with Sandbox("numpy", limits=Limits(cell_s=2.0, load_s=10.0, memory_bytes=1 << 30, total_memory_bytes=1 << 30)) as sandbox:
        yield sandbox


def test_a_zygote_that_does_not_answer_is_replaced(sandbox, monkeypatch):
    first = sandbox.process.pid
    monkeypatch.setattr(sandboxes, "ANSWER_S", 2.0)
    with sandbox.submission() as process:
        process.load(["def f(): return 1"], deadline=soon())
        zygote = descendants(sandbox.process.pid)[1]
        os.kill(zygote, signal.SIGSTOP)
    assert process.peak_memory_bytes == 0
    monkeypatch.setattr(sandboxes, "ANSWER_S", 10.0)
    with sandbox.submission() as process:
        process.load(["def f(): return 7"], deadline=soon())
        assert call(process, "f") == 7
    assert sandbox.process.pid != first


def test_a_sandbox_in_which_nothing_can_run_does_not_start(needs_sandbox, monkeypatch):
    monkeypatch.setattr(Limits, "for_child", lambda self, space, with_gpu=False: {"base_address_space": space})
    with pytest.raises(SandboxFailed, match="cannot be made"):
        Sandbox("numpy").start()


def test_signals_to_the_own_group_reach_no_other_process(sandbox):
    source = "import os, signal\nos.kill(0, signal.SIGSTOP)\nos.killpg(0, signal.SIGSTOP)\ndef f():\n    os.kill(0, signal.SIGSTOP)\n    return 7"
    with sandbox.submission() as process:
        process.load([source], deadline=soon())
        assert [call(process, "f"), call(process, "f")] == [7, 7]


def test_the_memory_of_all_processes_together_is_bounded(needs_sandbox):
    source = """
import os, time
def f():
    for _ in range(6):
        if os.fork() == 0:
            kept = b"x" * (100 << 20)
            time.sleep(30)
    time.sleep(30)
"""
    limits = Limits(memory_bytes=1 << 30, total_memory_bytes=256 << 20)  # filled in a moment
    with Sandbox("numpy", limits=limits) as sandbox, sandbox.submission() as process:
        process.load([source], deadline=soon())
        with pytest.raises(wire.Closed):  # before the deadline, and long before it would end by itself
            call(process, "f")


def test_a_crowd_of_processes_gives_way_to_others(sandbox):
    source = """
import os, time
def f(n):
    for _ in range(n):
        if os.fork() == 0:
            time.sleep(30)
    time.sleep(1)
    return os.getpriority(os.PRIO_PROCESS, 0)
few, many = lambda: f(3), lambda: f(30)
"""
    with sandbox.submission() as process:
        process.load([source], deadline=soon())
        assert (call(process, "few"), call(process, "many")) == (os.getpriority(os.PRIO_PROCESS, 0), 19)


def test_where_memory_runs_out_students_go_first(sandbox):
    with sandbox.submission() as process:
        process.load([""], deadline=soon())
        inside = descendants(sandbox.process.pid)[-1]
        assert open(f"/proc/{inside}/oom_score_adj").read().strip() == "1000"
        assert int(open(f"/proc/{inside}/coredump_filter").read(), 16) == 0


@pytest.mark.parametrize("machine", syscalls.ARCHITECTURES)
@pytest.mark.parametrize("in_test", [False, True])
def test_the_filter_decides_each_call_as_it_should(machine, in_test):
    programs = [syscalls.program(machine), *([syscalls.program_of_test(machine)] if in_test else [])]  # the kernel asks them all
    column = list(syscalls.ARCHITECTURES).index(machine)
    number = lambda table, name: table[name][column]  # noqa: E731
    decide = lambda nr, *args: min((run_filter(program, machine, nr, args) for program in programs), key=["refused", "allowed"].index)  # noqa: E731
    assert all(decide(numbers[column]) == "refused" for numbers in syscalls.REFUSED.values() if numbers[column] is not None)
    assert [decide(number(syscalls.WITH_ARGUMENTS, "socket"), family) for family in (1, 2, 10, 16, 40, 17,
        38)] == ["allowed"] * 4 + ["refused"] * 3
    clone = number(syscalls.WITH_ARGUMENTS, "clone")
    of_tests = "refused" if in_test else "allowed"
    assert decide(clone, 0x11) == decide(clone, 0x3D0F00) == "allowed"  # fork, and pthread_create
    assert all(decide(clone, 0x11 | bit) == "refused" for bit in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000))
    assert decide(clone, 0x11 | syscalls.OF_A_TEST) == of_tests
    assert decide(clone, 0x11 | syscalls.OF_A_TEST | 0x40000000) == decide(clone, 0x11 | syscalls.OF_A_TEST & ~0x20000) == "refused"
    assert decide(number(syscalls.WITH_ARGUMENTS, "clone3")) == "refused"
    assert decide(number(syscalls.WITH_ARGUMENTS, "mount"), 0, 0, 0, 4096) == of_tests and decide(number(syscalls.WITH_ARGUMENTS,
        "mount"), 0, 0, 0, 0) == "refused"
    assert decide(number(syscalls.WITH_ARGUMENTS, "unshare"), syscalls.OF_A_TEST) == of_tests
    assert decide(number(syscalls.WITH_ARGUMENTS, "unshare"), 0x40000000) == "refused"
    assert all(decide(nr) == "allowed" for nr in ((0, 1, 9, 202) if machine == "x86_64" else (63, 64, 222, 98)))  # read, write, mmap, futex


def run_filter(program, machine, number, args):
    """What a seccomp filter says to a call: a small interpreter of the instructions that are used."""
    words = {0: number, 4: syscalls.ARCHITECTURES[machine], **{16 + 8 * i: value for i, value in enumerate([*args, 0, 0, 0, 0, 0, 0][:6])}}
    place = value = 0
    while True:
        code, yes, no, constant = program[place]
        if code == syscalls.RETURN:
            return "allowed" if constant == syscalls.ALLOW else "refused"
        if code in (syscalls.LOAD, syscalls.AND):
            value = words[constant] if code == syscalls.LOAD else value & constant
            place += 1
            continue
        holds = {syscalls.EQUAL: value == constant, syscalls.AT_LEAST: value >= constant, syscalls.ANY_BIT: bool(value & constant)}[code]
        place += 1 + (yes if holds else no)


@pytest.mark.skipif(platform.machine() not in syscalls.ARCHITECTURES, reason="no filter of system calls for this processor")
def test_a_submission_runs_under_a_filter(sandbox):
    with sandbox.submission() as process:
        process.load(["def f(): return 7"], deadline=soon())
        inside = descendants(sandbox.process.pid)[-1]
        status = open(f"/proc/{inside}/status").read().split()
        assert status[status.index("Seccomp:") + 1] == "2"


def test_an_array_belongs_to_one_value():
    node = {"kind": "array", "index": 0}
    with pytest.raises(wire.WireError):
        values.unpack({"kind": "list", "items": [node, node]}, [np.zeros(2)], None)


def test_a_long_list_of_arrays_is_refused_before_it_is_read():
    ours, theirs = wire.pair()
    with ours, theirs:
        payload = (wire.MAX_HEADER + 1).to_bytes(8, "little") + b"{}"
        ours.sendall(wire.HEAD.pack(2, len(payload)) + b"{}" + payload)
        with pytest.raises(wire.WireError, match="list of arrays"):
            wire.receive(theirs, deadline=soon())


@pytest.mark.parametrize("errors", [None, 3, [None, [], {"cell": True}, {"cell": -1}, {"cell": 5}, {"cell": 10**4299}]])
def test_errors_of_cells_that_are_not_there_are_left_out(errors):
    assert sandboxes.checked_errors(errors, 5) == []


def test_errors_of_cells_hold_texts_and_nothing_else():
    assert sandboxes.checked_errors([{"cell": 1, "type": [[]], "message": {}, "line": "x" * 10_000}], 2) == [{"cell": 1, "type": "",
        "message": "", "line": "x" * 500}]


def test_what_one_test_brings_back_is_bounded():
    class Process:
        text_bytes = 0

        def ask(self, order, arrays):
            return {"value": None}, [np.zeros(100 << 20, np.int8)]

    backend = backends.RemoteBackend(Process(), "numpy")
    for _ in range(2):
        backend.get(Target("x", {"name": "x"}))
    with pytest.raises(wire.WireError):
        backend.get(Target("x", {"name": "x"}))


def test_a_diagnosis_that_fails_is_no_diagnosis(monkeypatch):
    monkeypatch.setattr(diagnose, "trace_of", lambda *args: 1 / 0)
    seen = types.SimpleNamespace(trace=[Outcome("softmax", value=object())], fed_back=False)
    assert diagnose.misconception(types.SimpleNamespace(assignment=None), types.SimpleNamespace(memory_bytes=None), seen, 1, ("no-scale",)) is None
