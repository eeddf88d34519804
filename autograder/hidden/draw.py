"""Random inputs of the hidden tests, drawn after the student's code has been loaded."""

import hashlib

import numpy as np


def seed_for(secret, seed, assignment, test):
    """The seed of one test: from the run's seed and the course's secret, so that nobody without the secret can compute the inputs."""
    text = "\0".join(map(str, (secret, seed, assignment, test)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")


class Draw:
    """Draws sizes, numbers and masks. The same seed gives the same draws in the same order."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def size(self, low, high):
        """A whole number from low to high, high excluded."""
        return int(self.generator.integers(low, high))

    def index(self, n):
        """A place in 0…n − 1."""
        return self.size(0, n)

    def different_sizes(self, n, low, high):
        """n sizes from low to high (excluded), no two alike."""
        return [int(size) for size in self.generator.choice(np.arange(low, high), n, replace=False)]

    def normal(self, shape):
        """Standard normal numbers, float64."""
        return self.generator.normal(size=shape)

    def integers(self, low, high, shape):
        """Whole numbers from low to high (excluded), int64."""
        return self.generator.integers(low, high, shape)

    def qkv(self, n_queries, n_keys, d_head, d_value):
        """q (L, Dh), k (S, Dh) and v (S, Dv)."""
        return self.normal((n_queries, d_head)), self.normal((n_keys, d_head)), self.normal((n_keys, d_value))

    def mask(self, shape):
        """A boolean mask in which every row has a key that may be seen and, from two keys on, one that may not."""
        mask = self.generator.random(shape) < 0.5
        seen = self.generator.integers(0, shape[-1], shape[:-1])
        np.put_along_axis(mask, seen[..., None], True, axis=-1)
        np.put_along_axis(mask, ((seen + 1) % shape[-1])[..., None], shape[-1] == 1, axis=-1)
        return mask
