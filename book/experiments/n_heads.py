"""How many heads? The same width, the same number of weights, 1 to 16 heads, on two tasks: one that asks four things at once, one that asks for one.

    python -m book.experiments.n_heads        writes n_heads.json beside this file; a few minutes on one core

four questions: slips with a month and a dish, shuffled; each slip has to say the dishes of four other months. One layer.
repeats: a random tune after a random beginning, over and over; the next note has to be said wherever it has been heard before. Two layers.
"""

import json
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, HEADS, SEEDS = 64, (1, 2, 4, 8, 16), range(5)
MONTHS, DISHES, OFFSETS = 12, 8, (1, -1, 2, 5)
NOTES, LENGTH = 24, 32


class Heads(nn.Module):
    """n_heads heads at one width. `place` is added to the input of queries and keys alone."""

    def __init__(self, width, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x, place=0.0, mask=None):
        """x (B, T, D), place broadcastable to it. Returns (B, T, D)."""
        q, k, v = (w(y).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for w, y in ((self.w_q, x + place), (self.w_k, x + place), (self.w_v, x)))
        scores = q @ k.mT / math.sqrt(q.shape[-1])  # (B, H, T, T)
        scores = scores if mask is None else scores.masked_fill(~mask, -math.inf)
        return self.w_o((scores.softmax(-1) @ v).transpose(1, 2).flatten(-2))


class FourQuestions(nn.Module):
    """One layer; each slip answers four questions."""

    def __init__(self, n_heads):
        super().__init__()
        self.month, self.dish = nn.Embedding(MONTHS, WIDTH), nn.Embedding(DISHES, WIDTH)
        self.heads, self.answer = Heads(WIDTH, n_heads), nn.Linear(WIDTH, len(OFFSETS) * DISHES)

    def forward(self, month, dish):
        """month, dish (B, T). Returns (B, T, 4, DISHES)."""
        return self.answer(self.heads(self.month(month) + self.dish(dish))).unflatten(-1, (len(OFFSETS), DISHES))


def draw_slips(n, generator):
    """Shuffled slips: month, dish (n, MONTHS), and the right answers (n, MONTHS, 4)."""
    month = torch.rand(n, MONTHS, generator=generator).argsort(1)
    of_month = torch.randint(DISHES, (n, MONTHS), generator=generator)
    asked = torch.stack([(month + offset) % MONTHS for offset in OFFSETS], -1)  # (n, MONTHS, 4)
    return month, of_month.gather(1, month), of_month[:, None].expand(-1, MONTHS, -1).gather(2, asked)


def four_questions(n_heads, seed, n_steps=300, batch=64):
    """The share of right answers on new slips after training."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(1000 + seed)
    model = FourQuestions(n_heads)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(n_steps):
        month, dish, answer = draw_slips(batch, generator)
        loss = F.cross_entropy(model(month, dish).flatten(0, 2), answer.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        month, dish, answer = draw_slips(1000, torch.Generator().manual_seed(1))
        return (model(month, dish).argmax(-1) == answer).float().mean().item()


class Repeats(nn.Module):
    """Two layers of attention and nothing else."""

    def __init__(self, n_heads):
        super().__init__()
        self.note, self.place = nn.Embedding(NOTES, WIDTH), nn.Parameter(torch.randn(LENGTH, WIDTH) / 2)
        self.layers = nn.ModuleList(Heads(WIDTH, n_heads) for _ in range(2))
        self.next = nn.Linear(WIDTH, NOTES, bias=False)

    def forward(self, notes):
        """notes (B, LENGTH). Returns (B, LENGTH, NOTES)."""
        x = self.note(notes)
        for layer in self.layers:
            x = x + layer(x, self.place, torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril())
        return self.next(x)


def draw_tunes(n, generator):
    """Notes (n, LENGTH + 1), and where the next one has been heard before, (n, LENGTH)."""
    notes = torch.rand(n, NOTES, generator=generator).argsort(1)  # all different
    period = torch.randint(4, 9, (n, 1), generator=generator)
    before = torch.minimum(torch.randint(0, 17, (n, 1), generator=generator), NOTES - period)
    t = torch.arange(LENGTH + 1)
    return notes.gather(1, torch.where(t < before, period + t, (t - before) % period)), t[:-1] >= before + period


def repeats(n_heads, seed, n_steps=250, batch=64):
    """The loss (nats a note) on new tunes after training, where the next note has been heard before."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(1000 + seed)
    model = Repeats(n_heads)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(n_steps):
        loss = loss_of(model, *draw_tunes(batch, generator))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        return loss_of(model, *draw_tunes(1000, torch.Generator().manual_seed(1))).item()


def loss_of(model, notes, known):
    """Mean loss over the notes that can be known."""
    losses = F.cross_entropy(model(notes[:, :-1]).mT, notes[:, 1:], reduction="none")
    return (losses * known).sum() / known.sum()


def main():
    """Run everything and write the results."""
    torch.set_num_threads(1)
    results = {"n_heads": list(HEADS), "four_questions": [], "repeats": []}
    for n_heads in HEADS:
        results["four_questions"].append([round(four_questions(n_heads, seed), 4) for seed in SEEDS])
        results["repeats"].append([round(repeats(n_heads, seed), 4) for seed in SEEDS])
        print(n_heads, results["four_questions"][-1], results["repeats"][-1], flush=True)
    Path(__file__).with_suffix(".json").write_text(json.dumps(results) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
