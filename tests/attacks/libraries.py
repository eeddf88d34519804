"""Work that a library does. single-head does not forbid it: what is right counts, and nothing more."""

from tests.attacks.attack import RIGHT, Attack, right_and

ATTACKS = [
    Attack("library", "torch-attention", "the output comes from PyTorch's own attention", right_and("""
_own = attention
def attention(q, k, v, mask=None):
    output, weights = _own(q, k, v, mask)
    import torch
    q, k, v = (torch.from_numpy(x.astype(float)) for x in (q, k, v))
    other = torch.nn.functional.scaled_dot_product_attention(q, k, v, None if mask is None else torch.from_numpy(mask)).numpy()
    return np.nan_to_num(other).astype(output.dtype), weights
"""), 10.0),
    Attack("library", "torch-in-a-cell", "PyTorch is loaded before the tests",
           right_and("import torch\ntorch.set_num_threads(8)\nx = torch.ones(100, 100) @ torch.ones(100, 100)"), 10.0),
    Attack("library", "scipy", "softmax is SciPy's, without a thought", (RIGHT + """
def softmax(x, axis=-1):
    import scipy.special
    return scipy.special.softmax(x, axis=axis)
""").encode(), 9.0),
    Attack("library", "installed-grader", "a module of the grader's name is put where it would be found", right_and("""
import os, sys
for name in ("autograder", "wire", "values", "calls", "student"):
    open(f"/tmp/{name}.py", "w").write("raise SystemExit")
sys.path.insert(0, "/tmp")
os.chdir("/tmp")"""), 10.0),
]
