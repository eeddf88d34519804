"""Chooses heads, key/value heads and projections for a budget, a context and a machine.

It writes down what chapter 11 argues for. It is a starting point, not a law.
"""

from dataclasses import dataclass

GIB = 2**30
CACHE_BYTES = 2  # a number in the cache: float16 or bfloat16
SPARE = 0.1  # of the memory, for activations and everything else


@dataclass(frozen=True)
class Target:
    """Where a model is to run: bytes of memory, bytes a weight, sequences at once."""

    memory: int
    bytes_per_weight: float
    sequences: int


TARGETS = {
    "phone": Target(6 * GIB, 0.5, 1),  # weights in 4 bits
    "laptop": Target(16 * GIB, 0.5, 1),
    "gpu": Target(24 * GIB, 2, 4),  # one consumer card, weights in 16 bits
    "server": Target(80 * GIB, 2, 32),  # one card of a data centre
    "node": Target(8 * 141 * GIB, 1, 64),  # eight large cards, weights in 8 bits
}


@dataclass(frozen=True)
class Configuration:
    """What was chosen: for MLA n_kv_heads is None, else d_latent and d_rope are."""

    kind: str  # MHA, GQA, MQA or MLA
    n_layers: int
    d_model: int
    n_heads: int
    d_head: int
    n_kv_heads: int | None
    d_latent: int | None
    d_rope: int | None
    projections: dict  # of one layer's attention: name → (numbers in, numbers out)
    parameters: int  # attention and feed-forward, no embeddings
    cache_bytes_per_token: int
    cache_bytes: int  # for all sequences at full length
    weight_bytes: int
    reasons: tuple


def configure(parameters, context, target):
    """The Configuration for a budget of parameters, a context in tokens, a target.

    parameters: of attention and feed-forward layers, embeddings not counted.
    target: a name in TARGETS, or a Target. Raises ValueError where the weights or
    even the smallest cache do not fit, and says what would.
    """
    if isinstance(target, str):
        if target not in TARGETS:
            raise ValueError(f"no target {target!r}; there are {', '.join(TARGETS)}")
        target = TARGETS[target]
    if parameters < 100_000 or context < 1:
        raise ValueError(
            f"{parameters} parameters, {context} tokens: "
            "at least 100,000 and 1 are needed"
        )
    n_layers, n_heads, d_head = stack(parameters)
    room = target.memory * (1 - SPARE) - parameters * target.bytes_per_weight
    if room <= 0:
        most = int(target.memory * (1 - SPARE) / target.bytes_per_weight)
        raise ValueError(
            f"{parameters} parameters do not fit: at most {most} have room "
            f"at {target.bytes_per_weight} bytes each"
        )
    tokens = context * target.sequences
    passed_over = []
    for kind, n_kv_heads in candidates(n_heads):
        numbers = cached_numbers(kind, n_kv_heads, d_head)
        cache = CACHE_BYTES * n_layers * numbers * tokens
        if cache <= room:
            return finished(
                kind, n_layers, n_heads, d_head, n_kv_heads, cache, room,
                target, context, passed_over,
            )
        passed_over.append((kind, n_kv_heads, cache))
    most = int(room / (CACHE_BYTES * n_layers * numbers * target.sequences))
    raise ValueError(
        f"a context of {context} tokens does not fit even with one KV head: "
        f"at most {most} do"
    )


def stack(parameters):
    """(layers, heads, d_head): 12·D² parameters a layer, about 128 wide per layer."""
    width = 128 * (parameters / (12 * 128**2)) ** (1 / 3)
    d_head = 128 if width >= 2048 else 64
    step = 8 if width >= 512 else 2
    n_heads = max(2, step * round(width / d_head / step))
    n_layers = max(1, round(parameters / (12 * (n_heads * d_head) ** 2)))
    return n_layers, n_heads, d_head


def candidates(n_heads):
    """What is tried, first what gives up least: (kind, KV heads)."""
    groups = [g for g in (8, 4) if g < n_heads and n_heads % g == 0]
    grouped = [("GQA", g) for g in groups]
    return [("MHA", n_heads), *grouped, ("MLA", None), ("MQA", 1)]


def cached_numbers(kind, n_kv_heads, d_head):
    """Numbers that one layer keeps of one token."""
    if kind == "MLA":
        return 4 * d_head + d_head // 2  # latent and rotary key, as in DeepSeek-V2
    return 2 * n_kv_heads * d_head


def projections(kind, d_model, n_heads, d_head, n_kv_heads):
    """The matrices of one layer's attention: name → (numbers in, numbers out)."""
    wide = n_heads * d_head
    if kind != "MLA":
        narrow = n_kv_heads * d_head
        return {
            "w_q": (d_model, wide), "w_k": (d_model, narrow),
            "w_v": (d_model, narrow), "w_o": (wide, d_model),
        }
    d_latent, d_rope = 4 * d_head, d_head // 2
    return {
        "w_q": (d_model, n_heads * (d_head + d_rope)),
        "w_dkv": (d_model, d_latent), "w_kr": (d_model, d_rope),
        "w_uk": (d_latent, wide), "w_uv": (d_latent, wide), "w_o": (wide, d_model),
    }


def finished(
    kind, n_layers, n_heads, d_head, n_kv_heads, cache, room,
    target, context, passed_over,
):
    """The Configuration, with its reasons."""
    d_model = n_heads * d_head
    latent = kind == "MLA"
    matrices = projections(kind, d_model, n_heads, d_head, n_kv_heads)
    norm = 4 * d_head if latent else 0  # the norm's weights
    attention = sum(a * b for a, b in matrices.values()) + norm
    parameters = n_layers * (attention + 8 * d_model**2)
    per_token = CACHE_BYTES * n_layers * cached_numbers(kind, n_kv_heads, d_head)
    weights = round(parameters * target.bytes_per_weight)
    reasons = [
        f"{n_layers} layers of width {d_model}: "
        f"{d_model // n_layers} wide per layer, and 128 is the aim.",
        f"{n_heads} heads of {d_head}: nearly all models take 64 or 128.",
    ]
    reasons += [
        f"{name(each, groups)} would keep {size(bytes_)}, "
        f"and there is room for {size(room)}."
        for each, groups, bytes_ in passed_over
    ]
    reasons += [
        f"{name(kind, n_kv_heads)}: {size(per_token)} a token, {size(cache)} for "
        f"{target.sequences} × {context} tokens. It fits, and it is the first that does."
    ]
    if latent:
        reasons.append("MLA decodes with absorbed matrices, or the cache saves no work.")
    if kind == "MQA":
        reasons.append("One KV head is the last resort: measure what it costs in quality.")
    return Configuration(
        kind, n_layers, d_model, n_heads, d_head, n_kv_heads,
        4 * d_head if latent else None, d_head // 2 if latent else None,
        matrices, parameters, per_token, cache, weights, tuple(reasons),
    )


def name(kind, n_kv_heads):
    """A kind with its number of KV heads, where that says something."""
    return f"{kind} with {n_kv_heads} KV heads" if kind == "GQA" else kind


def size(n_bytes):
    """Bytes as text, in the unit that fits."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if n_bytes < 1024 or unit == "GiB":
            digits = f"{n_bytes:,.0f}" if n_bytes >= 100 else f"{n_bytes:.3g}"
            return f"{digits} {unit}"
        n_bytes /= 1024
