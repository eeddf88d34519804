"""What all tests share: which system packages there are, and what to do where one is missing."""

import gc
import os
import shutil

import pytest

from autograder.sandbox import bubblewrap

os.environ.setdefault("TRITON_INTERPRET", "1")  # as the grader does: whatever imports Triton first decides for this process


def missing(reason):
    """Skip with the reason; on a machine that has to have everything, fail."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def needs_sandbox():
    """A sandbox can be made on this machine."""
    try:
        bubblewrap.require()
    except bubblewrap.SandboxUnavailable as error:
        missing(str(error))


@pytest.fixture(scope="session")
def chromium():
    """The path of a Chromium browser."""
    found = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
    return found or missing("no Chromium: on Debian and Ubuntu, apt install chromium")


@pytest.fixture
def tidy():
    """What other tests have left behind is finalized now, and not in the middle of this one, where the stack is as deep as it may be."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def pytest_report_header(config):
    """Say at the start what is missing, so that a skipped test surprises nobody."""
    lines = []
    if shutil.which("bwrap") is None:
        lines.append("missing: bubblewrap (apt install bubblewrap); tests that run student code are skipped")
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        lines.append("missing: Chromium (apt install chromium); tests in a browser are skipped")
    return lines
