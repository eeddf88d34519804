"""The public checks of triton-flash: what `check(...)` runs in a student's notebook, in Triton's interpreter.

Each function is one stage and isolates one thing; its docstring is the sentence that the student reads. Kernels run under observation (kernels.py):
what they read beyond their tensors is NaN, what they write beyond them is left out, and both are counted. What is expected is recorded when the
exercise is made: there is no solution in here.
"""

import torch
import triton
import triton.language as tl

from .calls import Missing
from .kernels import watched
from .language import _
from .stage import stage
from .tensors import tensor, waves

USES = {"flash_attention_triton": ("attend_tile",)}  # which parts call which
OUTPUT = {"axes": {"": (_("queries"), _("numbers of a value vector"))}}
HEADS = {"axes": {"": (_("sequences"), _("heads"))}}


# attend_tile: one program takes in one or two tiles, 4 queries and 4 keys each


@triton.jit
def take_in(step: tl.constexpr, q_ptr, k_ptr, v_ptr, seen_ptr, out_ptr, total_ptr, scale, N_TILES: tl.constexpr, N: tl.constexpr, KEYS: tl.constexpr):
    places, keys = tl.arange(0, N), tl.arange(0, KEYS)
    q = tl.load(q_ptr + places[:, None] * N + places[None, :])
    largest = tl.full((N,), -float("inf"), tl.float32)
    total = tl.zeros((N,), tl.float32)
    weighted = tl.zeros((N, N), tl.float32)
    for tile in range(0, N_TILES):
        rows = tile * KEYS + keys
        k = tl.load(k_ptr + rows[None, :] * N + places[:, None])
        v = tl.load(v_ptr + rows[:, None] * N + places[None, :])
        allowed = tl.load(seen_ptr + places[:, None] * N_TILES * KEYS + rows[None, :]) != 0
        largest, total, weighted = step(largest, total, weighted, q, k, v, allowed, scale)
    tl.store(out_ptr + places[:, None] * N + places[None, :], weighted)
    tl.store(total_ptr + places, total)


def taken(student, k, v, q=None, seen=None, scale=0.5, n_tiles=2):
    """The output after so many tiles of keys, in float32, and what the kernel has done."""
    if "attend_tile" not in student._namespace:
        raise Missing("attend_tile")
    q = waves(4, 4).to(k.dtype) if q is None else q
    seen = torch.ones(4, len(k), dtype=torch.int32) if seen is None else seen
    weighted, total = torch.zeros(4, 4), torch.zeros(4)
    _value, work = watched(run, student._namespace["attend_tile"], q, k, v, seen, weighted, total, scale, n_tiles)
    weighted, total = work.arguments[5], work.arguments[6]
    return weighted / total.masked_fill(total == 0, 1)[:, None], work


def run(step, q, k, v, seen, weighted, total, scale, n_tiles):
    """Launch the kernel that takes in the tiles."""
    take_in[(1,)](step, q, k, v, seen, weighted, total, scale, N_TILES=n_tiles, N=4, KEYS=len(k) // n_tiles)


@stage("attend_tile", **OUTPUT)
def one_tile(student):
    """One tile of 4 keys, nothing seen before: a softmax with powers of two, times the values."""
    return taken(student, waves(4, 4, shift=1.0), waves(4, 4, shift=2.0), n_tiles=1)[0]


@stage("attend_tile", needs="one_tile", **OUTPUT)
def falling_scores(student):
    """Two tiles, the largest scores in the first: the sums of both are added."""
    return taken(student, *ordered(descending=True))[0]


@stage("attend_tile", needs="falling_scores", **OUTPUT)
def rising_scores(student):
    """Two tiles, the largest scores in the second: what was summed before shrinks."""
    return taken(student, *ordered(descending=False))[0]


@stage("attend_tile", needs="one_tile", **OUTPUT)
def large_scores(student):
    """Scores of some hundreds do not overflow."""
    return taken(student, 100 + waves(8, 4), waves(8, 4, shift=2.0), torch.ones(4, 4))[0]


@stage("attend_tile", needs="falling_scores", **OUTPUT)
def nothing_allowed(student):
    """A query that may see no key of a tile, or of any: no NaN."""
    seen = torch.ones(4, 8, dtype=torch.int32)
    seen[0] = 0
    seen[1, :4] = 0
    return taken(student, waves(8, 4, shift=1.0), waves(8, 4, shift=2.0), seen=seen)[0]


@stage("attend_tile", needs="one_tile", **OUTPUT)
def scores_of_float16(student):
    """The products of float16 tiles are kept in float32: here they pass 65,504."""
    q, k = (200 * tensor([[1, -1, 1, 1], [1, 1, 1, -1], [-1, 1, 1, 1], [1, 1, 1, 1]]).half() for _tile in range(2))
    return taken(student, k, waves(4, 4, shift=2.0).half(), q, scale=1e-4, n_tiles=1)[0]


@stage("attend_tile", needs="falling_scores", **OUTPUT)
def sums_of_float16(student):
    """The sums over float16 values are kept in float32: here they pass 65,504."""
    values = torch.cat([torch.full((256, 4), 300.0), torch.full((256, 4), -300.0)]) + waves(512, 4)
    return taken(student, torch.zeros(512, 4).half(), values.half())[0]


@stage("attend_tile", needs="one_tile")
def precision(student):
    """On a GPU the products of float32 tiles would be computed in float32, and not in TF32."""
    return {"rounded_to_tf32": taken(student, waves(4, 4), waves(4, 4), n_tiles=1)[1].tf32 > 0}


@stage("attend_tile", needs="one_tile")
def nothing_but_triton(student):
    """Nothing of PyTorch is called inside the kernel."""
    return {"calls_pytorch": bool(taken(student, waves(4, 4), waves(4, 4), n_tiles=1)[1].inside)}


def ordered(descending):
    """Keys whose scores with the queries of waves(4, 4) rise or fall, and values."""
    first = waves(4, 4)[0]
    slope = torch.arange(8.0)[:, None] - 3.5
    return (-slope if descending else slope) * first + 0.1 * waves(8, 4, shift=1.0), waves(8, 4, shift=2.0)


# flash_attention_triton


def qkv(n_queries, n_keys, d_head=32, batch=1, n_heads=1):
    """Queries, keys and values whose numbers are neither large nor small."""
    return waves(batch, n_heads, n_queries, d_head), waves(batch, n_heads, n_keys, d_head, shift=1.0), waves(batch, n_heads, n_keys, d_head, shift=2.0)


def some(output, rows):
    """Two numbers of some queries of the first head."""
    return output[0, 0, rows, :2]


def attended(student, rows, q, k, v, is_causal=False):
    """Two numbers of some queries of the output."""
    output, _work = watched(student.flash_attention_triton, q, k, v, is_causal)
    return some(output, rows)


@stage("flash_attention_triton", **OUTPUT)
def whole_tiles(student):
    """64 queries and 64 keys of one head: lengths that the tiles divide."""
    return attended(student, [0, 1, 62, 63], *qkv(64, 64))


@stage("flash_attention_triton", needs="whole_tiles", **OUTPUT)
def blocks_of_queries(student):
    """192 queries: each block has a program of its own."""
    return attended(student, [0, 64, 128, 191], *qkv(192, 64))


@stage("flash_attention_triton", needs="whole_tiles", **HEADS)
def sequences_and_heads(student):
    """Two sequences with two heads: the first number of each head's output."""
    output, _work = watched(student.flash_attention_triton, *qkv(64, 32, 32, 2, 2))
    return output[:, :, 0, 0]


@stage("flash_attention_triton", needs="whole_tiles", **OUTPUT)
def any_number_of_queries(student):
    """70 queries: the last block is not full."""
    return attended(student, [0, 63, 64, 69], *qkv(70, 64))


@stage("flash_attention_triton", needs="whole_tiles", **OUTPUT)
def any_number_of_keys(student):
    """45 keys: the last tile is not full, and what is missing counts for nothing."""
    q, k, v = qkv(64, 45)
    return attended(student, [0, 1, 62, 63], 0 * q, k, 1 + v)


@stage("flash_attention_triton", needs="any_number_of_queries")
def access_beyond_queries(student):
    """With 70 queries nothing beyond q is read, and nothing beyond the output is written."""
    return strays(student, *qkv(70, 64))


@stage("flash_attention_triton", needs="any_number_of_keys")
def access_beyond_keys(student):
    """With 45 keys nothing beyond k and v is read."""
    return strays(student, *qkv(64, 45))


def strays(student, *arguments):
    """Whether kernels have reached beyond the tensors that they were given."""
    _output, work = watched(student.flash_attention_triton, *arguments)
    return {"stray_loads": work.stray_loads > 0, "stray_stores": work.stray_stores > 0}


@stage("flash_attention_triton", needs="blocks_of_queries", **OUTPUT)
def causal(student):
    """Causal, 128 queries and keys, all with the same score: a query gets the mean of its own value and those before it."""
    q, k, v = qkv(128, 128)
    return attended(student, [0, 1, 31, 32, 63, 64, 65, 127], 0 * q, k, v, True)


@stage("flash_attention_triton", needs="causal", **OUTPUT)
def causal_with_more_keys(student):
    """Causal, 64 queries and 128 keys: the queries are the last tokens."""
    q, k, v = qkv(64, 128)
    return attended(student, [0, 1, 31, 32, 63], 0 * q, k, v, True)


@stage("flash_attention_triton", needs="causal", **OUTPUT)
def queries_that_see_nothing(student):
    """Causal, 128 queries and 32 keys: the first 96 queries see nothing and get zeros."""
    q, k, v = qkv(128, 32)
    return attended(student, [0, 63, 64, 95, 96, 127], 0 * q, k, v, True)


@stage("flash_attention_triton", needs="whole_tiles", **OUTPUT)
def wide_heads(student):
    """Heads of 128 numbers."""
    return attended(student, [0, 1, 62, 63], *qkv(64, 64, 128))


@stage("flash_attention_triton", needs="sequences_and_heads", **OUTPUT)
def layouts(student):
    """Tensors that were transposed, each in another way: their strides tell where the numbers are."""
    q, k, v = waves(1, 64, 2, 32).transpose(1, 2), waves(1, 2, 32, 64, shift=1.0).mT, waves(2, 1, 64, 32, shift=2.0).transpose(0, 1)
    return attended(student, [0, 1, 62, 63], q, k, v)


@stage("flash_attention_triton", needs="whole_tiles", **OUTPUT)
def of_float16(student):
    """float16 in, float16 out."""
    return attended(student, [0, 1, 126, 127], *(x.half() for x in qkv(128, 64)))


@stage("flash_attention_triton", needs="whole_tiles")
def inputs_stay(student):
    """q, k and v stay as they were."""
    given = qkv(64, 64)
    _output, work = watched(student.flash_attention_triton, *given)
    return {f"{name}_is_changed": not torch.equal(before, after) for name, before, after in zip("qkv", given, work.arguments, strict=False)}


@stage("flash_attention_triton", needs="whole_tiles")
def own_kernels(student):
    """The products and the softmax are computed in kernels, and not by PyTorch."""
    _output, work = watched(student.flash_attention_triton, *qkv(64, 64))
    return {"a_kernel_runs": work.launches > 0, "pytorch_computes": bool(work.outside or work.inside)}


@stage("flash_attention_triton", needs="whole_tiles", raises="ValueError", numbers=(5, 6))
def keys_and_values_disagree(student):
    """5 keys and 6 values do not fit together."""
    q, k, v = qkv(4, 6)
    watched(student.flash_attention_triton, q, k[:, :, :5], v)


@stage("flash_attention_triton", needs="keys_and_values_disagree", raises="ValueError", numbers=(48,))
def other_widths(student):
    """Heads of 48 numbers are none of the sizes that the kernel takes."""
    watched(student.flash_attention_triton, *qkv(4, 4, 48))


@stage("flash_attention_triton", needs="keys_and_values_disagree", raises="TypeError")
def other_dtypes(student):
    """float64 is a TypeError."""
    watched(student.flash_attention_triton, *(x.double() for x in qkv(4, 4)))
