"""The secret from which, together with a run's seed, the inputs of the hidden tests are derived."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path

VARIABLE = "AUTOGRADER_SECRET"
FILE = Path(__file__).parent / ".secret"  # not under version control


def course_secret():
    """The value of AUTOGRADER_SECRET, or else of the course's own file, which is made at first use and is only for its owner to read."""
    if os.environ.get(VARIABLE):
        return os.environ[VARIABLE]
    if not FILE.exists():
        make()
    return FILE.read_text().strip()


def make():
    """Make the file, whole and once: of several processes that want to be first, all go by what one of them has made."""
    with tempfile.NamedTemporaryFile("w", dir=FILE.parent, prefix=FILE.name) as file:  # for its owner alone
        file.write(secrets.token_hex(32) + "\n")
        file.flush()
        with contextlib.suppress(FileExistsError):
            os.link(file.name, FILE)
