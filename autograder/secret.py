"""The secret from which, together with a run's seed, the inputs of the hidden tests are derived."""

import os
import secrets
from pathlib import Path

VARIABLE = "AUTOGRADER_SECRET"
FILE = Path(__file__).parent / ".secret"  # not under version control


def course_secret():
    """The value of AUTOGRADER_SECRET, or else of the course's own file, which is made at first use and is only for its owner to read."""
    if os.environ.get(VARIABLE):
        return os.environ[VARIABLE]
    if not FILE.exists():
        descriptor = os.open(FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32) + "\n")
    return FILE.read_text().strip()
