"""One submission's process: it runs the notebook's cells, then forks a process for each test and lets the grader call what the cells defined.

Orders from the grader:
    {"order": "load", "cells": […], "skip": […], "slow": […], "cell_timeout_s": …, "slower": …, "own_work": …}
                                                                        → with own_work first {"named": […]}, see naming.py;
                                                                          {"cell": i, "interrupted": …} before each cell: whether the one
                                                                          before was interrupted; then the same of the last one in
                                                                          {"loaded": true, "errors": […], "interrupted": …}
    {"order": "test"} with a socket                                     → {"pid": …}, or {"pid": null} where there can be no more now
    {"order": "only test", "device": {…}} with a socket                 → {"pid": …}: this process itself serves the one test, on a GPU
    {"order": "kill", "pid": …}                                         → {"killed": true}, when it has gone with all that it has started
The process of a test may be ordered while the one before it works.
Student code can change everything in here. It can then only change the numbers that it is judged by.
"""

import os
import signal
import sys
import threading
import types

import calls
import cells
import namespaces
import naming
import wire


def serve(connection, framework, isolated, kept):
    """Answer the grader until it has had enough."""
    names, own, alone, n_tests = {}, False, True, 0
    while True:
        (order, _), test = wire.receive_with_socket(connection)
        if order["order"] == "load":
            provide_course_module()
            own = order["own_work"]
            if own:
                wire.send(connection, {"named": naming.places(order["cells"], cells.make_shell().transform_cell)})
            before = lambda i, interrupted: wire.send(connection, {"cell": i, "interrupted": interrupted})  # noqa: E731
            how = order["skip"], order["slow"], order["cell_timeout_s"], before, order["slower"]
            names, errors, interrupted = cells.run(order["cells"], *how)
            if isolated:
                end_others()
            alone = settle()
            wire.send(connection, {"loaded": True, "errors": errors, "interrupted": interrupted})
        elif order["order"] == "test":
            with test:
                n_tests += 1
                pid = fork_test(connection, test, (names, framework, own), alone, isolated, kept, n_tests)
            wire.send(connection, {"pid": pid})
        elif order["order"] == "only test":
            wire.send(connection, {"pid": os.getpid()})
            with test:
                calls.serve(test, names, framework, own, order["device"])
        elif order["order"] == "kill":
            kill(order["pid"])
            wire.send(connection, {"killed": True})


def provide_course_module():
    """A stand-in for the `course` package of the exercises: its checks are for the student's eyes and cost time here."""
    course = types.ModuleType("course")
    course.check = lambda *args, **kwargs: None
    sys.modules["course"] = course


def end_others():
    """Kill what the cells have started: a process that outlives them could keep what tests close. This one is the first of its pid namespace."""
    if os.getpid() != 1:
        return
    try:
        os.kill(-1, signal.SIGKILL)  # all but this process
        while True:
            os.waitpid(-1, 0)
    except OSError:
        pass  # there was nobody, or nobody is left


def settle():
    """Undo what would hurt the tests' processes: pending alarms, and threads that would be missing after a fork.

    Returns whether there are none; Python does not know of those that PyTorch has started, even where they are not used any more.
    """
    signal.setitimer(signal.ITIMER_REAL, 0)
    torch = sys.modules.get("torch")
    if torch is None:
        return True
    alone = torch.get_num_threads() == 1
    torch.set_num_threads(1)
    return alone


def fork_test(connection, test, serving, alone, isolated, kept, number):
    """Fork the process of one test. Returns its number in this process's pid namespace; None where the kernel makes no more of them now."""
    folder = f"/tmp/.test-{number}"
    try:
        if isolated:
            os.mkdir(folder, 0o700)
        pid = namespaces.fork(alone=alone and threading.active_count() == 1, hooks=False) if isolated else os.fork()
    except OSError:
        return None
    if pid == 0:
        become_test(connection, test, serving, folder if isolated else None, kept)
    return pid


def become_test(connection, test, serving, folder, kept):
    """In a test's process: answer calls until the grader closes. Never returns. folder: what its /tmp is to be; None without isolation."""
    try:
        connection.close()
        if folder is None:
            os.setpgid(0, 0)
        else:
            os.setsid()  # or a signal to the own process group would reach the submission's process
            namespaces.close_off_test(folder, kept)
            os.chdir("/tmp")
        calls.serve(test, *serving)
    except BaseException:
        pass  # the grader sees the connection end
    finally:
        os._exit(0)


def kill(pid):
    """Kill a test's process, and wait until it has gone; where it is the first of a pid namespace, all it has started goes with it."""
    for target in (pid, -pid):
        try:
            if pid > 1:
                os.kill(target, signal.SIGKILL)
        except OSError:
            pass
    try:
        os.waitpid(pid, 0)
    except OSError:
        pass  # there was no such process, or it was collected already
