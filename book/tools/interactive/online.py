"""The online softmax of chapter 9, tile by tile: the scores of its picture, the values of its small example."""

import numpy as np
from sphinx.locale import _

from book.tools.interactive.markup import decimal, table

TILES = (1, 2, 4, 8)
START = {"tile": 4}


def data(cells, language: str) -> dict:
    """One query's scores, and a value for each key."""
    cells.run("values").run("picture")
    scores = cells["picture"][0]
    values = np.resize(cells["values"], len(scores))
    return {"scores": scores.tolist(), "values": values.tolist(), "tiles": TILES, "start": START, "language": language, "text": words()}


def steps(scores, values, tile: int) -> list[dict]:
    """After each tile: the largest score m, the factor of the earlier sums, the sums l and u, and the output so far."""
    scores, values = np.asarray(scores), np.asarray(values)
    m, l, u, found = -np.inf, 0.0, 0.0, []
    for begin in range(0, len(scores), tile):
        block = slice(begin, begin + tile)
        larger = max(m, scores[block].max())
        shrink = np.exp(m - larger)
        powers = np.exp(scores[block] - larger)
        l, u, m = shrink * l + powers.sum(), shrink * u + powers @ values[block], larger
        found.append({"m": float(m), "shrink": float(shrink), "l": float(l), "u": float(u), "output": float(u / l)})
    return found


def still(data: dict) -> str:
    """All steps as a table."""
    text, tile = data["text"], data["start"]["tile"]
    rows = [[number, *(decimal(step[name], 3, data["language"]) for name in ("m", "shrink", "l", "u", "output"))]
            for number, step in enumerate(steps(data["scores"], data["values"], tile), 1)]
    rows[0][2] = "–"  # there is nothing yet to shrink
    return table([text["tile"], "m", "e^(m − m′)", "ℓ", "u", "u / ℓ"], rows, "interactive-numbers", text["caption"])


def words() -> dict:
    """What the figure says, in the page's language."""
    return {
        "title": _("Try it: a softmax, tile by tile"),
        "caption": _("What is kept after each tile: largest score m, sums ℓ and u; before it, the factor of what was summed earlier"),
        "tile": _("tile"),
        "size": _("Keys in a tile"),
        "previous": _("Previous"),
        "next": _("Next"),
        "play": _("Play"),
        "pause": _("Pause"),
        "reset": _("Back to the beginning"),
        "bars": _("The terms e^(s − m) of the keys so far, and below them the scores s"),
        "empty": _("Nothing has been taken in yet: m = −∞, ℓ = 0, u = 0."),
        "first": _("Tile {step} of {steps}, the first: there is nothing to multiply yet. m = {m}, ℓ = {l}, u = {u}."),
        "same": _("Tile {step} of {steps}: no larger score, so nothing shrinks. m = {m}, ℓ = {l}, u = {u}."),
        "shrunk": _("Tile {step} of {steps}: a larger score, so what was summed before is multiplied by {shrink}. m = {m}, ℓ = {l}, u = {u}."),
        "done": _("The output is u / ℓ = {output}. The softmax over all keys at once gives {whole}."),
    }
