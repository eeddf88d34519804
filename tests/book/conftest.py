"""What the book's tests share: the built site, and a small book of their own to build."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="session")
def site() -> Path:
    """The site of all languages, brought up to date first; that takes a second where nothing has changed."""
    done = subprocess.run([sys.executable, "-m", "book.tools.build"], cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace")
    assert done.returncode == 0, f"the book could not be built:\n{done.stdout}\n{done.stderr}"
    return ROOT / "_build" / "site"
