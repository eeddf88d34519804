"""Held-out loss against cached numbers a token, for MHA, GQA, MQA and MLA at one budget of parameters, steps and text.

    python -m book.experiments.variants     about 10 minutes on one core; writes variants.json beside this file

What attention saves in parameters goes to the width of the small network behind it, so that all models are equally large. Each seed draws
the first weights and the batches; all variants see the same batches of a seed, so that differences may be taken seed by seed.
"""

import json
import time
from pathlib import Path

import torch

from book.experiments import model, text
from solutions.mla import MultiHeadLatentAttention

D_MODEL, N_HEADS, D_HEAD, N_LAYERS, D_HIDDEN = 128, 8, 16, 2, 512
D_ROPE, BASE = 8, 100.0  # in 64 tokens the slowest pair of the usual base, 10,000, would hardly turn
SETTINGS = {"n_steps": 800, "n_windows": 8, "n_tokens": 64, "rate": 4e-3}
SEEDS = range(3)


def shared(n_kv_heads):
    """A variant with n_kv_heads heads of keys and values: what it caches a token and layer, and how its layer is made."""
    return 2 * n_kv_heads * D_HEAD, lambda: model.RotaryAttention(D_MODEL, N_HEADS, n_kv_heads, BASE)


def latent(d_latent):
    """A variant with a latent of d_latent numbers."""
    return d_latent + D_ROPE, lambda: MultiHeadLatentAttention(D_MODEL, N_HEADS, D_HEAD, d_latent, D_ROPE, BASE)


VARIANTS = {
    "MHA": shared(8),
    "GQA, G = 4": shared(4),
    "GQA, G = 2": shared(2),
    "MQA": shared(1),
    "MLA, R = 22": latent(22),
}


def build(n_characters, d_hidden, make_attention):
    """A fresh model."""
    return model.CharacterModel(n_characters, D_MODEL, N_LAYERS, d_hidden, make_attention)


def hidden_width(n_characters, make_attention):
    """The width of the small network that brings a model to the size of the one with MHA."""
    target = model.n_parameters(build(n_characters, D_HIDDEN, VARIANTS["MHA"][1]))
    narrow, wide = (model.n_parameters(build(n_characters, width, make_attention)) for width in (1, 2))
    return 1 + round((target - narrow) / (wide - narrow))


def run(name, seed):
    """Train one model; returns (parameters, hidden width, held-out bits, bits on as much of the training text)."""
    train, held_out, alphabet = text.load()
    _, make_attention = VARIANTS[name]
    d_hidden = hidden_width(len(alphabet), make_attention)
    torch.manual_seed(seed)
    trained = build(len(alphabet), d_hidden, make_attention)
    model.train(trained, train, text.draw_batch, **SETTINGS, seed=seed)
    losses = [model.held_out_bits(trained, numbers, SETTINGS["n_tokens"]) for numbers in (held_out, train[: len(held_out)])]
    return model.n_parameters(trained), d_hidden, *losses


def main():
    torch.set_num_threads(1)
    found = {name: {"cached": cached, "bits": [], "train_bits": []} for name, (cached, _) in VARIANTS.items()}
    for seed in SEEDS:
        for name, entry in found.items():
            begun = time.perf_counter()
            entry["parameters"], entry["d_hidden"], held_out, train = run(name, seed)
            entry["bits"].append(round(held_out, 4))
            entry["train_bits"].append(round(train, 4))
            print(f"{name}, seed {seed}: {held_out:.4f} bits, {time.perf_counter() - begun:.0f} s", flush=True)
    Path(__file__).with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
