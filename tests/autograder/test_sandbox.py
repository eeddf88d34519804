"""What student code can and cannot do. Each test runs code in the sandbox and looks at what came of it from outside."""

import socket

import numpy as np
import pytest

from autograder.sandbox.child_modules import wire
from autograder.sandbox.limits import Limits
from autograder.sandbox.patience import clock
from autograder.sandbox.sandbox import Sandbox

LIMITS = Limits(cell_s=3.0, load_s=5.0, test_s=3.0, memory_bytes=1 << 30)


@pytest.fixture(scope="module")
def sandbox(needs_sandbox):
    with Sandbox("numpy", limits=LIMITS) as sandbox:
        yield sandbox


def soon(seconds=10.0):
    return clock() + seconds


def call(process, name, *arrays):
    """Call a function of the submission in a fresh test process; returns (answer, arrays)."""
    with process.test(soon(5)) as test:
        args = [{"kind": "array", "index": i} for i in range(len(arrays))]
        return test.ask({"order": "call", "target": {"name": name}, "args": args, "kwargs": {}}, list(arrays))


def value_of(sandbox, source, name="f"):
    """What f() returns after the cell has run."""
    with sandbox.submission() as process:
        errors = process.load([source], deadline=soon())
        answer, _ = call(process, name)
        return answer.get("value", (answer, errors))


def test_arrays_go_in_and_come_back(sandbox):
    with sandbox.submission() as process:
        assert process.load(["def f(x):\n    return 2 * x, x.shape"], deadline=soon()) == []
        answer, arrays = call(process, "f", np.arange(6.0).reshape(2, 3))
    assert answer["value"]["kind"] == "tuple" and np.array_equal(arrays[0], 2 * np.arange(6.0).reshape(2, 3))


def test_a_test_does_not_see_what_another_has_changed(sandbox):
    source = """
import numpy as np, os
counter = []
def f():
    counter.append(1)
    open('/tmp/left-behind', 'a').write('x')
    np.mean = None
    return [len(counter), os.path.getsize('/tmp/left-behind')]
"""
    with sandbox.submission() as process:
        process.load([source], deadline=soon())
        first, second = (call(process, "f")[0]["value"]["items"] for _ in range(2))
    assert first == second == [1, 1]


def test_no_network(sandbox):
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    source = f"""
import socket
def f():
    try:
        socket.create_connection(("127.0.0.1", {port}), timeout=2)
        return "connected"
    except OSError as error:
        return "refused"
"""
    assert value_of(sandbox, source) == "refused"
    server.close()


def test_nothing_of_ours_to_read(sandbox, tmp_path):
    (tmp_path / "secret.txt").write_text("the answers")
    source = f"""
import os
def f():
    seen = [place for place in ({str(tmp_path / "secret.txt")!r}, "/root/.bashrc", "/home", "/srv", "/var/log", "/etc/passwd", "/proc/1", "/sys") if os.path.exists(place)]
    for folder, folders, files in os.walk("/"):
        if folder == "/" and "usr" in folders:
            folders.remove("usr")  # the machine's own, and by far the most: on a cold disk it would take all the time there is
        seen += [os.path.join(folder, name) for name in files if name in ("test_hidden.py", "assignment.toml", "single_head.py", ".secret")]
    return seen
"""
    assert value_of(sandbox, source)["items"] == []


def test_no_environment_variable_of_the_graders(sandbox, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_SECRET", "top secret")
    with Sandbox("numpy", limits=LIMITS) as fresh:
        assert value_of(fresh, "import os\ndef f(): return [k for k, v in os.environ.items() if 'SECRET' in k or 'top secret' in v]")["items"] == []


def test_no_capability_and_no_way_to_get_one(sandbox):
    source = """
import ctypes, os
def f():
    libc = ctypes.CDLL(None, use_errno=True)
    data = (ctypes.c_uint32 * 6)()
    libc.capget((ctypes.c_uint32 * 2)(0x20080522, 0), data)
    tries = [libc.mount(b"none", b"/tmp", b"tmpfs", 0, None), libc.umount2(b"/proc", 0), libc.mount(None, b"/usr", None, 32 | 4096, None)]
    return [sum(data), os.getuid(), *tries]
"""
    capabilities, uid, *tries = value_of(sandbox, source)["items"]
    assert capabilities == 0 and uid != 0 and all(result == -1 for result in tries)


@pytest.mark.parametrize("place", ["/usr/x", "/x", "/grader/x", "/dev/x", "/dev/shm/../x"])
def test_nothing_can_be_written_but_in_the_private_folders(sandbox, place):
    source = f"def f():\n    try:\n        open({place!r}, 'w')\n        return 'written'\n    except OSError:\n        return 'refused'"
    assert value_of(sandbox, source) == "refused"


@pytest.mark.parametrize("code", [
    "x = bytearray(4 << 30)",
    "x = [bytearray(1 << 20) for _ in range(4096)]",
])
def test_memory_is_bounded(sandbox, code):
    source = f"def f():\n    try:\n        {code}\n        return 'had it'\n    except MemoryError:\n        return 'refused'"
    assert value_of(sandbox, source) == "refused"


def test_files_are_bounded(sandbox):
    source = """
def f():
    written = 0
    try:
        for number in range(100):
            with open(f"/tmp/{number}", "wb") as file:
                for _ in range(32):
                    written += file.write(bytes(1 << 20))
    except OSError:
        pass
    return written
"""
    assert value_of(sandbox, source) <= LIMITS.tmp_bytes


def test_processes_are_bounded(sandbox):
    source = """
import os, time
def f():
    n = 0
    try:
        while n < 1000:
            if os.fork() == 0:
                time.sleep(30)
                os._exit(0)
            n += 1
    except OSError:
        pass
    return n
"""
    assert 0 < value_of(sandbox, source) <= LIMITS.processes


def test_a_process_left_behind_dies_with_its_test(sandbox):
    source = """
import os, time
def leave():
    if os.fork() == 0:
        os.setsid()
        while True:
            time.sleep(0.05)
            os.utime("/tmp") if False else None
    return os.getpid()
def others():
    return [os.getpid(), *[pid for pid in range(2, 500) if alive(pid)]]
def alive(pid):
    try:
        os.kill(pid, 0)
        return True
    except OSError:
        return False
"""
    with sandbox.submission() as process:
        process.load([source], deadline=soon())
        call(process, "leave")
        assert call(process, "others")[0]["value"]["items"] == [1]


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)", "os.abort()", "import ctypes; ctypes.string_at(0)", "sys.exit()", "raise SystemExit", "raise KeyboardInterrupt"])
def test_however_a_test_process_ends_the_next_is_well(sandbox, end):
    source = f"import os, sys\ndef f():\n    {end}\ndef g():\n    return 7"
    with sandbox.submission() as process:
        process.load([source], deadline=soon())
        with process.test(soon(3)) as test:
            try:
                answer, _ = test.ask({"order": "call", "target": {"name": "f"}, "args": [], "kwargs": {}}, [])
                assert "error" in answer or answer["value"] is None  # a first process in its namespace outlives its own signals
            except wire.WireError:
                pass
        assert call(process, "g")[0]["value"] == 7


def test_a_hanging_test_is_cut_off(sandbox):
    source = "def f():\n    while True:\n        try:\n            pass\n        except BaseException:\n            pass\ndef g():\n    return 7"
    with sandbox.submission() as process:
        process.load([source], deadline=soon())
        with pytest.raises(wire.TimedOut):
            with process.test(soon(1)) as test:
                test.ask({"order": "call", "target": {"name": "f"}, "args": [], "kwargs": {}}, [])
        assert call(process, "g")[0]["value"] == 7


def test_a_cell_that_does_not_end_is_interrupted_and_the_next_one_runs(sandbox):
    with sandbox.submission() as process:
        errors = process.load(["a = 1", "while True:\n    pass", "b = 2", "def f(): return a + b"], deadline=soon())
        assert [error["type"] for error in errors] == ["KeyboardInterrupt"] and errors[0]["cell"] == 1
        assert call(process, "f")[0]["value"] == 3


def test_a_cell_that_cannot_be_interrupted_is_named(sandbox):
    with sandbox.submission() as process:
        with pytest.raises(wire.TimedOut):
            process.load(["a = 1", "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True:\n    pass"], deadline=soon(3))
        assert process.current_cell == 1


def test_magics_plots_await_and_printing_do_no_harm(sandbox):
    cells = ["%matplotlib inline\nimport matplotlib.pyplot as plt", "plt.plot([1, 2])\nplt.show()", "print('x' * 10_000_000)", "!echo hello\n%time 1 + 1",
             "await __import__('asyncio').sleep(0)", "from course import check\ncheck('softmax')", "display('x')", "def f(): return 7"]
    with sandbox.submission(plots=True) as process:
        assert process.load(cells, deadline=soon()) == []
        assert call(process, "f")[0]["value"] == 7


def test_the_state_is_what_jupyter_would_leave(sandbox):
    cells = ["x = 1", "x = 2; 1 / 0; x = 3", "def f(): return x", "def f(: broken", "del y"]
    with sandbox.submission() as process:
        errors = process.load(cells, deadline=soon())
        assert [(error["cell"], error["type"]) for error in errors] == [(1, "ZeroDivisionError"), (3, "SyntaxError"), (4, "NameError")]
        assert call(process, "f")[0]["value"] == 2


def test_forged_answers_are_only_answers(sandbox):
    """Code that finds the connection and writes to it changes what it answers, and nothing else."""
    forge = """
import os, struct
text = b'{"value": {"kind": "array", "index": 5}}'
for fd in range(3, 50):
    try:
        os.write(fd, struct.pack(">IQ", len(text), 0) + text)
    except OSError:
        pass
"""
    with sandbox.submission() as process:
        with pytest.raises(wire.WireError):
            process.load([forge], deadline=soon())
    with sandbox.submission() as process:  # the next submission is untouched
        assert process.load(["def f(): return 7"], deadline=soon()) == []
        assert call(process, "f")[0]["value"] == 7


def test_a_submission_gets_nothing_from_the_one_before(sandbox):
    with sandbox.submission() as process:
        process.load(["import builtins, numpy as np, os\nbuiltins.stolen = 1\nnp.stolen = 2\nopen('/tmp/stolen', 'w').write('3')\nopen('/dev/shm/stolen', 'w').write('3')"], deadline=soon())
    source = "import builtins, numpy as np, os\ndef f(): return [hasattr(builtins, 'stolen'), hasattr(np, 'stolen'), os.path.exists('/tmp/stolen'), os.path.exists('/dev/shm/stolen')]"
    assert value_of(sandbox, source)["items"] == [False] * 4


def test_plots_have_a_zygote_of_their_own(sandbox):
    source = "import sys\nloaded = 'matplotlib.pyplot' in sys.modules\ndef f(): return loaded"
    seen = []
    for plots in (True, False, True):
        with sandbox.submission(plots=plots) as process:
            assert process.load([source], deadline=soon()) == []
            seen.append(call(process, "f")[0]["value"])
    assert seen == [True, False, True]


def test_students_hold_their_own_connection_and_no_other(sandbox):
    source = """
import os, stat
def sockets():
    found = []
    for descriptor in range(256):
        try:
            found.append(stat.S_ISSOCK(os.fstat(descriptor).st_mode))
        except OSError:
            pass
    return sum(found)
loaded = sockets()
def f(): return [loaded, sockets()]
"""
    for plots in (True, False, True, False):
        with sandbox.submission(plots=plots) as process:
            process.load([source], deadline=soon())
            assert call(process, "f")[0]["value"]["items"] == [1, 1]


@pytest.mark.parametrize("plots", [False, True])
def test_the_end_of_a_submission_is_seen_at_once(needs_sandbox, plots):
    with Sandbox("numpy", limits=LIMITS) as fresh, fresh.submission(plots=plots) as process:
        with pytest.raises(wire.Closed):
            process.load(["import os\nos._exit(0)"], deadline=soon(10))  # or it would be TimedOut


def test_a_submission_begins_with_nothing_in_its_notebook(sandbox):
    source = "before = [In, Out, *[name for name in dir() if not name.startswith('_')], get_ipython().execution_count]\ndef f(): return repr(before)"
    assert value_of(sandbox, source) == repr([[""], {}, "In", "Out", "exit", "get_ipython", "open", "quit", 1])


def test_tests_that_are_forked_ahead_are_alone_all_the_same(sandbox):
    source = """
import os, time
def f(n):
    for _ in range(n):
        if os.fork() == 0:
            time.sleep(30)
    return [os.getpid(), os.path.exists("/tmp/x")]
def bomb():
    open("/tmp/x", "w")
    try:
        while True:
            if os.fork() == 0:
                time.sleep(30)
    except OSError:
        return None
def quiet():
    return f(3)
"""
    with sandbox.submission() as process:
        process.load([source], deadline=soon())
        for i, name in enumerate(("quiet", "bomb", "quiet", "bomb", "bomb", "quiet", "quiet")):
            with process.test(soon(), last=i == 6) as test:
                answer, _ = test.ask({"order": "call", "target": {"name": name}, "args": [], "kwargs": {}}, [])
                assert answer["value"] is None if name == "bomb" else answer["value"]["items"] == [1, False], answer


def test_a_submission_with_threads_is_forked_all_the_same(sandbox):
    source = """
import threading, time
stop = threading.Event()
def work():
    while not stop.is_set():
        bytearray(1000)
threading.Thread(target=work, daemon=True).start()
def f(): return threading.active_count()
"""
    with sandbox.submission() as process:
        process.load([source], deadline=soon())
        assert [call(process, "f")[0]["value"] for _ in range(3)] == [1, 1, 1]


def test_a_lost_zygote_is_replaced(needs_sandbox):
    with Sandbox("numpy", limits=LIMITS) as sandbox:
        sandbox.process.kill()
        sandbox.process.wait()
        assert value_of(sandbox, "def f(): return 7") == 7


def test_without_a_sandbox_it_works_too():
    with Sandbox("numpy", kind="none", limits=LIMITS) as sandbox:
        assert value_of(sandbox, "def f(): return 7") == 7
