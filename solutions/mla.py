"""Multi-head latent attention in PyTorch (DeepSeek-AI 2024, section 2.1), without query compression."""

import math

import torch
from torch import nn

from solutions.multi_head import attention, merge_heads, split_heads, working_dtype
from solutions.rope import apply_rope


def mla_cache_bytes(n_layers, d_latent, d_rope, seq_len, batch_size=1, bytes_per_element=2):
    """The bytes that a latent cache takes: one latent and one rotary key a token and layer, whatever the number of heads."""
    return n_layers * (d_latent + d_rope) * seq_len * batch_size * bytes_per_element


class MultiHeadLatentAttention(nn.Module):
    """Causal self-attention whose keys and values come from one small latent a token (DeepSeek-AI 2024, equations 9 to 19).

    Weights, all nn.Linear without bias but for the norm:
        w_q     D → H·(Dh + d_rope), for each head first Dh numbers of content, then d_rope that are rotated
        w_dkv   D → R, the latent, and norm, nn.RMSNorm(R, eps=1e-6) on it
        w_kr    D → d_rope, the rotary key that all heads share
        w_uk    R → H·Dh and w_uv R → H·Dh, the latent's keys and values for every head
        w_o     H·Dh → D
    Raises ValueError, naming the numbers, where there are no heads or d_rope is odd.
    """

    def __init__(self, d_model, n_heads, d_head, d_latent, d_rope, base=10000.0):
        super().__init__()
        if n_heads < 1 or d_head < 1:
            raise ValueError(f"there is no attention with {n_heads} heads of {d_head}")
        if d_rope % 2:
            raise ValueError(f"rotary channels come in pairs: d_rope {d_rope} is no multiple of 2")
        self.n_heads, self.d_head, self.d_latent, self.d_rope, self.base = n_heads, d_head, d_latent, d_rope, base
        self.w_q = nn.Linear(d_model, n_heads * (d_head + d_rope), bias=False)
        self.w_dkv = nn.Linear(d_model, d_latent, bias=False)
        self.norm = nn.RMSNorm(d_latent, eps=1e-6)
        self.w_kr = nn.Linear(d_model, d_rope, bias=False)
        self.w_uk = nn.Linear(d_latent, n_heads * d_head, bias=False)
        self.w_uv = nn.Linear(d_latent, n_heads * d_head, bias=False)
        self.w_o = nn.Linear(n_heads * d_head, d_model, bias=False)

    def compress(self, x, positions):
        """What is cached of the tokens x (B, T, D) at positions (T,) or (B, T).

        Returns (latent, k_rope): (B, T, R), normed, and (B, T, d_rope), rotated.
        """
        latent = self.norm(self.w_dkv(x))  # (B, T, R)
        k_rope = apply_rope(self.w_kr(x), positions, self.base, interleaved=True)  # (B, T, d_rope)
        return latent, k_rope

    def queries(self, x, positions):
        """Each head's query for the tokens x (B, T, D): its content (B, H, T, Dh), and its rotated part (B, H, T, d_rope)."""
        q = split_heads(self.w_q(x), self.n_heads)  # (B, H, T, Dh + d_rope)
        content, rotary = q.split([self.d_head, self.d_rope], dim=-1)
        return content, apply_rope(rotary, positions, self.base, interleaved=True)

    def forward(self, x):
        """x (B, T, D), the tokens 0 to T − 1. Returns (B, T, D). Keys and values are expanded: the form to train with."""
        n_tokens = x.shape[1]
        positions = torch.arange(n_tokens, device=x.device)
        latent, k_rope = self.compress(x, positions)  # (B, T, R), (B, T, d_rope)
        shared = k_rope[:, None].expand(-1, self.n_heads, -1, -1)  # (B, H, T, d_rope), one key for all heads
        q = torch.cat(self.queries(x, positions), dim=-1)  # (B, H, T, Dh + d_rope)
        k = torch.cat([split_heads(self.w_uk(latent), self.n_heads), shared], dim=-1)  # (B, H, T, Dh + d_rope)
        v = split_heads(self.w_uv(latent), self.n_heads)  # (B, H, T, Dh)
        causal = torch.ones(n_tokens, n_tokens, dtype=torch.bool, device=x.device).tril()
        return self.w_o(merge_heads(attention(q, k, v, causal)))  # (B, T, D)

    def decode(self, x, latent, k_rope, position):
        """Attention of one new token over the cache, without expanding it (DeepSeek-AI 2024, section 2.1.2).

        x (B, 1, D) at `position`, an int; latent (B, S, R) and k_rope (B, S, d_rope), which include this token. Returns (B, 1, D).
        Each head's query is carried into the latents' space and its output out of it, so that a token costs R + d_rope products a head.
        Raises ValueError, naming the two numbers, where sizes disagree.
        """
        self.check_cache(x, latent, k_rope)
        dtype = working_dtype(x, latent, k_rope)
        content, rotary = self.queries(x, torch.tensor([position], device=x.device))  # (B, H, 1, Dh), (B, H, 1, d_rope)
        w_uk, w_uv = (w.weight.unflatten(0, (self.n_heads, self.d_head)).to(dtype) for w in (self.w_uk, self.w_uv))  # (H, Dh, R)
        latent, k_rope = latent.to(dtype), k_rope.to(dtype)

        q_latent = torch.einsum("bhd,hdr->bhr", content[:, :, 0].to(dtype), w_uk)
        scores = q_latent @ latent.mT + rotary[:, :, 0].to(dtype) @ k_rope.mT  # (B, H, S); the heads are rows, and nothing is copied for them
        weights = torch.softmax(scores / math.sqrt(self.d_head + self.d_rope), dim=-1)
        mixed = weights @ latent  # (B, H, R)
        output = torch.einsum("bhr,hdr->bhd", mixed, w_uv)
        return self.w_o(output.flatten(1)[:, None].to(x.dtype))  # (B, H, Dh) → (B, 1, H·Dh) → (B, 1, D)

    def check_cache(self, x, latent, k_rope):
        """Raise ValueError, with the two numbers that disagree, unless a token and a cache fit this layer and each other."""
        if x.shape[1] != 1:
            raise ValueError(f"decode takes 1 token, and x holds {x.shape[1]}")
        if latent.shape[1] != k_rope.shape[1]:
            raise ValueError(f"there are {latent.shape[1]} latents, but {k_rope.shape[1]} rotary keys")
        if not len(x) == len(latent) == len(k_rope):
            raise ValueError(f"batch sizes disagree: x {len(x)}, latent {len(latent)}, k_rope {len(k_rope)}")
        if latent.shape[2] != self.d_latent:
            raise ValueError(f"latents have {latent.shape[2]} numbers, this layer's have {self.d_latent}")
        if k_rope.shape[2] != self.d_rope:
            raise ValueError(f"rotary keys have {k_rope.shape[2]} numbers, this layer's have {self.d_rope}")
