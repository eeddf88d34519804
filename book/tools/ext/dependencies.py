"""Notes which other files the pages of a language include (images, sources shown, downloads), so that a change in one of them is seen."""

import json
from pathlib import Path

from book.tools.paths import ROOT


def record(app, exception) -> None:
    """Writes `dependencies.json` beside the pages: paths relative to the repository, those outside it left out."""
    if exception:
        return
    found = set()
    for names in app.env.dependencies.values():
        for name in names:
            path = (Path(app.srcdir) / name).resolve()
            if path.is_relative_to(ROOT):
                found.add(path.relative_to(ROOT).as_posix())
    target = Path(app.outdir).parent / "dependencies.json"
    target.write_text(json.dumps(sorted(found), indent=1) + "\n", encoding="utf-8")


def setup(app):
    app.connect("build-finished", record)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
