"""The split and merge of heads in chapter 3: its block of numbered features, for every number of heads that divides it."""

import numpy as np
from sphinx.locale import _

from book.tools.interactive.markup import table

START = {"heads": 2, "stage": 0, "way": "right"}
STAGES = ("whole", "cut", "apart", "merged")


def data(cells, language: str) -> dict:
    """The block, (T, D), and the numbers of heads; with a single one there is nothing to split."""
    x = cells.run("wrong")["x"]
    heads = [each for each in range(2, x.shape[1] + 1) if x.shape[1] % each == 0]
    return {"x": x.tolist(), "heads": heads, "start": START, "language": language, "text": words()}


def stages(x, n_heads: int, way: str) -> list[np.ndarray]:
    """The array at each stage: whole, cut, apart and merged. The wrong way reshapes at once, and merges as one should."""
    x = np.asarray(x)
    n_tokens, d_model = x.shape
    d_head = d_model // n_heads
    cut = x.reshape(n_tokens, n_heads, d_head) if way == "right" else x
    apart = cut.swapaxes(0, 1) if way == "right" else x.reshape(n_heads, n_tokens, d_head)
    return [x, cut, apart, apart.swapaxes(0, 1).reshape(n_tokens, d_model)]


def still(data: dict) -> str:
    """The block and, beside it, its heads."""
    x, text, n_heads = data["x"], data["text"], data["start"]["heads"]
    heads = stages(x, n_heads, "right")[2]
    tables = [grid("x", x)] + [grid(text["head"].format(n=n), head) for n, head in enumerate(heads)]
    return f'<div class="interactive-side">{"".join(tables)}</div>'


def grid(name: str, numbers) -> str:
    """A block of numbers with its name; a row for each token."""
    rows = [[f"t = {t}", *(f"{number:02d}" for number in line)] for t, line in enumerate(numbers)]
    return table(["t \\ f", *range(len(numbers[0]))], rows, "interactive-grid", name)


def words() -> dict:
    """What the figure says, in the page's language."""
    return {
        "title": _("Try it: split and merge"),
        "head": _("head {n}"),
        "heads": _("Heads"),
        "way": _("Way"),
        "right": _("split, then exchange the axes"),
        "wrong": _("reshape at once (wrong)"),
        "stage": _("Step"),
        "previous": _("Previous"),
        "next": _("Next"),
        "memory": _("In memory, one after another"),
        "order": _("In memory, with shape {shape}: {numbers}."),
        "of_head": _("head {n}: {numbers}"),
        "comma": _(", "),
        "semicolon": _("; "),
        "whole": _("One block of shape {shape}: a row for each token. Number 23 is feature 3 of token 2."),
        "cut": _("Shape {shape}: each row is cut into heads. In memory nothing has moved."),
        "uncut": _("Still {shape}. The colours show where the numbers will go."),
        "apart": _("Shape {shape}: the axes are exchanged, heads come before tokens. Each head has all tokens, and row after row the numbers stand in another order."),
        "apart_wrong": _("Shape {shape}, as it should be, but in memory nothing has moved: a head has got numbers of some tokens only."),
        "merged": _("Back to {shape}: exchanged and joined, everything is in its place again."),
        "merged_wrong": _("Back to {shape}: joined as one should, and the numbers are in the wrong places."),
    }
