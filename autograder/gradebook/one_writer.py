"""The connection to the gradebook. One writer at a time: a lock file among our own, and patience with SQLite where somebody else writes."""

import functools
import sqlite3
from pathlib import Path

import nbgrader.api
import sqlalchemy
from sqlalchemy import event
from sqlalchemy.engine import Engine

from autograder.lock import held

LOCK_FILE = ".gradebook.lock"
PATIENCE = 60  # seconds that SQLite waits for another's lock; its own default is five, and then nbgrader ends the batch


def gradebook_lock(root, log):
    """Hold the course's lock."""
    return held(Path(root) / LOCK_FILE, lambda: log.info("Another process writes to the gradebook; waiting for it"))


def be_patient():
    """Make every SQLite connection of this process wait for locks, those of nbgrader's other commands and pages too."""
    if not event.contains(Engine, "connect", _wait_longer):
        event.listen(Engine, "connect", _wait_longer)


def _wait_longer(connection, record):
    if isinstance(connection, sqlite3.Connection):
        connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000}")


def one_engine():
    """Let nbgrader keep one engine for a gradebook. It makes one for every question, and then SQLAlchemy compiles each query anew."""
    if not hasattr(nbgrader.api.create_engine, "cache_info"):
        nbgrader.api.create_engine = functools.lru_cache(maxsize=8)(sqlalchemy.create_engine)
