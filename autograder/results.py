"""Results as files: one JSON a submission, written whole or not at all."""

import json
import os
import tempfile
from pathlib import Path

from autograder.names import safe_name

SCHEMA = 1


def path_of(out, student, assignment):
    """Where a submission's result lies."""
    return Path(out) / safe_name(student) / f"{assignment}.json"


class NotWritable(OSError):
    """Results cannot be written to the folder."""


def prepare(out):
    """Make the folder for results; raises NotWritable, which names it, where nothing can be written there."""
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise NotWritable(f"{out}: results cannot be written there ({error.strerror}); choose another folder with --out") from None


def read(path):
    """The result in a file; None where there is none, or none that can be read as one."""
    try:
        result = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) and result.get("schema") == SCHEMA else None


def write(out, result):
    """Write a result under its student's name. Returns the path."""
    path = path_of(out, result["student"], result["assignment"])
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:  # a file name need not be UTF-8
            json.dump(result, file, ensure_ascii=False, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path
