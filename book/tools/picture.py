"""The picture that goes with a shared address: 1200 × 630 pixels, the book's title in the language and a causal map of attention."""

import hashlib
from pathlib import Path

import numpy as np

from book.tools.paths import BUILD, FONTS

SIZE, DPI = (12.0, 6.3), 100
INK, PAPER, ACCENT = "#1c2430", "#fbfbf9", "#0b6e99"
N_TOKENS, N_HEADS, SEED = 9, 3, 7


def drawn(title: str) -> Path:
    """The picture as a PNG file under `_build/`, drawn where it is not there yet."""
    mark = hashlib.sha256(title.encode() + Path(__file__).read_bytes()).hexdigest()
    path = BUILD / "pictures" / f"{mark}.png"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        draw(title, fresh)
        fresh.replace(path)
    return path


def draw(title: str, target: Path) -> None:
    """Write the picture as PNG to a path."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # takes a second, which a build that has its pictures can save
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

    figure = Figure(figsize=SIZE, dpi=DPI, facecolor=PAPER)
    FigureCanvasAgg(figure)
    chinese = next(iter(sorted(FONTS.glob("*.otf"))), None)
    is_chinese = chinese and max(title) > "\u3000"
    font = FontProperties(fname=str(chinese)) if is_chinese else FontProperties(weight="bold")
    lines = broken(title)
    figure.text(0.07, 0.60, lines, color=INK, fontproperties=font, fontsize=46, va="center", linespacing=1.25)
    generator = np.random.default_rng(SEED)
    for head in range(N_HEADS):
        axes = figure.add_axes([0.07 + 0.3 * head, 0.08, 0.26, 0.26])
        axes.imshow(weights(generator), cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axes.set(xticks=[], yticks=[])
        for spine in axes.spines.values():
            spine.set_color(ACCENT)
    figure.savefig(target, format="png", facecolor=PAPER)


def weights(generator):
    """Causal attention weights of one head, (T, T)."""
    scores = np.where(np.tri(N_TOKENS, dtype=bool), 2.2 * generator.normal(size=(N_TOKENS, N_TOKENS)), -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def broken(title: str) -> str:
    """A title on two lines, broken behind its comma or colon."""
    for sign in ("：", ": ", ", "):
        if sign in title:
            first, rest = title.split(sign, 1)
            return f"{first}{sign.rstrip()}\n{rest}"
    return title
