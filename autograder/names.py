"""Names that come from students, made fit to be names of folders."""

import hashlib
import unicodedata

KEPT = " -_.@+"
LONGEST = 80  # bytes of UTF-8; file systems take 255 with what is added


def safe_name(name):
    """A form of a name without separators, control characters, leading dots or `..`; two names never share one.

    A name that is fit already stays as it is; any other is cleaned and gets a piece of its hash.
    """
    cleaned = "".join(c if c.isalnum() or c in KEPT else "_" for c in unicodedata.normalize("NFC", name))
    while ".." in cleaned:
        cleaned = cleaned.replace("..", "_")
    cleaned = cleaned.strip(" .")
    cleaned = cleaned.encode("utf-8", "replace")[:LONGEST].decode("utf-8", "ignore").rstrip(" .")
    if cleaned == name != "":
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{cleaned or 'student'}~{digest}"  # a clean name holds no ~


def numbered(name, taken):
    """The name, or the name with the first number that makes it new: x, x-2, x-3, …"""
    candidates = (name if n == 1 else f"{name}-{n}" for n in range(1, len(taken) + 2))
    return next(candidate for candidate in candidates if candidate not in taken)
