"""Puts together what a cell has printed, letter for letter.

It comes in pieces that may end anywhere. MyST-NB's own merging takes the end of each piece for the end of a line.
"""

from myst_nb.core import render


def joined(outputs: list) -> list:
    """A cell's outputs with all that it has printed in the place of the first piece, and what it has printed as errors likewise."""
    found, first = [], {}
    for output in outputs:
        name = output.get("name") if output["output_type"] == "stream" else None
        if name in first:
            first[name]["text"] += output["text"]
        else:
            found.append(output)
            if name is not None:
                first[name] = output
    for output in first.values():
        output["text"] = output["text"].rstrip() + "\n"
    return found


def setup(app):
    render.coalesce_streams = joined
    return {"parallel_read_safe": True, "parallel_write_safe": True}
