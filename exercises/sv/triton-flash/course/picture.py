"""Heatmaps of the expected result, the student's and where they differ. They hold numbers only: the words stand beside them."""

import base64
import io
from dataclasses import dataclass

import numpy as np

GREY = "#808080"  # of ticks: legible on a white page and on a black one
NUMBERS_UP_TO = 64  # cells; more are shown by colour alone
CELLS_UP_TO = 64  # rows or columns
LARGEST = 1e30  # beyond it, colours are not computed


@dataclass(frozen=True)
class Picture:
    """One heatmap as a PNG in a data address."""

    address: str
    width: int  # CSS pixels


@dataclass(frozen=True)
class Pictures:
    """The three heatmaps, and the index of the slice that they show ("" for a whole matrix)."""

    expected: Picture
    came: Picture
    differing: Picture
    index: str


def pictures(found):
    """The Pictures of a difference in values, or None where it is no matrix of a few rows and columns at least, or too large."""
    if found.where is None or found.where.ndim < 2:
        return None
    index, expected, came, where = _slice(found)
    if min(expected.shape) < 2 or expected.size < 6 or max(expected.shape) > CELLS_UP_TO:
        return None
    try:
        import matplotlib.figure  # noqa: F401  (without pyplot: no windows, no global state)
    except ImportError:
        return None
    low, high = _limits(expected)
    ours = _draw(expected.astype(float), "cividis", low, high)
    theirs = _draw(came.astype(float), "cividis", low, high, where)
    return Pictures(ours, theirs, _draw(_apart(expected, came, where), "Reds", 0), index)


def _slice(found):
    """The matrix with the most differing entries: (its index as text, expected, came, where)."""
    shape = [n for n in found.where.shape if n != 1]
    while len(shape) < 2:
        shape.insert(0, 1)
    expected, came, where = (x.reshape(shape) for x in (found.expected, found.came, found.where))
    counts = where.sum(axis=(-2, -1))
    at = np.unravel_index(int(np.argmax(counts)), counts.shape) if counts.ndim else ()
    whole = np.unravel_index(int(np.argmax(found.where.sum(axis=(-2, -1)))), found.where.shape[:-2]) if at else ()
    return "[" + ", ".join(str(i) for i in whole) + "]" if at else "", expected[at], came[at], where[at]


def _limits(expected):
    finite = expected[np.isfinite(expected)] if expected.dtype != bool else np.array([0, 1])
    return (float(min(finite.min(), 0)), float(max(finite.max(), 1e-9))) if finite.size else (0.0, 1.0)


def _apart(expected, came, where):
    """The size of the difference; NaN where one of the two is not finite."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(came.astype(float) - expected.astype(float))
    return np.where(where, np.where(np.isfinite(apart), apart, np.nan), 0)


def _draw(matrix, colours, low, high=None, marked=None):
    from matplotlib import colormaps
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    rows, columns = matrix.shape
    side = min(0.55, 3.2 / columns)  # inches a cell
    figure = Figure(figsize=(columns * side + 0.4, rows * side + 0.35), dpi=192)
    width, height = figure.get_size_inches()
    axes = figure.add_axes((0.32 / width, 0.06 / height, columns * side / width, rows * side / height))
    high = high if high is not None else max(float(np.nanmax(matrix, initial=0)), 1e-9)
    palette = colormaps[colours].with_extremes(bad="#d0d0d0")
    image = axes.imshow(np.ma.masked_invalid(matrix).clip(-LARGEST, LARGEST), cmap=palette, vmin=low, vmax=min(high, LARGEST))
    if matrix.size <= NUMBERS_UP_TO:
        for (i, j), x in np.ndenumerate(matrix):
            red, green, blue, _ = image.cmap(image.norm(np.clip(x, -LARGEST, LARGEST))) if np.isfinite(x) else (0.8, 0.8, 0.8, 1)
            ink = "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"
            axes.text(j, i, _short(x), ha="center", va="center", color=ink, fontsize=8, family="DejaVu Sans")
    if marked is not None:
        for i, j in np.argwhere(marked):
            axes.add_patch(Rectangle((j - 0.47, i - 0.47), 0.94, 0.94, fill=False, edgecolor="#d1242f", linewidth=1.6))
    _ticks(axes, rows, columns)
    return _png(figure)


def _short(x):
    if not np.isfinite(x):
        return {"nan": "NaN", "inf": "∞", "-inf": "−∞"}[str(float(x))]
    if x == int(x) and abs(x) < 1000:
        return str(int(x))
    return f"{x:.2f}" if 0.005 <= abs(x) < 100 else f"{x:.0e}".replace("e-0", "e-").replace("e+0", "e")


def _ticks(axes, rows, columns):
    axes.set_xticks(range(0, columns, max(1, columns // 8)))
    axes.set_yticks(range(0, rows, max(1, rows // 8)))
    axes.xaxis.tick_top()
    axes.tick_params(length=0, colors=GREY, labelsize=7, labelfontfamily="DejaVu Sans")
    for spine in axes.spines.values():
        spine.set_visible(False)


def _png(figure):
    file = io.BytesIO()
    figure.savefig(file, format="png", transparent=True)
    return Picture("data:image/png;base64," + base64.b64encode(file.getvalue()).decode(), round(figure.get_figwidth() * 96))
