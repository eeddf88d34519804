"""A small causal model of characters in which the attention can be exchanged, all of it made from the course's solutions."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from solutions.gqa import repeat_kv
from solutions.mla import MultiHeadLatentAttention
from solutions.multi_head import attention, merge_heads, split_heads
from solutions.rope import apply_rope


class RotaryAttention(nn.Module):
    """Causal attention with n_heads query heads, n_kv_heads heads of keys and values, and rotary positions: MHA, GQA and MQA in one."""

    def __init__(self, d_model, n_heads, n_kv_heads, base=10000.0):
        super().__init__()
        d_head = d_model // n_heads
        self.n_heads, self.n_kv_heads, self.base = n_heads, n_kv_heads, base
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, n_kv_heads * d_head, bias=False)
        self.w_v = nn.Linear(d_model, n_kv_heads * d_head, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        """x (B, T, D). Returns (B, T, D)."""
        positions = torch.arange(x.shape[1])
        q = apply_rope(split_heads(self.w_q(x), self.n_heads), positions, self.base)  # (B, H, T, Dh)
        k = apply_rope(split_heads(self.w_k(x), self.n_kv_heads), positions, self.base)  # (B, G, T, Dh)
        v = split_heads(self.w_v(x), self.n_kv_heads)  # (B, G, T, Dh)
        k, v = (repeat_kv(y, self.n_heads // self.n_kv_heads) for y in (k, v))  # (B, H, T, Dh)
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        return self.w_o(merge_heads(attention(q, k, v, causal)))


class Block(nn.Module):
    """Attention, then a small network for each token, each with a norm before it and a way around it."""

    def __init__(self, attention_layer, d_model, d_hidden):
        super().__init__()
        self.attention_norm, self.attention = nn.RMSNorm(d_model), attention_layer
        self.hidden_norm = nn.RMSNorm(d_model)
        self.hidden = nn.Sequential(nn.Linear(d_model, d_hidden), nn.GELU(), nn.Linear(d_hidden, d_model))

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.hidden(self.hidden_norm(x))


class CharacterModel(nn.Module):
    """Scores for the next character. make_attention() gives a fresh layer (B, T, D) → (B, T, D) for each block."""

    def __init__(self, n_characters, d_model, n_layers, d_hidden, make_attention):
        super().__init__()
        self.embedding = nn.Embedding(n_characters, d_model)
        self.blocks = nn.Sequential(*(Block(make_attention(), d_model, d_hidden) for _ in range(n_layers)))
        self.norm, self.scores = nn.RMSNorm(d_model), nn.Linear(d_model, n_characters, bias=False)
        self.apply(start)
        for block in self.blocks:
            block.hidden[-1].weight.data /= math.sqrt(2 * n_layers)
            block.attention.w_o.weight.data /= math.sqrt(2 * n_layers)

    def forward(self, characters):
        """characters (B, T), whole numbers. Returns (B, T, n_characters)."""
        return self.scores(self.norm(self.blocks(self.embedding(characters))))


def start(module):
    """Begin with weights that keep the variance of what goes through."""
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, std=module.in_features**-0.5)
        if module.bias is not None:
            nn.init.zeros_(module.bias)


def bits(scores, targets):
    """Mean cross-entropy in bits a character: scores (B, T, n_characters), targets (B, T)."""
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten()) / math.log(2)


def train(model, numbers, draw_batch, n_steps, n_windows, n_tokens, rate, seed):
    """AdamW with a warm-up and a cosine down to a tenth of the rate; the batches depend on the seed alone."""
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=0.1, fused=True)
    warm_up = n_steps // 20
    for step in range(n_steps):
        share = min((step + 1) / warm_up, 0.55 + 0.45 * math.cos(math.pi * step / n_steps))
        optimiser.param_groups[0]["lr"] = rate * share
        inputs, targets = draw_batch(numbers, n_windows, n_tokens, generator)
        loss = bits(model(inputs), targets)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()


@torch.no_grad()
def held_out_bits(model, numbers, n_tokens):
    """Bits a character over a whole text, in windows one after the other."""
    n_windows = (len(numbers) - 1) // n_tokens
    inputs = numbers[: n_windows * n_tokens].view(n_windows, n_tokens)
    targets = numbers[1 : n_windows * n_tokens + 1].view(n_windows, n_tokens)
    return bits(model(inputs), targets).item()


def n_parameters(model):
    """How many numbers a model learns."""
    return sum(parameter.numel() for parameter in model.parameters())
