"""The surroundings in which chapters are executed: fonts that figures find, and the cache of what was executed.

Everything lies under `_build/`, nothing in the home directory of whoever builds. The cache knows a cell by its code alone, so it is emptied
here whenever something else changes that a cell's output may depend on: the fonts, Python, the version of a package.
"""

import hashlib
import importlib.metadata
import os
import platform
import shutil
import sys

from book.tools.paths import BUILD, FONTS

RUNTIME = BUILD / "runtime"
CACHE = BUILD / ".jupyter_cache"
MATPLOTLIBRC = """\
# Letters come from DejaVu Sans, what it lacks (Chinese) from the first of the others that is there.
font.family: DejaVu Sans, sans-serif
font.sans-serif: Noto Sans SC, PingFang SC, Microsoft YaHei, Noto Sans CJK SC, DejaVu Sans
figure.dpi: 120
"""


def packages() -> list[str]:
    """Every installed distribution as `name==version`, in order."""
    return sorted({f"{each.name.lower()}=={each.version}" for each in importlib.metadata.distributions() if each.name})


def fingerprint() -> str:
    """A hash of all that executed cells depend on beside their own code."""
    digest = hashlib.sha256()
    digest.update("\n".join([platform.python_version(), sys.platform, MATPLOTLIBRC, *packages()]).encode())
    for font in sorted(FONTS.glob("*.[ot]tf")):
        digest.update(font.name.encode())
        digest.update(font.read_bytes())
    return digest.hexdigest()


def prepare() -> None:
    """Lays out fonts and settings under `_build/runtime`, and empties the execution cache where these surroundings have changed."""
    mark = RUNTIME / "fingerprint"
    current = fingerprint()
    if not mark.exists() or mark.read_text(encoding="utf-8") != current:
        shutil.rmtree(RUNTIME, ignore_errors=True)
        shutil.rmtree(CACHE, ignore_errors=True)
        shutil.copytree(FONTS, RUNTIME / "data" / "fonts")
        settings = RUNTIME / "matplotlib"
        settings.mkdir(parents=True)
        (settings / "matplotlibrc").write_text(MATPLOTLIBRC, encoding="utf-8")
        mark.write_text(current, encoding="utf-8")
    CACHE.mkdir(parents=True, exist_ok=True)


def environment() -> dict[str, str]:
    """The environment variables for processes that execute notebooks; `prepare` must have run."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "MPLBACKEND", "MATPLOTLIBRC"}}
    return kept | {
        "XDG_DATA_HOME": str(RUNTIME / "data"),  # matplotlib looks for fonts in fonts/ below it
        "MPLCONFIGDIR": str(RUNTIME / "matplotlib"),
        "IPYTHONDIR": str(RUNTIME / "ipython"),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
