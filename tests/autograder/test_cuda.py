"""Tests of a GPU: deferred where there is none, filled in where there is one, and what comes of students' code on it.

All of it runs with a fake GPU (autograder/sandbox/child/fake_device.py), and with a real one where there is one: `make cuda`.
"""

import dataclasses
import json
import os
import threading
import types
from pathlib import Path

import pytest

from autograder import batch, results
from autograder import assignment as assignments
from autograder.assignment import read
from autograder.cli import main
from autograder.gpu import device, meter, station
from autograder.gpu.nvml import Nvml, NvmlFailed
from autograder.grade import Grader
from autograder.hidden.host import HiddenTests
from autograder.languages import LANGUAGES
from autograder.run import SubmissionRun
from autograder.sandbox import bubblewrap, devices
from autograder.sandbox.limits import Limits
from autograder.sandbox.sandbox import Sandbox
from autograder.submissions import find
from autograder.verdict import Verdict, deferred_here
from tests.autograder.conftest import by_id

TOY = Path(__file__).parent / "toy-gpu"
ASSIGNMENT = dataclasses.replace(read(TOY), solution=str(TOY / "solution.py"))
SOLUTION = ASSIGNMENT.solution_source
ON_GPU = {"values-on-gpu", "memory-on-gpu", "speed-on-gpu", "layer-on-gpu"}
SETTINGS = batch.Settings("toy-gpu", "a secret of the tests", language="en")
KINDS = ["fake", pytest.param("real", marks=pytest.mark.cuda)]


@pytest.fixture(scope="module")
def toy():
    """The toy among the assignments."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "load", lambda name: ASSIGNMENT)
        yield ASSIGNMENT


@pytest.fixture(scope="module", params=KINDS)
def gpu(request, toy):
    """A GPU, fake or real."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "fake":
            patch.setenv(device.FAKE, "1")
        else:
            patch.delenv(device.FAKE, raising=False)
            try:
                device.find()
            except device.NoGpu as error:
                pytest.skip(str(error))
        yield request.param


@pytest.fixture(scope="module")
def grader(needs_sandbox, gpu):
    with Grader(ASSIGNMENT, SETTINGS.secret, device="cuda", limits=Limits(gpu_test_s=60.0)) as grader:
        yield grader


@pytest.fixture(scope="module")
def on_cpu(needs_sandbox, toy):
    """The results of a CPU: of a right solution, and of one that is wrong there."""
    with Grader(ASSIGNMENT, SETTINGS.secret) as grader:
        return {name: grader.grade(name, source.encode(), f"{name}.py", language="en") for name, source in SOURCES.items()}


SOURCES = {"right": SOLUTION, "wrong": SOLUTION + "\n\ndef attention(q, k, v, is_causal=False):\n    return v[..., : q.shape[-2], :]\n"}


def on_gpu(grader, change):
    """The entries of the tests of a GPU for the solution and a change of it, laid over what a CPU would have said."""
    return by_id(grader.fill_in(blank(grader), (SOLUTION + change).encode(), "x.py"))


def blank(grader):
    """A result in which nothing but the tests of a GPU is open."""
    run = SubmissionRun(grader, 1)
    run.verdicts = {test.id: Verdict("deferred" if test.cuda else "passed", deferred_here() if test.cuda else None) for test in grader.hidden.tests}
    return {"seed": 1, "language": "en", "note": None, "flags": [], "device": "cpu", "tests": [grader.entry(test, run.verdicts[test.id], "en") for test in grader.hidden.tests]}


# without a GPU


def test_without_a_gpu_the_tests_are_deferred_and_cost_nothing(on_cpu):
    result = on_cpu["right"]
    assert {name for name, entry in by_id(result).items() if entry["status"] == "deferred"} == ON_GPU
    assert (result["score"], result["max_score"], result["device"]) == (2.0, 6.0, "cpu")
    for name in ON_GPU:
        entry = by_id(result)[name]
        assert entry["points"] == 0.0 and entry["max_points"] == 1.0 and "where there is a GPU" in entry["message"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_deferred_test_says_so_in_the_students_language(language):
    assert "GPU" in deferred_here().say(language)


def test_without_a_gpu_cuda_is_refused_with_the_reason_and_the_remedy(needs_sandbox, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv(device.FAKE, raising=False)
    monkeypatch.setattr(device, "WHERE_IT_MAY_BE", ("/dev/no-such-device",))
    (tmp_path / "x.py").write_text("")
    code = main(["grade", str(tmp_path / "x.py"), "--assignment", "multi-head", "--out", str(tmp_path / "out"), "--device", "cuda"])
    printed = capsys.readouterr().err
    assert code == 2 and "no NVIDIA GPU" in printed and "--device cpu" in printed and not (tmp_path / "out").exists()


@pytest.mark.parametrize("ends, told", [
    ("import sys; sys.exit('AssertionError: Torch not compiled with CUDA enabled')", "build for the CPU"),
    ("import sys; sys.exit('RuntimeError: No CUDA GPUs are available')", "CUDA_VISIBLE_DEVICES"),
    ("import time; time.sleep(30)", "does not answer within"),
])
def test_a_gpu_that_does_not_work_is_refused_with_the_reason(monkeypatch, ends, told):
    monkeypatch.setattr(device, "PROBE", ends)
    if "sleep" in ends:
        monkeypatch.setattr(device, "PROBE_S", 2.0)
    with pytest.raises(device.NoGpu, match=told):
        device.probe()


# filling in


@pytest.fixture
def folder(tmp_path, on_cpu):
    """A folder of submissions, and one of the results that a CPU has given."""
    (tmp_path / "in").mkdir()
    for name, source in SOURCES.items():
        (tmp_path / "in" / f"{name}.py").write_text(source, encoding="utf-8")
        results.write(tmp_path / "out", on_cpu[name])
    return tmp_path


def fill(folder, **keywords):
    """Grade with a GPU; returns {student: result} as it lies in the files, and what is missing."""
    settings = dataclasses.replace(SETTINGS, device=keywords.pop("device", "cuda"))
    _, missing = batch.grade_all(find([folder / "in"], "toy-gpu"), settings, folder / "out", **keywords)
    return {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in (folder / "out").glob("*/toy-gpu.json")}, missing


def test_deferred_tests_are_filled_in_and_the_rest_is_left_alone(gpu, needs_sandbox, folder, on_cpu, monkeypatch):
    monkeypatch.setattr(SubmissionRun, "whole", lambda *args: pytest.fail("what has a result is graded again"))
    filled, missing = fill(folder)
    assert missing == {} and filled["right"]["score"] == 6.0 and filled["right"]["device"] == "cuda"
    for name, result in filled.items():
        before, after = by_id(on_cpu[name]), by_id(result)
        assert {key for key in result if result[key] != on_cpu[name][key]} <= {"device", "score", "tests", "flags"}
        assert list(after) == list(before) and all(after[test] == before[test] for test in set(before) - ON_GPU)
        assert all(after[test]["status"] != "deferred" for test in ON_GPU)
        assert result["score"] == sum(entry["points"] for entry in result["tests"])
    assert by_id(filled["wrong"])["values-on-gpu"]["status"] == "failed" and by_id(filled["wrong"])["layer-on-gpu"]["status"] == "passed"
    monkeypatch.setattr(SubmissionRun, "on_gpu", lambda *args: pytest.fail("what is filled in runs again"))
    assert fill(folder)[0] == filled  # a second run with a GPU, and one without, keep what there is
    assert fill(folder, device="cpu")[0] == filled


def test_what_has_changed_is_graded_whole(gpu, needs_sandbox, folder, on_cpu):
    (folder / "in" / "right.py").write_text("# changed\n" + SOLUTION, encoding="utf-8")
    (folder / "in" / "wrong.py").unlink()
    filled, missing = fill(folder)
    assert missing == {} and filled["right"]["score"] == 6.0 and filled["right"]["seed"] != on_cpu["right"]["seed"]
    assert filled["right"]["submission_sha256"] != on_cpu["right"]["submission_sha256"] and filled["wrong"] == on_cpu["wrong"]


def test_only_what_has_passed_may_be_asked_for(gpu, needs_sandbox, folder, on_cpu):
    filled, missing = fill(folder, passed_only=True)
    assert missing == {} and filled["right"]["score"] == 6.0 and filled["wrong"] == on_cpu["wrong"]


def test_a_result_that_cannot_be_written_stays_what_it_was(monkeypatch, needs_sandbox, folder, on_cpu):
    monkeypatch.setenv(device.FAKE, "1")
    monkeypatch.setattr(SubmissionRun, "on_gpu", lambda run, cells, tests: run.verdicts.update({test.id: Verdict("passed") for test in tests}))
    monkeypatch.setattr(station.Station, "__enter__", lambda self: self)
    monkeypatch.setattr(os, "replace", lambda *args: 1 / 0)
    filled, missing = fill(folder)
    assert set(missing) == {"right", "wrong"} and filled == on_cpu
    assert [path.name for path in (folder / "out" / "right").iterdir()] == ["toy-gpu.json"]


def test_an_unreadable_submission_has_nothing_to_fill_in(grader):
    result = grader.grade("x", b"{", "x.ipynb")
    assert {entry["status"] for entry in result["tests"]} == {"error"} and result["device"] == "cpu"


@pytest.mark.parametrize("resources, refused", [({"GPU": 1}, False), ({}, True)])
def test_on_a_cluster_they_go_to_workers_with_a_gpu(needs_sandbox, folder, on_cpu, monkeypatch, resources, refused):
    from dask.distributed import LocalCluster

    monkeypatch.setenv(device.FAKE, "1")
    monkeypatch.setattr(batch, "fill_on_worker", filled_somewhere)
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, resources=resources) as cluster:
        if refused:
            with pytest.raises(device.NoGpu, match="--resources GPU=1"):
                fill(folder, scheduler=cluster.scheduler_address)
        else:
            filled, missing = fill(folder, scheduler=cluster.scheduler_address)
            assert missing == {} and filled["right"]["score"] == 6.0


def filled_somewhere(task, result, settings):
    """In a worker's place: all that was deferred has passed."""
    tests = [entry | ({"status": "passed", "points": entry["max_points"]} if entry["status"] == "deferred" else {}) for entry in result["tests"]]
    return result | {"device": "cuda", "score": sum(entry["points"] for entry in tests), "tests": tests}, None


# what students' code does on it


def test_a_right_solution_passes_and_its_speed_is_told(grader):
    entries = on_gpu(grader, "")
    assert [entry for entry in entries.values() if entry["status"] != "passed"] == []
    speed = entries["speed-on-gpu"]
    assert "times as long as PyTorch's own attention" in speed["message"]
    (measured,) = speed["measured"].values()
    assert measured["seconds"] > 0 and measured["ratio"] > 0


WRONG = {
    "computes on the CPU": ("r = right(q.cpu(), k.cpu(), v.cpu(), is_causal).to(q.device)", "failed", "numbers from the GPU to the CPU"),
    "copies into a tensor of the CPU": ("kept = torch.empty(q.shape, dtype=q.dtype)\n    kept.copy_(q)\n    r = right(kept.to(q.device), k, v, is_causal)",
        "failed", "numbers from the GPU to the CPU"),
    "returns from the CPU": ("r = right(q, k, v, is_causal)\n    r = torch.zeros(r.shape, dtype=r.dtype)", "failed", "should be on the device"),
    "forgets the device of a new tensor": ("r = right(q, k, v, is_causal) + torch.ones(v.shape[-1])", "error", "device"),
    "takes TF32": ("torch.set_float32_matmul_precision('high')\n    r = right(q, k, v, is_causal)", "failed", "TF32"),
    "another dtype": ("r = right(q, k, v, is_causal).float()", "failed", "dtype"),
    "library": ("r = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]", "failed", "attention of your own"),
    "ends the process": ("import os\n    os._exit(1)", "error", "process ended"),
    "raises": ("raise RuntimeError('boo')", "error", "boo"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_fails_its_tests_and_no_others(grader, name):
    body, status, told = WRONG[name]
    entries = on_gpu(grader, f"\n\nright = attention\n\n\ndef attention(q, k, v, is_causal=False):\n    {body}\n    return r\n")
    entry = entries["values-on-gpu"]
    assert entry["status"] == status and told in entry["message"], entry
    assert entries["layer-on-gpu"]["status"] == "passed"


def test_all_scores_at_once_are_seen_from_outside(grader):
    entries = on_gpu(grader, "\n\ndef attention(q, k, v, is_causal=False):\n    return ((q.float() @ k.float().mT / q.shape[-1] ** 0.5).softmax(-1) @ v.float()).to(q.dtype)\n")
    assert entries["values-on-gpu"]["status"] == "passed" and entries["memory-on-gpu"]["status"] == "failed"
    assert "It has taken" in entries["memory-on-gpu"]["message"]


def test_a_call_that_hangs_ends_in_time(grader, monkeypatch):
    monkeypatch.setattr(grader, "limits", dataclasses.replace(grader.limits, gpu_test_s=8.0))
    entries = on_gpu(grader, "\n\ndef attention(*args, **kwargs):\n    while True:\n        pass\n")
    assert entries["values-on-gpu"]["status"] == "timeout" and entries["layer-on-gpu"]["status"] == "passed"


def test_more_memory_than_allowed_ends_the_test(grader, monkeypatch):
    monkeypatch.setattr(device.Gpu, "ceiling", lambda self, share: self.used_bytes() + (3 << 28))
    entries = on_gpu(grader, "\n\nright = attention\n\n\ndef attention(q, k, v, is_causal=False):\n    kept = [torch.ones(1 << 26, device=q.device) for _ in range(10)]\n"
                             "    import time\n    time.sleep(3)\n    return right(q, k, v, is_causal)\n")
    assert entries["values-on-gpu"]["status"] == "failed" and "more of the GPU's memory" in entries["values-on-gpu"]["message"]
    assert entries["layer-on-gpu"]["status"] == "passed"


def test_a_lost_gpu_fails_one_test_and_leaves_the_others_deferred(grader, monkeypatch):
    lost = []

    def used(self, real=device.Gpu.used_bytes):
        if lost:
            raise device.GpuLost("it has fallen off the bus")
        return real(self)

    def lose(run, *args, real=SubmissionRun._on_gpu):
        verdict = real(run, *args)
        lost.append(True)
        return verdict

    monkeypatch.setattr(device.Gpu, "used_bytes", used)
    monkeypatch.setattr(SubmissionRun, "_on_gpu", lose)
    monkeypatch.setattr(station, "RECOVER_S", 1.0)
    entries = on_gpu(grader, "\n\ndef attention(*args):\n    raise RuntimeError('boo')\n")
    statuses = [entries[name]["status"] for name in entries if name in ON_GPU]
    assert statuses == ["error"] + 3 * ["deferred"] and "fallen off the bus" in grader.lost
    assert "where there is a GPU" in entries["layer-on-gpu"]["message"]
    lost.clear()
    monkeypatch.undo()
    assert {entry["status"] for entry in on_gpu(grader, "").values()} == {"passed"} and grader.lost is None


def test_a_gpu_that_is_lost_is_reported_and_not_waited_for_again(monkeypatch, needs_sandbox, folder, on_cpu):
    monkeypatch.setenv(device.FAKE, "1")
    asked = []

    def fill_in(grader, result, data, name):
        asked.append(name)
        grader.lost = "it has fallen off the bus"
        return result

    monkeypatch.setattr(Grader, "fill_in", fill_in)
    filled, missing = fill(folder)
    assert len(asked) == 1 and set(missing) == {"right", "wrong"} and "off the bus" in missing["wrong"] and filled == on_cpu


# what it is made of


def test_a_process_with_a_gpu_sees_itself_and_little_else(gpu, needs_sandbox):
    source = """
import os
def f():
    own = sorted(name for name in os.listdir("/proc") if name.isdigit() or name == "self")
    memory = [line.split()[0] for line in open("/proc/self/status") if line.startswith("VmRSS")]
    try:
        open("/proc/cpuinfo", "a")
        writable = True
    except OSError:
        writable = False
    return [own, memory, len(open("/proc/cpuinfo").read()) > 10, writable, os.path.isdir("/sys/devices"), os.path.exists("/etc/passwd"), os.path.exists("/home")]
"""
    with Sandbox("torch", gpu=device.find()) as sandbox, sandbox.submission() as process:
        assert process.load([source], deadline=sandbox._soon()) == []
        with process.only_test(sandbox.for_child(), sandbox._soon()) as test:
            answer, _ = test.ask({"order": "call", "target": {"name": "f"}, "args": [], "kwargs": {}}, [])
    own, memory, *rest = answer["value"]["items"]
    assert own["items"] == ["self"] and memory["items"] == ["VmRSS:"] and rest == [True, False, os.path.isdir("/sys/devices"), False, False]


def test_the_nodes_of_a_gpu_are_shown_to_its_tests_alone(monkeypatch):
    there = {"/dev/nvidiactl": ["/dev/nvidiactl"], "/dev/nvidia[0-9]*": ["/dev/nvidia0"], "/dev/nvidia-uvm": ["/dev/nvidia-uvm"]}
    monkeypatch.setattr(devices.glob, "glob", lambda pattern: there.get(pattern, []))
    real = device.Gpu("X", "GPU-1", 1 << 34, 1 << 25, (9, 0))
    shown = bubblewrap.command(["x"], real)
    assert [shown[i + 1] for i, option in enumerate(shown) if option == "--dev-bind"] == ["/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0"]
    assert "--dev-bind" not in bubblewrap.command(["x"], dataclasses.replace(real, fake=True))
    assert not [option for option in bubblewrap.command(["x"]) if "nvidia" in option or option.startswith("/sys")]


def test_folders_with_the_drivers_libraries_are_shown_where_they_lie_elsewhere(monkeypatch, tmp_path):
    (tmp_path / "libcuda.so.1").touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/usr/lib:{tmp_path}")
    assert str(tmp_path) in devices.library_folders()
    assert str(tmp_path) in devices.environment(None)["LD_LIBRARY_PATH"]


def test_addresses_are_not_bounded_with_a_gpu_but_memory_in_use_is():
    limits = Limits().for_child(1 << 30, with_gpu=True)
    assert limits["base_address_space"] == 0 and limits["total_memory_bytes"] == Limits().gpu_memory_bytes
    assert Limits().for_child(1 << 30)["base_address_space"] == 1 << 30


class Driver:
    """In the place of the driver's library."""

    def __init__(self, code=0):
        self.code = code
        self.nvmlErrorString = lambda code: b"GPU is lost"

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetHandleByUUID(self, uuid, place):
        return 0

    def nvmlDeviceGetMemoryInfo(self, handle, place):
        place._obj.used = 7 << 20
        return self.code


def test_memory_is_asked_of_the_driver():
    assert Nvml("GPU-1", Driver()).used_bytes() == 7 << 20
    with pytest.raises(NvmlFailed, match="GPU is lost"):
        Nvml("GPU-1", Driver(15)).used_bytes()


def test_a_real_gpu_that_does_not_answer_is_lost(monkeypatch):
    monkeypatch.setattr(device, "nvml", lambda uuid: Nvml(uuid, Driver(15)))
    with pytest.raises(device.GpuLost, match="GPU is lost"):
        device.Gpu("X", "GPU-1", 1 << 34, 1 << 25, (9, 0)).used_bytes()


def test_a_meter_keeps_the_peak_and_calls_once_over_the_ceiling():
    to_come, last, killed, all_seen = [100, 100, 300, 900, 950, 200], 200, [], threading.Event()

    def used_bytes():
        """The next of them, however long the meter's thread has waited for its turn; then the last, when all before it have been looked at."""
        if to_come:
            return to_come.pop(0)
        all_seen.set()
        return last

    with meter.Meter(types.SimpleNamespace(used_bytes=used_bytes), 500, lambda: killed.append(True)) as watch:
        assert all_seen.wait(60)
        assert watch.taken() == 850 and killed == [True] and watch.exceeded == 900
        watch.begin()
        assert watch.taken() == 0


def test_memory_that_is_not_given_back_is_waited_for_and_no_longer():
    used = iter([300, 200, 100])
    assert meter.settled(types.SimpleNamespace(used_bytes=lambda: next(used)), 90, 20)
    assert not meter.settled(types.SimpleNamespace(used_bytes=lambda: 300), 90, 20, patience_s=0.2)


def test_copies_to_the_cpu_are_told_by_the_operators():
    from autograder.sandbox.child_modules import calls

    def on(kind, n=10):
        return types.SimpleNamespace(device=types.SimpleNamespace(type=kind), numel=lambda: n)

    copied = calls.device.copied
    assert copied("aten::_to_copy", (on("cuda"),), {"device": on("cpu").device}) == 10
    assert copied("aten::copy_", (on("cpu"), on("cuda")), {}) == 10
    assert copied("aten::_to_copy", (on("cuda"),), {"dtype": 1}) == copied("aten::_to_copy", (on("cpu"),), {"device": on("cuda").device}) == 0
    assert copied("aten::copy_", (on("cuda"), on("cpu")), {}) == copied("aten::_local_scalar_dense", (on("cuda"),), {}) == copied("aten::add", (on("cuda"),), {}) == 0


def test_the_places_of_results_are_found_wherever_they_stand():
    from autograder.hidden.gpu import places

    tensor = {"kind": "tensor", "index": 0}
    there = tensor | {"device": "cuda:0"}
    assert places([{"kind": "tuple", "items": [there, {"kind": "dict", "items": {"a": tensor}}, 3]}, None, {"w": there}]) == ["cuda", "cpu", "cuda"]
    assert places({"kind": "object", "id": 1}) == places("x") == []


# the exercises


@pytest.mark.parametrize("name", ["flash", "gqa", "kv-cache", "mla", "mqa", "multi-head", "rope", "triton-flash"])
def test_the_reference_passes_the_tests_of_a_gpu(needs_sandbox, gpu, name):
    if (name, gpu) == ("triton-flash", "fake"):
        pytest.skip("Triton's kernels take no tensors of a GPU that is none")
    with Grader(read(assignments.ASSIGNMENTS / name), SETTINGS.secret, device="cuda") as grader:
        result = grader.fill_in(blank(grader), grader.assignment.solution_source.encode(), "x.py")
    assert [entry for entry in result["tests"] if entry["status"] != "passed"] == [] and result["device"] == "cuda"
    assert any(test.cuda for test in grader.hidden.tests)


ALL_SCORES = """

def flash_forward(q, k, v, is_causal, block_q, block_k):
    scores = q.float() @ k.float().mT / q.shape[-1] ** 0.5
    if is_causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril(k.shape[-2] - q.shape[-2])
        scores = scores.masked_fill(~seen, -math.inf)
    logsumexp = scores.logsumexp(-1)
    weights = torch.exp(scores - logsumexp.masked_fill(logsumexp == -math.inf, 0)[..., None])
    return (weights @ v.float()).to(q.dtype), logsumexp
"""


def test_flash_with_all_scores_at_once_takes_too_much_of_a_gpu(needs_sandbox, gpu):
    with Grader(read(assignments.ASSIGNMENTS / "flash"), SETTINGS.secret, device="cuda") as grader:
        entries = by_id(grader.fill_in(blank(grader), (grader.assignment.solution_source + ALL_SCORES).encode(), "x.py"))
    assert entries["flash-cuda"]["status"] == "passed" and entries["flash-memory-cuda"]["status"] in ("failed", "error")


@pytest.mark.parametrize("name", assignments.names())
def test_without_a_gpu_an_exercise_gives_no_fewer_points_than_it_says(name):
    """Only where the exercise is about a GPU do its tests of one carry points."""
    with HiddenTests(read(assignments.ASSIGNMENTS / name)) as hidden:
        waiting = sum(test.points for test in hidden.tests if test.cuda)
    assert waiting == (3.0 if name == "triton-flash" else 0.0)
