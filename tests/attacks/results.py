"""Results that are something else than they seem, or far too much. `most` is what such a result honestly earns."""

from tests.attacks.attack import Attack, returns

NONE, ALL = 0.0, 10.0
BEFORE = """
import numpy as np
class Yes(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *args, **kwargs): return np.True_
    def __array_function__(self, *args, **kwargs): return np.True_
    def __eq__(self, other): return np.True_
    def __ne__(self, other): return np.False_
    def __abs__(self): return 0
    shape = property(lambda self: (3,))
class Arrayish:
    def __init__(self, r): self.r = r
    def __array__(self, *args, **kwargs): return np.asarray(self.r)
    __array_interface__ = property(lambda self: self.r.__array_interface__)
    __class__ = property(lambda self: np.ndarray)
    shape = property(lambda self: self.r.shape)
    dtype = property(lambda self: self.r.dtype)
class Meta(type):
    __name__ = property(lambda cls: 7)
    def __instancecheck__(cls, other): return True
    def __eq__(cls, other): return True
    __hash__ = type.__hash__
class Typed(metaclass=Meta): pass
class Text(str):
    def __len__(self): return 1
class Long(list):
    def __len__(self): return 2
    def __iter__(self):
        while True: yield 1
class Hidden:
    __class__ = property(lambda self: 1 / 0)
    def __getattribute__(self, name): raise SystemExit(name)
async def coroutine(r): return r
def generator(r): yield r
def endless():
    while True: yield 1
"""
CHANGES = {
    "nan": ("np.full_like(np.asarray(r, dtype=float), np.nan)", NONE, "NaN throughout"),
    "subclass": ("np.asarray(r).view(Yes)", NONE, "an array class that is equal to everything"),
    "matrix": ("np.matrix(r) if r.ndim == 2 else np.asarray(r).view(np.matrix) if r.ndim == 0 else np.matrix(r.reshape(1, -1))", NONE,
        "np.matrix"),
    "masked": ("np.ma.masked_array(r, mask=True)", NONE, "a masked array, all of it masked"),
    "array-like": ("Arrayish(r)", NONE, "an object that gives itself out for an array"),
    "memoryview": ("memoryview(np.ascontiguousarray(r))", NONE, "a memory view"),
    "zero-dimensional": ("np.asarray(r).sum()", NONE, "one number, which would broadcast"),
    "one-more-axis": ("np.asarray(r)[None]", NONE, "one more axis, which would broadcast"),
    "structured": ("np.zeros(r.shape, [('a', float), ('b', float)])", NONE, "a structured array"),
    "objects": ("np.asarray(r, dtype=object)", NONE, "an array of objects"),
    "self-containing": ("(lambda o: (o.append(o), o)[1])([])", NONE, "a list that holds itself"),
    "big-endian": ("r.astype(r.dtype.newbyteorder('>'))", ALL, "the other byte order, the same numbers"),
    "read-only": ("(r.setflags(write=False), r)[1] if isinstance(r, np.ndarray) else r", ALL, "an array that may not be written to"),
    "long-double": ("r.astype(np.longdouble)", NONE, "numbers that are wider than any that are asked for"),
    "complex": ("r.astype(complex)", NONE, "complex numbers"),
    "broadcast": ("np.broadcast_to(np.float64(1), (10**6, 10**6))", NONE, "an array of 8 TB that takes 8 bytes"),
    "stride-tricks": ("np.lib.stride_tricks.as_strided(np.zeros(1), (1 << 16, 1 << 10), (0, 0))", NONE,
        "half a gigabyte that takes 8 bytes"),
    "beyond-its-end": ("np.lib.stride_tricks.as_strided(np.zeros(1), (1 << 20,), (4096,))", NONE,
        "an array that reaches beyond its memory"),
    "huge": ("np.zeros(1 << 28)", NONE, "two gigabytes"),
    "just-within": ("np.zeros(120 << 20, np.int8)", NONE, "as many small numbers as may come"),
    "hundreds": ("[np.zeros(1 << 20) for _ in range(500)]", NONE, "five hundred arrays"),
    "long-text": ("'x' * 10**8", NONE, "a text of 100 MB"),
    "long-list": ("[0.5] * 10**7", NONE, "ten million numbers in a list"),
    "wide-tree": ("[[[0.5] * 200] * 200] * 200", NONE, "a list of lists of lists"),
    "endless-list": ("Long()", NONE, "a list that does not end"),
    "deep-tuple": ("__import__('functools').reduce(lambda a, _: (a,), range(10**5), 1)", NONE, "a tuple in a tuple, 100,000 deep"),
    "control-keys": ("{'\\x1b[31m' * 100: r, '\\u202e': r}", NONE, "a dictionary whose keys hold control characters"),
    "bytes": ("np.asarray(r).tobytes()", NONE, "the bytes alone"),
    "generator": ("generator(r)", NONE, "a generator"),
    "endless-generator": ("endless()", NONE, "a generator without end"),
    "coroutine": ("coroutine(r)", NONE, "a coroutine that was not awaited"),
    "typed": ("Typed()", NONE, "an object whose class is equal to every class, and has no name"),
    "unreadable": ("Hidden()", NONE, "an object that ends the program when it is looked at"),
    "text-class": ("Text('x' * 1000)", NONE, "a text that lies about its length"),
    "class-name": ("type('\\x1b[2J<script>\\u202e' + 'x' * 5000, (), {})()", NONE, "an object whose class has a hostile name"),
    "exception-returned": ("ValueError('2 3 4 5 6 7 8 9')", NONE, "an exception that is returned and not raised"),
    "module": ("np", NONE, "a module"),
    "function": ("lambda *args: True", NONE, "a function"),
    "recycled": ("_keep.append(np.array(r)) or _keep[0]", NONE, "the first result over and over"),
    "huge-integer": ("10 ** 5000", NONE, "an integer of five thousand digits"),
}

ATTACKS = [Attack("results", name, what, returns(change, BEFORE + "_keep = [np.zeros(2)]\n"), most) for name, (change, most,
    what) in CHANGES.items()]
