"""Builds that share a cache of executed notebooks wait for each other where they have to, and nowhere else."""

import threading
import time
import types

import pytest

from book.tools import execution, runtime


class Overlap:
    """Counts how many calls are inside at the same time."""

    def __init__(self):
        self.now = self.most = 0

    def __call__(self, *arguments):
        self.now += 1
        self.most = max(self.most, self.now)
        time.sleep(0.3)
        self.now -= 1


@pytest.fixture
def inside(monkeypatch, tmp_path):
    monkeypatch.setattr(runtime, "EXECUTING", tmp_path)
    overlap = Overlap()
    monkeypatch.setattr(execution, "execute", overlap)
    monkeypatch.setattr(execution, "store", overlap)
    monkeypatch.setattr(execution, "get_cache", lambda path: types.SimpleNamespace(create_hashed_notebook=lambda notebook: (notebook, notebook)))
    return overlap


def client(code):
    return types.SimpleNamespace(notebook=code, nb_config=types.SimpleNamespace(execution_cache_path=""))


def side_by_side(*calls):
    threads = [threading.Thread(target=call) for call in calls]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def test_the_same_code_is_executed_by_one_at_a_time(inside):
    side_by_side(*[lambda: execution.execute_once(client("a"))] * 3)
    assert inside.most == 1


def test_other_code_is_executed_meanwhile(inside, monkeypatch):
    both, met = threading.Barrier(2), []
    monkeypatch.setattr(execution, "execute", lambda client: met.append(both.wait(30)))
    side_by_side(lambda: execution.execute_once(client("a")), lambda: execution.execute_once(client("b")))
    assert sorted(met) == [0, 1]


def test_one_stores_at_a_time(inside):
    side_by_side(*[lambda: execution.store_alone(None)] * 3)
    assert inside.most == 1
