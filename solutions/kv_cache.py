"""A cache of keys and values, and attention that goes on with it token by token: incremental inference (Shazeer 2019)."""

import torch

from solutions.multi_head import MultiHeadAttention, attention, merge_heads, split_heads


def kv_cache_bytes(n_layers, n_kv_heads, d_head, seq_len, batch_size=1, bytes_per_element=2):
    """How many bytes the keys and values of a batch of sequences take in all layers of a model; a whole number."""
    numbers_per_token = 2 * n_layers * n_kv_heads * d_head  # 2: a key and a value
    return numbers_per_token * seq_len * batch_size * bytes_per_element


class KVCache:
    """Keys and values of one layer: room for max_len tokens, filled from the front.

    keys, values (B, G, max_len, Dh): made once, so that a new token moves none of the earlier ones. The first len(self) tokens count.
    """

    def __init__(self, batch_size, n_kv_heads, max_len, d_head, dtype=torch.float32, device="cpu"):
        check_sizes(n_kv_heads, d_head)
        self.keys = torch.zeros(batch_size, n_kv_heads, max_len, d_head, dtype=dtype, device=device)  # (B, G, max_len, Dh)
        self.values = torch.zeros_like(self.keys)
        self.length = 0

    def __len__(self):
        """How many tokens are held."""
        return self.length

    def append(self, k, v):
        """Take in the keys and values of new tokens, and give back those of all tokens.

        k, v (B, G, t, Dh), of any dtype. Returns (keys, values), each (B, G, S, Dh) in the cache's dtype: S tokens are held now,
        and the new ones are the last. These are views of the cache, for reading only; later tokens go behind them and change nothing in them.
        Raises ValueError, naming the two numbers, where sizes disagree or more than max_len tokens would be held; the cache is then
        as it was before.
        """
        check_tokens(k, v, self.keys.shape, self.length)
        start, end = self.length, self.length + k.shape[2]
        self.keys[:, :, start:end] = k
        self.values[:, :, start:end] = v
        self.length = end
        return self.keys[:, :, :end], self.values[:, :, :end]  # (B, G, S, Dh)


def check_sizes(n_kv_heads, d_head):
    """Raise ValueError unless there is a head, and a number in it."""
    if n_kv_heads < 1 or d_head < 1:
        raise ValueError(f"a cache needs a head and numbers in it, and not {n_kv_heads} heads of {d_head} numbers")


def check_tokens(k, v, shape, length):
    """Raise ValueError, with the two numbers, unless k and v fit into a cache of shape (B, G, max_len, Dh) that holds `length` tokens."""
    for name, x in (("keys", k), ("values", v)):
        for axis, what in ((0, "sequences"), (1, "heads"), (3, "numbers a head")):
            if x.shape[axis] != shape[axis]:
                raise ValueError(f"the cache is for {shape[axis]} {what}, and there are {name} of {x.shape[axis]}")
    if k.shape[2] != v.shape[2]:
        raise ValueError(f"there are keys of {k.shape[2]} tokens, but values of {v.shape[2]}")
    if length + k.shape[2] > shape[2]:
        raise ValueError(f"{length} + {k.shape[2]} = {length + k.shape[2]} tokens are more than the cache can hold, max_len {shape[2]}")


class CachedAttention(MultiHeadAttention):
    """Causal self-attention which can go on where it stopped. Arguments and weights are those of MultiHeadAttention."""

    def forward(self, x, cache=None):
        """x (B, T, D): the next T tokens of each sequence. Returns (B, T, D).

        cache: a KVCache with what came before, possibly nothing. The new tokens are added to it, so that a sequence can be handed over
        in pieces of any length; the outputs are those of the whole. None: x is the whole sequence.
        Decode under torch.no_grad(): otherwise PyTorch keeps every step.
        """
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))  # (B, H, T, Dh) each
        if cache is not None:  # not `if cache`: an empty one has length 0, and is still a cache
            k, v = cache.append(k, v)  # (B, H, S, Dh)
        n_queries, n_keys = q.shape[-2], k.shape[-2]
        mask = torch.ones(n_queries, n_keys, dtype=torch.bool, device=x.device).tril(n_keys - n_queries)  # (T, S): j ≤ i + (S − T)
        return self.w_o(merge_heads(attention(q, k, v, mask)))  # (B, T, D)
