"""JupyterLite itself: its scripts, its kernel for Pyodide and the words of its menus, made once for all languages."""

import hashlib
import importlib.metadata
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from book.tools.paths import BUILD

PACKAGES = ("jupyterlite-core", "jupyterlite-pyodide-kernel", "jupyterlab-language-pack-zh-CN", "jupyterlab-language-pack-ru-RU", "comm")
FOLDER = BUILD / "lite" / "application"
KERNEL = "@jupyterlite/pyodide-kernel-extension"
EXTENSION = Path(sys.prefix) / "share" / "jupyter" / "labextensions" / KERNEL
SETTINGS = {
    "LiteBuildConfig": {
        "ignore_sys_prefix": ["federated_extensions"],  # what is installed for the course's own JupyterLab is of another version
        "federated_extensions": [str(EXTENSION)],
        "apps": ["notebooks"],  # one notebook a page, as the book's chapters are
        "contents": [],
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
    }
}


def missing() -> list[str]:
    """Which of the packages are not installed."""
    return [name for name in PACKAGES if not list(importlib.metadata.distributions(name=name))]


def versions() -> dict[str, str]:
    """The version of each package that the application is made of."""
    return {name: importlib.metadata.version(name) for name in PACKAGES}


def fingerprint() -> str:
    """A hash of all that the application depends on."""
    return hashlib.sha256(json.dumps([versions(), SETTINGS]).encode() + Path(__file__).read_bytes()).hexdigest()


def repack(name: str, folder: Path) -> None:
    """A wheel of an installed package of pure Python: the kernel needs it, and is not to ask another host for it."""
    package = importlib.metadata.distribution(name)
    kept = [each for each in package.files if each.suffix in {".py", ".typed"} or each.name in {"METADATA", "WHEEL", "RECORD"}]
    with zipfile.ZipFile(folder / f"{name}-{package.version}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for each in sorted(kept):
            archive.writestr(zipfile.ZipInfo(each.as_posix()), each.read_binary(), zipfile.ZIP_DEFLATED)


def make(folder: Path) -> None:
    """Runs JupyterLite's own build into a folder."""
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary)
        (source / "pypi").mkdir()
        repack("comm", source / "pypi")
        (source / "jupyter_lite_config.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
        command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(source), "--output-dir", str(folder)]
        done = subprocess.run(command, cwd=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    if done.returncode or not (folder / "notebooks" / "index.html").is_file():
        raise RuntimeError(f"JupyterLite could not be built:\n{done.stdout}")


def build(folder: Path = FOLDER) -> Path:
    """The folder of the application, made anew where a package has another version."""
    stamp = folder.with_name(f"{folder.name}.stamp")
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != fingerprint():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        make(folder)
        stamp.write_text(fingerprint(), encoding="utf-8")
    return folder
