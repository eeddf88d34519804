"""Multi-query attention: all query heads share one key/value head (Shazeer 2019)."""

from torch import nn

from solutions.gqa import check_groups
from solutions.multi_head import attention, check_heads, merge_heads, split_heads


class MultiQueryAttention(nn.Module):
    """Self-attention with n_heads query heads and a single key/value head (Shazeer 2019, section 3).

    Weights, each nn.Linear, with Dh = d_model / n_heads: w_q and w_o d_model → d_model, w_k and w_v d_model → Dh.
    Raises ValueError, naming the two numbers, where d_model is no multiple of n_heads.
    """

    def __init__(self, d_model, n_heads, bias=False):
        super().__init__()
        check_heads(d_model, n_heads)
        d_head = d_model // n_heads
        self.n_heads = n_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_head, bias=bias)
        self.w_v = nn.Linear(d_model, d_head, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None):
        """x (B, T, D), mask None or boolean, broadcastable to (B, H, T, T). Returns (B, T, D)."""
        q = split_heads(self.w_q(x), self.n_heads)  # (B, H, T, Dh)
        k, v = (split_heads(w(x), 1) for w in (self.w_k, self.w_v))  # (B, 1, T, Dh) each: the 1 broadcasts over the heads
        return self.w_o(merge_heads(attention(q, k, v, mask)))  # (B, T, D)


def decode_step(q, keys, values):
    """Attention of one new token's H queries to all S tokens so far, without a copy of keys or values for each head.

    q (B, H, 1, Dh), keys (B, 1, S, Dh), values (B, 1, S, Dv), the new token's included. Returns (B, H, 1, Dv) in `result_dtype(q)`.
    Raises ValueError, naming the two numbers, where q is of more than one token, keys or values of more than one head, or sizes disagree.
    """
    if q.shape[2] != 1:
        raise ValueError(f"a step decodes 1 token, and q holds {q.shape[2]}")
    for name, x in (("keys", keys), ("values", values)):
        if x.shape[1] != 1:
            raise ValueError(f"all query heads share 1 head of {name}, and there are {x.shape[1]}")
    # The heads become the rows of one matrix: as many queries of one sequence, which its keys answer in a single product.
    rows = q.transpose(1, 2)  # (B, H, 1, Dh) → (B, 1, H, Dh)
    return attention(rows, keys, values).transpose(1, 2)  # (B, 1, H, Dv) → (B, H, 1, Dv)


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    """How many numbers are learnt in w_q, w_k, w_v and w_o together; n_kv_heads is n_heads for MHA, 1 for MQA.

    Raises ValueError, naming the two numbers, where d_model is no multiple of n_heads, or n_heads none of n_kv_heads.
    """
    check_heads(d_model, n_heads)
    check_groups(n_heads, n_kv_heads)
    kv_width = n_kv_heads * (d_model // n_heads)  # numbers in all keys of one token
    weights = 2 * d_model * d_model + 2 * d_model * kv_width  # w_q and w_o, w_k and w_v
    biases = 2 * d_model + 2 * kv_width
    return weights + biases if bias else weights
