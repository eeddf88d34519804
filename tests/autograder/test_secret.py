"""The course's secret: made at first use, once, and for its owner alone."""

import pytest

from autograder import secret


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.delenv(secret.VARIABLE, raising=False)
    monkeypatch.setattr(secret, "FILE", tmp_path / ".secret")
    return tmp_path / ".secret"


def test_it_is_made_once(file):
    first = secret.course_secret()
    assert len(first) == 64 and secret.course_secret() == first and list(file.parent.iterdir()) == [file]
    assert file.stat().st_mode & 0o777 == 0o600


def test_of_two_first_uses_one_counts(file, monkeypatch):
    """The second comes after the first has seen that there is none, and before it has made one."""
    make = secret.make

    def overtaken():
        monkeypatch.setattr(secret, "make", make)
        other.append(secret.course_secret())
        make()

    other = []
    monkeypatch.setattr(secret, "make", overtaken)
    assert [secret.course_secret()] == other and list(file.parent.iterdir()) == [file]


def test_the_environment_comes_first(file, monkeypatch):
    monkeypatch.setenv(secret.VARIABLE, "the environment's")
    assert secret.course_secret() == "the environment's" and not file.exists()
