"""What packages do at length at each start, and a build has no use for."""

import functools
import gc
import sys


def prepare() -> None:
    """To be called before Jupyter Book is imported."""
    # jsonschema builds grammars for international addresses when it is imported, where this package is there, and does without where it is not.
    sys.modules.setdefault("rfc3987_syntax", None)
    import pybtex.plugin

    # What Sphinx builds are trees, looked through again and again for circles. A build ends before it would run out of memory.
    gc.disable()
    # For each reference pybtex asks the environment anew which packages are in it.
    pybtex.plugin.entry_points = functools.cache(pybtex.plugin.entry_points)
