"""The public checks of kv-cache: what `check(...)` runs in a student's notebook.

Each function is one stage and isolates one thing; its docstring is the sentence that the student reads. What is expected is recorded
when the exercise is made: there is no solution in here. In stages about one step, earlier tokens are put into the cache by append.
"""

from .language import _
from .stage import stage
from .tensors import fill, tensor, waves

USES = {"CachedAttention": ("KVCache",)}  # which parts call which

HELD = {
    "returns": ("keys", "values"),
    "first": "keys",
    "axes": {"keys": (_("tokens"), _("numbers of a key vector")), "values": (_("tokens"), _("numbers of a value vector"))},
}
OUTPUT = {"axes": {"": (_("tokens"), _("numbers of an output vector"))}}


# kv_cache_bytes


@stage("kv_cache_bytes")
def one_token(student):
    """One token, one layer, one head of 4 numbers, 2 bytes each: a key and a value."""
    return student.kv_cache_bytes(1, 1, 4, 1)


@stage("kv_cache_bytes", needs="one_token")
def all_sizes(student):
    """3 layers, 5 heads of 7 numbers, 11 tokens."""
    return student.kv_cache_bytes(3, 5, 7, 11)


@stage("kv_cache_bytes", needs="all_sizes")
def batch_and_bytes(student):
    """The same for a batch of 13 sequences, 4 bytes a number."""
    return student.kv_cache_bytes(3, 5, 7, 11, 13, 4)


# KVCache


def keys_and_values(n_tokens, start=0, batch_size=2, n_kv_heads=1, d_head=2):
    """Keys and values of new tokens, (B, G, t, Dh); another start gives other tokens."""
    shape = (batch_size, n_kv_heads, n_tokens, d_head)
    return waves(*shape, shift=start), waves(*shape, shift=start + 0.5)


@stage("KVCache", **HELD)
def first_tokens(student):
    """Two tokens into an empty cache for five: they come back as they were."""
    return student.KVCache(2, 1, 5, 2).append(*keys_and_values(2))


@stage("KVCache", needs="first_tokens")
def lengths(student):
    """len() counts tokens: 0 at first, 2 after two, 3 after one more."""
    cache = student.KVCache(2, 1, 5, 2)
    counts = [len(cache)]
    for n_tokens in (2, 1):
        cache.append(*keys_and_values(n_tokens))
        counts.append(len(cache))
    return counts


@stage("KVCache", needs="first_tokens", **HELD)
def one_more(student):
    """One token more: all three come back, in their order."""
    cache = student.KVCache(2, 1, 5, 2)
    cache.append(*keys_and_values(2))
    return cache.append(*keys_and_values(1, 10))


@stage("KVCache", needs="one_more", **HELD)
def three_appends(student):
    """Two tokens, then two, then one: the room is used to the last place."""
    cache = student.KVCache(2, 1, 5, 2)
    cache.append(*keys_and_values(2))
    cache.append(*keys_and_values(2, 10))
    return cache.append(*keys_and_values(1, 20))


@stage("KVCache", needs="one_more", **HELD)
def first_result_stays(student):
    """What the first append has given back is not changed by the second."""
    cache = student.KVCache(2, 1, 5, 2)
    first = cache.append(*keys_and_values(2))
    cache.append(*keys_and_values(2, 10))
    return tuple(first)


@stage("KVCache", needs="one_more")
def inputs_stay(student):
    """k and v stay as they were, and the cache keeps copies: the caller may overwrite k and v afterwards."""
    cache = student.KVCache(2, 1, 5, 2)
    k, v = keys_and_values(2)
    cache.append(k, v)
    given = {"k": k.clone(), "v": v.clone()}
    k.zero_()
    v.zero_()
    keys, values = cache.append(*keys_and_values(1, 10))
    return {**given, "keys": keys, "values": values}


@stage("KVCache", needs="three_appends", raises="ValueError", numbers=(6, 5))
def one_too_many(student):
    """Four tokens held, two more, and max_len is 5: a ValueError that names the 6 there would be, and 5."""
    cache = student.KVCache(2, 1, 5, 2)
    cache.append(*keys_and_values(4))
    return cache.append(*keys_and_values(2, 10))


@stage("KVCache", needs="one_too_many", **HELD)
def after_too_many(student):
    """After that error the cache holds what it held before: one more token fits, and comes back as the fifth."""
    cache = student.KVCache(2, 1, 5, 2)
    cache.append(*keys_and_values(4))
    try:
        cache.append(*keys_and_values(2, 10))
    except ValueError:
        pass
    return cache.append(*keys_and_values(1, 20))


@stage("KVCache", needs="first_tokens", raises="ValueError", numbers=(2, 1))
def other_batch(student):
    """Keys and values of one sequence, and the cache is for two: a ValueError that names both numbers."""
    return student.KVCache(2, 1, 5, 2).append(*keys_and_values(2, batch_size=1))


@stage("KVCache", needs="first_tokens", raises="ValueError", numbers=(2, 3))
def other_width(student):
    """Keys and values of 3 numbers a head, and the cache is for 2: a ValueError that names both numbers."""
    return student.KVCache(2, 1, 5, 2).append(*keys_and_values(2, d_head=3))


@stage("KVCache", needs="first_tokens", raises="ValueError", numbers=(3, 2))
def other_heads(student):
    """Keys and values of two heads, and the cache is for three: a ValueError that names both numbers."""
    return student.KVCache(4, 3, 5, 7).append(*keys_and_values(2, batch_size=4, n_kv_heads=2, d_head=7))


@stage("KVCache", needs="other_width", raises="ValueError", numbers=(2, 3))
def values_of_another_width(student):
    """The keys fit, and the values have 3 numbers a head where the cache has 2: a ValueError that names both numbers."""
    return student.KVCache(4, 1, 5, 2).append(keys_and_values(1, batch_size=4)[0], keys_and_values(1, batch_size=4, d_head=3)[1])


@stage("KVCache", needs="first_tokens", raises="ValueError", numbers=(2, 3))
def counts_differ(student):
    """Keys of two tokens and values of three: a ValueError that names both numbers."""
    return student.KVCache(2, 1, 5, 2).append(keys_and_values(2)[0], keys_and_values(3)[1])


@stage("KVCache", needs="one_too_many")
def room(student):
    """Tokens go in one by one until there is an error: max_len of them, which is 5."""
    cache, n_tokens = student.KVCache(2, 1, 5, 2), 0
    try:
        while n_tokens < 9:
            cache.append(*keys_and_values(1))
            n_tokens += 1
    except Exception:
        pass
    return n_tokens


@stage("KVCache", needs="one_too_many")
def kinds_of_errors(student):
    """Too many tokens, more values than keys: both errors are ValueErrors of your own, and none of PyTorch's."""
    cache, kinds = student.KVCache(2, 1, 5, 2), []
    for k, v in (keys_and_values(6), (keys_and_values(2)[0], keys_and_values(3)[1])):
        try:
            cache.append(k, v)
            kinds.append("–")
        except Exception as error:
            kinds.append(type(error).__name__)
    return kinds


@stage("KVCache", needs="counts_differ", **HELD)
def after_counts_differ(student):
    """After that error neither the keys nor the values are in the cache."""
    cache = student.KVCache(2, 1, 5, 2)
    try:
        cache.append(keys_and_values(2)[0], keys_and_values(3)[1])
    except ValueError:
        pass
    return cache.append(*keys_and_values(3, 10))


@stage("KVCache", needs="first_tokens", **HELD)
def narrow_cache(student):
    """A bfloat16 cache gives back bfloat16, whatever it is given."""
    import torch

    return student.KVCache(2, 1, 5, 2, torch.bfloat16).append(*keys_and_values(2))


@stage("KVCache", needs="one_more", **HELD)
def two_caches(student):
    """A second cache knows nothing of the first."""
    one, other = student.KVCache(2, 1, 5, 2), student.KVCache(2, 1, 5, 2)
    one.append(*keys_and_values(2))
    return other.append(*keys_and_values(1, 10))


# CachedAttention


def four_tokens():
    """x (1, 4, 4)."""
    return waves(1, 4, 4, shift=0.3)


def layer(student):
    """The student's module for width 4 and two heads, with fixed weights."""
    return fill(student.CachedAttention(4, 2))


def began(student, x, max_len=6):
    """A module, and a cache with the tokens x in it, put there by append."""
    module = layer(student)
    cache = student.KVCache(1, 2, max_len, 2)
    inside = module.made
    cache.append(*(w(x).detach().unflatten(-1, (2, 2)).transpose(1, 2) for w in (inside.w_k, inside.w_v)))
    return module, cache


@stage("CachedAttention", **OUTPUT)
def single_token(student):
    """One token, no cache: its weight is 1, and the output is w_o of its value."""
    return layer(student)(four_tokens()[:, :1])


@stage("CachedAttention", needs="single_token", **OUTPUT)
def whole_sequence(student):
    """Four tokens, no cache: causal attention."""
    return layer(student)(four_tokens())


@stage("CachedAttention", needs="whole_sequence", **OUTPUT)
def next_token(student):
    """Three tokens are in the cache, the fourth comes: its output is the last row of the check before."""
    x = four_tokens()
    module, cache = began(student, x[:, :3])
    return module(x[:, 3:], cache)


@stage("CachedAttention", needs="next_token")
def token_is_kept(student):
    """The new token is in the cache afterwards."""
    x = four_tokens()
    module, cache = began(student, x[:, :3])
    module(x[:, 3:], cache)
    return len(cache)


@stage("CachedAttention", needs="token_is_kept", **OUTPUT)
def next_piece(student):
    """One token is in the cache, three come at once."""
    x = four_tokens()
    module, cache = began(student, x[:, :1])
    return module(x[:, 1:], cache)


@stage("CachedAttention", needs="next_token", **OUTPUT)
def empty_cache(student):
    """An empty cache is still a cache: one token, and then the next."""
    x = four_tokens()
    module, cache = layer(student), student.KVCache(1, 2, 6, 2)
    module(x[:, :1], cache)
    return module(x[:, 1:2], cache)


@stage("CachedAttention", needs="next_piece", **OUTPUT)
def narrow_cache_under_attention(student):
    """A bfloat16 cache under a float32 module: the keys and values as they come back, and float32 out."""
    import torch

    x = four_tokens()
    module, cache = layer(student), student.KVCache(1, 2, 6, 2, torch.bfloat16)
    cache.append(*keys_and_values(1, batch_size=1, n_kv_heads=2))
    return module(x[:, 1:], cache)


@stage("CachedAttention", needs="whole_sequence", **OUTPUT)
def twice(student):
    """The same tokens twice, no cache: nothing is remembered from the first time."""
    module = layer(student)
    module(four_tokens())
    return module(four_tokens())


@stage("CachedAttention", needs="next_token", **OUTPUT)
def none_after_a_cache(student):
    """A step with a cache, and then four tokens without one: the cache has been for that one call."""
    x = four_tokens()
    module, cache = began(student, x[:, :3], max_len=9)
    module(x[:, 3:], cache)
    return module(x)


@stage("CachedAttention", needs="whole_sequence")
def has_gradient(student):
    """Without a cache there is something to differentiate: `output.requires_grad` is True."""
    return layer(student)(four_tokens()).requires_grad


@stage("CachedAttention", needs="has_gradient")
def gradient_of_input(student):
    """Without a cache a gradient reaches x and w_k."""
    module, x = layer(student), four_tokens().requires_grad_()
    output = module(x)
    (output * waves(1, 4, 4)).sum().backward()
    return {"x.grad": x.grad, "w_k.weight.grad": module.made.w_k.weight.grad}


@stage("CachedAttention", needs="next_token", raises="ValueError", numbers=(5, 4))
def full_cache(student):
    """Three tokens held, two come, max_len is 4: the ValueError of append."""
    x = four_tokens()
    module, cache = began(student, x[:, :3], max_len=4)
    return module(x[:, 2:], cache)
