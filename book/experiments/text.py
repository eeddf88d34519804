"""The text that the course's character models learn: Lewis Carroll, *Alice's Adventures in Wonderland* (1865).

alice.txt is alice29.txt of the Canterbury corpus (the Millennium Fulcrum edition 2.9), as it lies among the test data of Brotli 1.2.1, with
Unix line ends, without the blank lines before the title and the control character at the end. The book is in the public domain.
"""

from pathlib import Path

import torch

PLACE = Path(__file__).with_name("alice.txt")
HELD_OUT = 0.1  # the share at the end of the book that no model is trained on


def load():
    """(train, held_out, alphabet): two tensors of whole numbers, each the place of a character in the sorted alphabet."""
    text = PLACE.read_text(encoding="ascii")
    alphabet = "".join(sorted(set(text)))
    numbers = torch.tensor([alphabet.index(character) for character in text])
    n_train = round(len(numbers) * (1 - HELD_OUT))
    return numbers[:n_train], numbers[n_train:], alphabet


def draw_batch(numbers, n_windows, n_tokens, generator):
    """Random windows of a text: (inputs, targets), each (n_windows, n_tokens); a target is the character after its input."""
    starts = torch.randint(len(numbers) - n_tokens, (n_windows, 1), generator=generator)
    windows = numbers[starts + torch.arange(n_tokens + 1)]  # (n_windows, n_tokens + 1)
    return windows[:, :-1], windows[:, 1:]
