"""The surroundings in which chapters are executed: fonts that figures find, the cache of what was executed, and what shared cells have
computed.

Everything lies under `_build/`, nothing in the home directory of whoever builds. The cache knows a cell by its code alone, so it is emptied
here whenever something else changes that a cell's output may depend on: the fonts, Python, the version of a package, how shared cells work.
"""

import hashlib
import os
import platform
import shutil
import site
import sys
import tempfile
from pathlib import Path

from book.tools.paths import BUILD, FONTS, TOOLS

RUNTIME = BUILD / "runtime"
CACHE = BUILD / ".jupyter_cache"
SHARED = BUILD / ".shared_cells"
EXECUTING = RUNTIME / "executing"  # a lock for each notebook
KERNEL = [TOOLS / "shared_cells.py", TOOLS / "skeleton.py", TOOLS / "kernel_server.py"]  # what runs in every kernel
MATPLOTLIBRC = """\
# Letters come from DejaVu Sans, what it lacks (Chinese) from the first of the others that is there.
font.family: DejaVu Sans, sans-serif
font.sans-serif: Noto Sans SC, PingFang SC, Microsoft YaHei, Noto Sans CJK SC, DejaVu Sans
figure.dpi: 120
"""


# Run by every kernel at its start. It leaves no name behind, so that a chapter's code cannot come to need one.
STARTUP = """\
exec("import runpy; runpy.run_path({file!r}, run_name='shared_cells')['start'](get_ipython(), {folder!r})", {{"get_ipython": get_ipython}})
"""
# All kernels would write what they execute into one database, and wait for each other.
KERNEL_CONFIG = "get_config().HistoryManager.enabled = False\n"


def packages() -> list[str]:
    """Every installed distribution as `name==version`, in order.

    Read from the names of folders in the environment's own places, and not from `sys.path`, to which a package may add others when it is
    imported, as setuptools does. Asking each for its metadata would take a second.
    """
    places = [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    return sorted({each.stem.lower().replace("-", "==", 1) for place in places for each in Path(place).glob("*-info")})


def fingerprint() -> str:
    """A hash of all that executed cells depend on beside their own code."""
    digest = hashlib.sha256()
    digest.update("\n".join([platform.python_version(), sys.platform, MATPLOTLIBRC, *packages()]).encode())
    for file in [*sorted(FONTS.glob("*.[ot]tf")), *KERNEL]:
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def prepare() -> None:
    """Lays out fonts and settings under `_build/runtime`, and empties the execution cache where these surroundings have changed.

    What shared cells have computed goes with the cache, and the cache with it: languages executed before and after agree in it.
    """
    mark = RUNTIME / "fingerprint"
    current = fingerprint()
    if not mark.exists() or mark.read_text(encoding="utf-8") != current or not SHARED.is_dir():
        for folder in (RUNTIME, CACHE, SHARED):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(FONTS, RUNTIME / "data" / "fonts")
        settings = RUNTIME / "matplotlib"
        settings.mkdir(parents=True)
        (settings / "matplotlibrc").write_text(MATPLOTLIBRC, encoding="utf-8")
        mark.write_text(current, encoding="utf-8")
    startup = RUNTIME / "ipython" / "profile_default" / "startup"
    for folder in (CACHE, SHARED, EXECUTING, startup):
        folder.mkdir(parents=True, exist_ok=True)
    if not (CACHE / "global.db").exists():
        from jupyter_cache import get_cache  # takes a second, and a cache that is there needs none

        get_cache(str(CACHE)).db  # noqa: B018  makes the tables, which two languages that begin at once would both make
    write(startup / "00-shared-cells.py", STARTUP.format(file=str(KERNEL[0]), folder=str(SHARED)))
    write(startup.parent / "ipython_kernel_config.py", KERNEL_CONFIG)


def write(path: Path, text: str) -> None:
    """Writes a file that kernels read, where it does not say that already; a kernel that starts meanwhile reads all of the old or of the new."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    with tempfile.NamedTemporaryFile("w", dir=RUNTIME, delete=False, encoding="utf-8") as file:  # not beside it, where a kernel would run it
        file.write(text)
    Path(file.name).replace(path)


def environment() -> dict[str, str]:
    """The environment variables for processes that execute notebooks; `prepare` must have run."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "MPLBACKEND", "MATPLOTLIBRC"}}
    return kept | {
        "XDG_DATA_HOME": str(RUNTIME / "data"),  # matplotlib looks for fonts in fonts/ below it
        "MPLCONFIGDIR": str(RUNTIME / "matplotlib"),
        "IPYTHONDIR": str(RUNTIME / "ipython"),
        "TRITON_CACHE_DIR": str(RUNTIME / "triton"),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
