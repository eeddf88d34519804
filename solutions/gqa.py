"""Grouped-query attention: several query heads share one key/value head (Ainslie et al. 2023)."""

from torch import nn

from solutions.multi_head import attention, check_heads, merge_heads, result_dtype, split_heads, working_dtype


def repeat_kv(x, n_repeats):
    """Give each query head the key/value head of its group, by repeating every head n_repeats times in a row.

    x (B, G, S, Dh). Returns (B, G·n_repeats, S, Dh): head h is a copy of head h // n_repeats.
    Raises ValueError where n_repeats is less than 1.
    """
    if n_repeats < 1:
        raise ValueError(f"heads cannot be repeated {n_repeats} times, 1 is the least")
    return x.repeat_interleave(n_repeats, dim=-3)  # (B, G, S, Dh) → (B, G·n, S, Dh)


class GroupedQueryAttention(nn.Module):
    """Self-attention whose n_heads query heads share n_kv_heads key/value heads in consecutive groups (Ainslie et al. 2023, section 2.2).

    Weights, each nn.Linear, with Dh = d_model / n_heads: w_q and w_o d_model → d_model, w_k and w_v d_model → n_kv_heads·Dh.
    Raises ValueError, naming the two numbers, where d_model is no multiple of n_heads, or n_heads none of n_kv_heads.
    """

    def __init__(self, d_model, n_heads, n_kv_heads, bias=False):
        super().__init__()
        check_heads(d_model, n_heads)
        check_groups(n_heads, n_kv_heads)
        d_head = d_model // n_heads
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, n_kv_heads * d_head, bias=bias)
        self.w_v = nn.Linear(d_model, n_kv_heads * d_head, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None):
        """x (B, T, D), mask None or boolean, broadcastable to (B, H, T, T). Returns (B, T, D)."""
        q = split_heads(self.w_q(x), self.n_heads)  # (B, H, T, Dh)
        k, v = (split_heads(w(x), self.n_kv_heads) for w in (self.w_k, self.w_v))  # (B, G, T, Dh) each
        k, v = (repeat_kv(heads, self.n_heads // self.n_kv_heads) for heads in (k, v))  # (B, H, T, Dh) each
        return self.w_o(merge_heads(attention(q, k, v, mask)))  # (B, T, D)


def check_groups(n_heads, n_kv_heads):
    """Raise ValueError, with the two numbers that disagree, unless n_heads query heads fall into n_kv_heads groups of one size."""
    if n_kv_heads < 1 or n_heads % n_kv_heads:
        raise ValueError(f"{n_heads} query heads cannot be shared out among {n_kv_heads} key/value heads")


def pool_kv_heads(weight, n_heads, n_kv_heads):
    """The key or value projection of a grouped model, made from that of a multi-head model: each group's mean (Ainslie et al. 2023, section 2.1).

    weight (H·Dh, D), rows h·Dh to (h + 1)·Dh − 1 head h's. Returns (G·Dh, D) in `result_dtype(weight)`, computed in `working_dtype(weight)`.
    Raises ValueError, naming the two numbers, where the rows are no multiple of n_heads, or n_heads none of n_kv_heads.
    """
    check_heads(weight.shape[0], n_heads)
    check_groups(n_heads, n_kv_heads)
    heads = weight.to(working_dtype(weight)).unflatten(0, (n_kv_heads, n_heads // n_kv_heads, -1))  # (H·Dh, D) → (G, n, Dh, D)
    return heads.mean(dim=1).flatten(0, 1).to(result_dtype(weight))  # (G, Dh, D) → (G·Dh, D)
