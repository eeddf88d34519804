"""Printing on whatever terminal, pipe or file there is: not all of them take UTF-8."""

import sys


def say(text, stream=None, end="\n", flush=False):
    """Print on the stream, or the standard output; a character that it has no code for is spelt out."""
    stream = stream or sys.stdout
    print(spelt(text, stream), end=end, file=stream, flush=flush)


def spelt(text, stream):
    """The text as the stream can take it: a character that it has no code for as \\xe5 or \\u2588."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
