"""Where no local copy of Pyodide could be had the site goes by its CDN, and the next build tries again."""

import pytest

from book.tools.lite import application, put, pyodide


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A site of no language, for which an application is there, and no copy of Pyodide can be had."""
    for name in put.PARTS:
        (tmp_path / "application" / name).mkdir(parents=True)
    monkeypatch.setattr(put, "possible", lambda: True)
    monkeypatch.setattr(put, "fingerprint", lambda choice: choice)
    monkeypatch.setattr(application, "build", lambda: tmp_path / "application")
    monkeypatch.setattr(pyodide, "fetch", fails)
    (tmp_path / "site").mkdir()
    return tmp_path / "site"


def fails():
    raise pyodide.Unavailable("no way")


def test_what_could_not_be_had_is_tried_again(site, tmp_path, monkeypatch):
    put.put(site, [], "local", str)
    assert put.is_current(site, "local") and put.is_current(site, "cdn")  # there is nothing better still
    monkeypatch.setattr(pyodide, "fetch", lambda: tmp_path / "application")
    assert not put.is_current(site, "local") and put.is_current(site, "cdn")


def test_what_could_be_had_stays(site, tmp_path, monkeypatch):
    monkeypatch.setattr(pyodide, "fetch", lambda: tmp_path / "application")
    put.put(site, [], "local", str)
    monkeypatch.setattr(pyodide, "fetch", fails)
    assert put.is_current(site, "local") and not put.is_current(site, "cdn")


def test_a_site_without_these_pages_is_not_current(site):
    assert not put.is_current(site, "local")
