"""Triton kernels under observation, and what a submission of triton-flash gets for them: in the interpreter, in the compiler, on a GPU that is none."""

import math

import pytest
import torch

from autograder.assignment import load
from autograder.gpu import device
from autograder.grade import Grader
from autograder.sandbox.child.kernels import observed, watched
from autograder.sandbox.limits import Limits
from tests.autograder.conftest import by_id

triton = pytest.importorskip("triton", reason="Triton is not installed; it is made for Linux")
import triton.language as tl  # noqa: E402

NEED_A_GPU = {"cuda-float32", "cuda-float16", "cuda-bfloat16", "cuda-lengths", "cuda-work", "cuda-memory", "cuda-speed"}
PATIENT = Limits(total_s=400.0, test_s=60.0, compile_s=120.0)  # the machine that runs all tests may be busy
TILES = '    return (64, 32) if dtype == torch.float32 else (128, 64) if d_head < 128 else (64, 64)'


@pytest.fixture(scope="module")
def exercise():
    return load("triton-flash")


@pytest.fixture(scope="module")
def grader(needs_sandbox, exercise):
    with Grader(exercise, "a secret of the tests", limits=PATIENT) as grader:
        yield grader


def only(grader, *names):
    """A grader's hidden tests of these names alone."""
    return [test for test in grader.hidden.tests if test.id.split(".")[1] in names]


@triton.jit
def doubled(x_ptr, y_ptr, n, SHIFT: tl.constexpr, MASKED: tl.constexpr, TILE: tl.constexpr):
    places = tl.program_id(0) * TILE + tl.arange(0, TILE)
    inside = places < n
    if MASKED:
        tl.store(y_ptr + places, 2 * tl.load(x_ptr + places + SHIFT, mask=inside), mask=inside)
    else:
        tl.store(y_ptr + places, 2 * tl.load(x_ptr + places + SHIFT))


def double(x, shift=0, masked=True):
    y = torch.empty_like(x)
    doubled[(triton.cdiv(len(x), 8),)](x, y, len(x), SHIFT=shift, MASKED=masked, TILE=8)
    return y


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
def test_a_kernel_within_its_tensors_is_left_alone(dtype):
    x = torch.arange(20).to(dtype)
    y, work = watched(double, x)
    assert torch.equal(y, 2 * x) and (work.stray_loads, work.stray_stores, work.launches, work.programs) == (0, 0, 1, 3)


def test_stray_loads_and_stores_are_counted_and_left_out():
    y, work = watched(double, torch.arange(20.0), 0, False)
    assert torch.equal(y, 2 * torch.arange(20.0)) and (work.stray_loads, work.stray_stores) == (4, 4)


@pytest.mark.parametrize("shift", [-3, 3, 100_000])
def test_a_stray_load_gives_nan(shift):
    y, work = watched(double, torch.arange(20.0), shift)
    assert y.isnan().any() and work.stray_loads == min(20, abs(shift)) and work.stray_stores == 0


def test_what_is_empty_is_full_of_nan():
    output, _ = watched(lambda x: torch.empty_like(x), torch.zeros(5))
    assert output.isnan().all()


def test_an_output_of_zeros_stays_zeros_and_a_padded_input_is_padded():
    output, _ = watched(lambda x: torch.nn.functional.pad(x, (0, 3)) + torch.zeros(8), torch.ones(5))
    assert output.tolist() == [1.0] * 5 + [0.0] * 3


def test_inputs_keep_their_layout_and_what_becomes_of_them_is_seen():
    x = torch.arange(24.0).view(2, 3, 4).transpose(0, 2)
    strides, work = watched(lambda x: list(x.mul_(2).stride()), x)
    assert strides == list(x.stride()) and torch.equal(work.arguments[0], 2 * x) and float(x.max()) == 23.0


def test_a_students_own_exception_comes_as_it_was():
    @triton.jit
    def raising(x_ptr):
        raise NotImplementedError("not yet")

    with pytest.raises(NotImplementedError, match="not yet"):
        watched(lambda x: raising[(1,)](x), torch.zeros(1))
    assert watched(double, torch.arange(8.0))[1].stray_loads == 0, "an exception has left something behind"


@pytest.mark.parametrize("function", [lambda x: x @ x, lambda x: torch.softmax(x, -1), lambda x: x.exp(), lambda x: (x[:, None] * x[:, :, None]).sum(1),
                                      lambda x: torch.einsum("ij,kj->ik", x, x), lambda x: torch.nn.functional.linear(x, x), lambda x: torch.logsumexp(x, 0)])
def test_products_and_softmaxes_of_pytorch_are_noticed(function):
    assert watched(function, torch.ones(4, 4))[1].outside


@pytest.mark.parametrize("function", [lambda x: 0.5 * x, lambda x: x.contiguous().half(), lambda x: torch.nn.functional.pad(x, (0, 3)), lambda x: x.mT.clone()])
def test_making_and_moving_tensors_is_nobodys_work(function):
    assert not watched(function, torch.ones(4, 4))[1].outside


def test_the_work_of_the_reference_is_what_attention_takes(exercise):
    q, k = torch.randn(1, 2, 32, 32), torch.randn(1, 2, 64, 32)
    see = {"what": "work", "products": 2 * 2 * 32 * 64 * 32, "powers": 2 * 32 * 64}
    found, _ = observed(see, exercise.namespace()["flash_attention_triton"], [q, k, k], {})
    assert found == {"inside": False, "outside": False, "products": True, "powers": True}


def test_without_a_gpu_the_interpreters_part_is_graded_and_the_rest_deferred(grader, exercise):
    result = grader.grade("student", exercise.solution_source.encode(), "solution.py", seed=1, language="en")
    found = by_id(result)
    assert {name for name, entry in found.items() if entry["status"] == "deferred"} == NEED_A_GPU
    assert {entry["status"] for name, entry in found.items() if name not in NEED_A_GPU} == {"passed"}
    assert "registers" in found["compiles-for-9-0"]["message"] and "232,448 bytes of shared memory" in found["compiles-for-9-0"]["message"]
    assert (result["score"], result["max_score"], result["device"]) == (7.0, 10.0, "cpu")


@pytest.mark.parametrize(("tiles", "told"), [
    ("    return (256, 128)", "shared memory"),
    ("    return (64, 8)", "CompilationError"),
])
def test_what_the_compiler_says_reaches_the_student(grader, exercise, monkeypatch, tiles, told):
    assert exercise.solution_source.count(TILES) == 1
    source = exercise.solution_source.replace(TILES, tiles)
    monkeypatch.setattr(grader.hidden, "tests", only(grader, "compiles-for-8-0"))
    entry = grader.grade("student", source.encode(), "solution.py", seed=1, language="en")["tests"][0]
    assert entry["status"] != "passed" and told in entry["message"], entry


def test_a_notebook_that_takes_the_interpreter_line_out_is_graded_alike(grader, exercise, monkeypatch):
    source = exercise.solution_source + '\nimport os\nos.environ["TRITON_INTERPRET"] = "0"\n'
    monkeypatch.setattr(grader.hidden, "tests", only(grader, "causal", "compiles-for-9-0"))
    result = grader.grade("student", source.encode(), "solution.py", seed=1)
    assert [test["status"] for test in result["tests"]] == ["passed", "passed"], result["tests"]


NUMPY = """

@triton.jit
def idle(out_ptr):
    tl.store(out_ptr + tl.arange(0, 1), tl.zeros((1,), tl.float32))


def flash_attention_triton(q, k, v, is_causal=False):
    check_inputs(q, k, v)
    idle[(1,)](torch.empty(1))
    numbers = [x.float().WAY for x in (q, k, v)]
    q_, k_, v_ = (np.asarray(x, np.float32) for x in numbers)
    scores = q_ @ np.swapaxes(k_, -1, -2) / math.sqrt(q.shape[-1])
    if is_causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool), scores.shape[-1] - scores.shape[-2]), scores, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return torch.from_numpy(powers / powers.sum(-1, keepdims=True) @ v_).to(q.dtype)
"""


@pytest.mark.parametrize("way", ["numpy()", "tolist()", "__array__()"])
def test_what_numpy_computes_beside_an_idle_kernel_does_not_count(grader, exercise, monkeypatch, way):
    monkeypatch.setattr(grader.hidden, "tests", only(grader, "causal", "work"))
    source = exercise.solution_source + "\nimport numpy as np\n" + NUMPY.replace("WAY", way)
    entries = grader.grade("student", source.encode(), "solution.py", seed=1, language="en")["tests"]
    assert [entry["status"] for entry in entries] == ["failed", "failed"]
    assert all("by PyTorch or NumPy" in entry["message"] for entry in entries), entries


def test_the_part_for_a_gpu_is_filled_in_with_a_fake_one(needs_sandbox, exercise, monkeypatch):
    """In the interpreter, so without bfloat16, and without the long sequence and the timing, which would take it hours."""
    monkeypatch.setenv(device.FAKE, "1")
    with Grader(exercise, "a secret of the tests", device="cuda", limits=PATIENT) as grader:
        grader.hidden.tests = only(grader, "causal", "cuda-lengths", "cuda-work")
        for source, statuses in ((exercise.solution_source, ["passed", "passed", "passed"]),
                                 (exercise.wrong["torch-outside"].source, ["failed", "failed", "failed"])):
            result = grader.grade("student", source.encode(), "solution.py", seed=1, language="en")
            assert [test["status"] for test in result["tests"]] == statuses, result["tests"]
            assert result["device"] == "cuda"


def test_the_exercise_is_worth_seven_without_a_gpu(grader):
    points = {True: 0.0, False: 0.0}
    for test in grader.hidden.tests:
        points[test.cuda] += test.points
    assert math.isclose(points[False], 7.0) and math.isclose(points[True], 3.0)
