"""One submission's process: it runs the notebook's cells, then forks a process for each test and lets the grader call what the cells defined.

Orders from the grader:
    {"order": "load", "cells": […], "skip": […], "cell_timeout_s": …, "own_work": …}
                                                                        → {"cell": i} before each cell, then {"loaded": true, "errors": […]}
    {"order": "test"} with a socket                                     → {"pid": …}
    {"order": "kill", "pid": …}                                         → {"killed": true}
Student code can change everything in here. It can then only change the numbers that it is judged by.
"""

import os
import signal
import sys
import types

import calls
import cells
import namespaces
import wire


def serve(connection, framework, isolated, kept):
    """Answer the grader until it has had enough."""
    names, own, n_tests = {}, False, 0
    while True:
        (order, _), test = wire.receive_with_socket(connection)
        if order["order"] == "load":
            provide_course_module()
            own = order["own_work"]
            names, errors = cells.run(order["cells"], order["skip"], order["cell_timeout_s"], lambda i: wire.send(connection, {"cell": i}))
            settle()
            wire.send(connection, {"loaded": True, "errors": errors})
        elif order["order"] == "test":
            n_tests += 1
            with test:
                pid = fork_test(connection, test, (names, framework, own), isolated, kept, n_tests)
            wire.send(connection, {"pid": pid})
        elif order["order"] == "kill":
            kill(order["pid"])
            wire.send(connection, {"killed": True})


def provide_course_module():
    """A stand-in for the `course` package of the exercises: its checks are for the student's eyes and cost time here."""
    course = types.ModuleType("course")
    course.check = lambda *args, **kwargs: None
    sys.modules["course"] = course


def settle():
    """Undo what would hurt the tests' processes: pending alarms, and threads that would be missing after a fork."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


def fork_test(connection, test, serving, isolated, kept, number):
    """Fork the process of one test. Returns its number in this process's pid namespace."""
    if not isolated:
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            become_test(connection, test, *serving)
        return pid
    folder = f"/tmp/.test-{number}"
    os.mkdir(folder, 0o700)
    read, write = os.pipe()
    middle = os.fork()
    if middle == 0:
        try:
            namespaces.enter(map_user=False)
            inner = os.fork()
            if inner == 0:
                os.close(read)
                os.close(write)
                os.setsid()  # or a signal to the own process group would reach the submission's process
                namespaces.close_off_test(folder, kept)
                os.chdir("/tmp")
                become_test(connection, test, *serving)
            os.write(write, str(inner).encode())
        finally:
            os._exit(0)
    os.close(write)
    pid = int(os.read(read, 20) or b"0")
    os.close(read)
    os.waitpid(middle, 0)
    return pid


def become_test(connection, test, names, framework, own):
    """In a test's process: answer calls until the grader closes. Never returns."""
    try:
        connection.close()
        calls.serve(test, names, framework, own)
    except BaseException:
        pass  # the grader sees the connection end
    finally:
        os._exit(0)


def kill(pid):
    """Kill a test's process; where it is the first of a pid namespace, all it has started dies with it. Waits until they are gone."""
    for target in (pid, -pid):
        try:
            if pid > 1:
                os.kill(target, signal.SIGKILL)
        except OSError:
            pass
    try:
        os.waitpid(pid, 0)
    except OSError:
        pass  # it was collected already
