"""The clock of limits: the wall's on a machine that has room, slower on a busy one, and no slower for what student code starts."""

import os
import subprocess
import sys
import threading
import time

import pytest

from autograder.sandbox import patience
from autograder.sandbox.child_modules import wire


class Wall:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize(("running", "seconds"), [(0, 8.0), (2, 8.0), (3, 8.0), (6, 4.0), (12, 2.0), (1000, 2.0)])
def test_eight_seconds_by_the_wall(running, seconds):
    wall = Wall()
    clock = patience.Clock(wall, lambda: running, cores=2)
    begun = clock()
    wall.now += 8
    assert clock() - begun == pytest.approx(seconds)


def test_it_looks_again_and_never_goes_back():
    wall, running = Wall(), [12]
    clock = patience.Clock(wall, lambda: running[0], cores=2)
    seen = [clock()]
    for running[0] in (12, 3, 3):
        wall.now += 4
        seen.append(clock())
    assert [after - before for before, after in zip(seen, seen[1:])] == pytest.approx([1, 1, 4])


def test_the_factor_is_that_of_now():
    wall, running = Wall(), [3]
    clock = patience.Clock(wall, lambda: running[0], cores=2)
    assert clock.factor() == 1.0
    running[0], wall.now = 6, wall.now + 1
    assert clock.factor() == 2.0


def test_where_the_system_does_not_tell_it_is_the_walls(monkeypatch):
    monkeypatch.setattr(patience, "Path", lambda name: type("None", (), {"read_text": lambda self, encoding: "cpu 1 2 3\n"})())
    assert patience.running() == 0


@pytest.mark.skipif(not os.path.exists("/proc/stat"), reason="the system does not tell how many processes want to run")
def test_what_this_process_has_started_does_not_count():
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        until = time.monotonic() + 20
        while patience.own() < 3 and time.monotonic() < until:
            time.sleep(0.1)
        assert patience.own() >= 3
    finally:
        for each in busy:
            each.kill()
            each.wait()


def test_a_wait_ends_by_the_clock_and_not_by_the_wall(monkeypatch):
    ours, theirs = wire.pair()
    monkeypatch.setattr(wire, "clock", lambda: time.monotonic() / 100)
    with ours, theirs:
        timer = threading.Timer(0.6, wire.send, (theirs, {"x": 1}))
        timer.start()
        assert wire.receive(ours, deadline=wire.clock() + 0.3)[0] == {"x": 1}
        begun = time.monotonic()
        with pytest.raises(wire.TimedOut):
            wire.receive(ours, deadline=wire.clock() + 0.004)
        assert time.monotonic() - begun >= 0.3


def test_a_long_message_gets_through_a_reader_that_pauses(monkeypatch):
    monkeypatch.setattr(wire, "LOOK_S", 0.05)
    ours, theirs = wire.pair()
    with ours, theirs:
        got = []
        reader = threading.Thread(target=lambda: (time.sleep(0.3), got.append(wire.receive(theirs)[0])))
        reader.start()
        wire.send(ours, {"x": "y" * 4_000_000}, deadline=wire.clock() + 20)
        reader.join(20)
        assert len(got[0]["x"]) == 4_000_000
