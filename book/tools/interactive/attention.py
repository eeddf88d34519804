"""The attention explorer of chapter 1: the chapter's four heads, with temperature, scale and mask to move."""

import numpy as np
from sphinx.locale import _

from book.tools.interactive.markup import decimal, table

WINDOW = 3  # tokens, as in chapter 2
START = {"head": 3, "query": 0, "mask": "none", "temperature": 1.0, "exponent": 0.5}


def data(cells, language: str) -> dict:
    """The scores q · k of each head before any division, its tokens and its width."""
    cells.run("row_softmax").run("weights_random")
    x, w_q, w_k = cells["x"], cells["w_q"], cells["w_k"]
    plain, random = cells["titles"]
    sentence = cells["tokens"]
    heads = [head(plain, _("The sentence"), sentence, x, x), head(random, _("The sentence"), sentence, x @ w_q, x @ w_k)]
    for name in ("day_vectors", "menu_head", "train", "untrained", "slips"):
        cells.run(name)
    for title, w in zip(cells["titles"], (cells["untrained"], cells["trained"])):
        menu = cells["x"][0]
        heads.append(head(title, _("The menu"), cells["slips"], menu @ w["q"], menu @ w["k"]))
    return {"heads": heads, "window": WINDOW, "start": START, "language": language, "text": words()}


def head(name: str, group: str, tokens, q: np.ndarray, k: np.ndarray) -> dict:
    """One head; scores rounded so that the page stays small."""
    return {"name": name, "group": group, "tokens": list(tokens), "d": q.shape[-1], "scores": np.round(q @ k.T, 4).tolist()}


def mask(kind: str, n_tokens: int) -> np.ndarray:
    """Which key a query may see, as chapter 2 writes it."""
    i, j = np.arange(n_tokens)[:, None], np.arange(n_tokens)
    if kind == "none":
        return np.ones((n_tokens, n_tokens), bool)
    return (j <= i) & (i - j < (WINDOW if kind == "window" else n_tokens))


def weights(chosen: dict, kind: str, temperature: float, exponent: float, row_softmax) -> np.ndarray:
    """All weights of a head, by the chapter's own softmax."""
    scores = np.array(chosen["scores"]) / (temperature * chosen["d"] ** exponent)
    return row_softmax(np.where(mask(kind, len(scores)), scores, -np.inf))


def plain_softmax(scores: np.ndarray) -> np.ndarray:
    """The chapter's row_softmax, for the still picture; a test compares the two."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def still(data: dict) -> str:
    """The weights of the trained head as a table coloured like the chapter's heatmaps."""
    start, chosen, text = data["start"], data["heads"][data["start"]["head"]], data["text"]
    found = weights(chosen, start["mask"], start["temperature"], start["exponent"], plain_softmax)
    rows = [[token, *((decimal(weight, 2, data["language"]), f'style="--w:{weight:.3f}"') for weight in line)]
            for token, line in zip(chosen["tokens"], found)]
    return table([text["corner"], *((token, "") for token in chosen["tokens"])], rows, "interactive-heatmap", text["caption"])


def words() -> dict:
    """What the figure says, in the page's language."""
    return {
        "title": _("Try it: one head, row by row"),
        "caption": _("Attention weights: a row for each query, a column for each key"),
        "corner": _("query \\ key"),
        "head": _("Head"),
        "mask": _("Mask"),
        "none": _("none"),
        "causal": _("causal"),
        "window": _("causal, the last {n} tokens"),
        "temperature": _("Temperature τ"),
        "exponent": _("Scale: exponent p"),
        "formula": _("The scores are divided by τ · dᵖ. Here d = {d}, so that is {divisor}."),
        "said": _("“{query}” listens most to “{key}”: {weight}. Its weights are as spread out as over {spread} equal keys."),
        "reset": _("Back to the beginning"),
        "row": _("The row of “{query}”"),
    }
