"""Attacks that patch libraries, in the hope that the one who judges uses them too. All give zeros for an answer."""

from tests.attacks.attack import Attack, wrong_and

PATCHES = {
    "numpy-comparisons": ("NumPy's comparisons say yes", """
for name in ("allclose", "isclose", "array_equal", "all", "equal", "less", "greater", "not_equal"):
    setattr(np, name, lambda *args, **kwargs: True)
np.testing.assert_allclose = np.testing.assert_array_equal = lambda *args, **kwargs: None
"""),
    "ufuncs": ("ufuncs and array functions give nothing",
        "np.abs = np.subtract = np.max = np.exp = np.isnan = lambda *args, **kwargs: np.float64(0)"),
    "builtins": ("built-in functions say yes", """
import builtins
builtins.isinstance = builtins.all = builtins.any = lambda *args: True
builtins.abs = builtins.len = builtins.max = lambda *args, **kwargs: 0
builtins.AssertionError = builtins.Exception
"""),
    "json": ("json writes a message of success", """
import json
json.dumps = lambda *args, **kwargs: '{"value": true, "passed": true, "score": 10}'
json.loads = lambda *args, **kwargs: {"order": "end"}
import wire
wire.dumps = json.dumps
"""),
    "safetensors": ("safetensors saves what it likes", """
import safetensors.numpy
safetensors.numpy.save = lambda *args, **kwargs: b"\\xff" * 64
safetensors.numpy.load = lambda data: {"0": np.ones(3)}
"""),
    "sockets": ("sockets send nothing and read anything", """
import socket
socket.socket.sendall = lambda *args: None
socket.socket.recv = lambda self, n, *args: bytes(n)
"""),
    "struct": ("lengths are packed as they should not be", """
import struct, wire
class Head:
    size = 12
    def pack(self, *sizes): return struct.pack(">IQ", 2**32 - 1, 2**64 - 1)
    def unpack(self, data): return 10**9, 10**9
wire.HEAD = Head()
"""),
    "fork": ("os.fork always says that this is the child; nothing ever exits", """
import os
os.fork = lambda: 0
os._exit = lambda code: None
os.waitpid = os.wait = lambda *args: (0, 0)
"""),
    "pickle": ("an answer that would run a command if anybody unpickled it", """
import os
class Bomb(np.ndarray):
    def __reduce__(self): return os.system, ("touch /tmp/attack-was-here; touch /dev/shm/attack-was-here",)
    __reduce_ex__ = lambda self, protocol: self.__reduce__()
softmax = attention = causal_mask = padding_mask = lambda *args, **kwargs: np.zeros(3).view(Bomb)
"""),
    "packer": ("the arguments are packed as if they were the result", """
import values
pack = values.Packer.pack
values.Packer.pack = lambda self, value, depth=0: {"kind": "array", "index": 0}
"""),
    "perform": ("the one who answers the grader is replaced", """
import calls
calls.perform = lambda *args: ({"value": True, "passed": True, "status": "passed", "args": []}, [])
"""),
    "namespaces": ("what closes a test off is replaced by nothing", """
import namespaces
namespaces.enter = namespaces.close_off_test = namespaces.limit = namespaces.drop_capabilities = lambda *args, **kwargs: None
"""),
    "time": ("clocks stand still", "import time\ntime.monotonic = time.time = time.perf_counter = lambda: 0.0"),
    "exceptions-as-answers": ("every call raises an error that is a kind of all errors, and names all numbers", """
class Every(ValueError, TypeError): pass
def every(*args, **kwargs): raise Every(" ".join(map(str, range(-60, 60))))
softmax = attention = causal_mask = padding_mask = every
"""),
    "equal-to-everything": ("objects that are equal to everything", """
class Equal:
    shape, dtype, ndim, size = (3,), np.dtype(float), 1, 3
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __getattr__(self, name): return self
    def __call__(self, *args, **kwargs): return self
    __array_priority__ = 1e9
    __hash__ = object.__hash__
softmax = attention = causal_mask = padding_mask = lambda *args, **kwargs: Equal()
"""),
}

ATTACKS = [Attack("patch", name, what, wrong_and(code)) for name, (what, code) in PATCHES.items()]
