"""Finding the GPU, and the fake one that the course's own tests put in its place."""

import functools
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from autograder.gpu.nvml import Nvml, NvmlFailed

FAKE = "AUTOGRADER_FAKE_GPU"  # of our own tests: tests of a GPU run on the CPU, and take its tensors for those of a device
PROBE_S = 120.0
REMEDY = "Without a GPU grade with --device cpu: what needs one is deferred, and can be filled in later."
PROBE = """
import json, torch
x = torch.ones(64, 64, device="cuda")
assert float((x @ x).sum()) == 64.0 ** 3
p = torch.cuda.get_device_properties(0)
uuid = str(p.uuid)
free, total = torch.cuda.mem_get_info()
print(json.dumps({"name": p.name, "uuid": uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}", "total_bytes": total,
    "cache_bytes": p.L2_cache_size, "capability": list(torch.cuda.get_device_capability())}))
"""
WHERE_IT_MAY_BE = ("/dev/nvidiactl", "/dev/dxg")  # the driver's, and that of Windows' subsystem for Linux
CACHE_BYTES = 64 << 20  # where PyTorch does not say
OVERHEAD = 0.05  # of the memory: contexts, and what others had in use before
FAKE_CEILING = 3 << 30


class NoGpu(RuntimeError):
    """There is no GPU that works; the text says why, and what to do."""


@dataclass(frozen=True)
class Gpu:
    """A GPU that works."""

    name: str
    uuid: str
    total_bytes: int
    cache_bytes: int  # of its L2 cache
    capability: tuple
    fake: bool = False

    def used_bytes(self):
        """The bytes of its memory that are in use, by anybody; raises GpuLost where it does not answer."""
        if self.fake:
            return anonymous_bytes(descendants(os.getpid()))
        try:
            return nvml(self.uuid).used_bytes()
        except NvmlFailed as error:
            raise GpuLost(f"the GPU {self.name} does not answer: {error}") from None

    def ceiling(self, share):
        """The bytes in use, by all together, at which a test is ended: more than a share of the memory."""
        return self.used_bytes() + FAKE_CEILING if self.fake else int(self.total_bytes * (share + OVERHEAD))

    def for_child(self, share):
        """What a test's process has to know. share: of the memory, what it may take."""
        return {"name": "cuda", "fake": self.fake, "cache_bytes": self.cache_bytes, "share": share}


class GpuLost(RuntimeError):
    """The GPU was there, and does not answer any more."""


def find():
    """The GPU of this machine; raises NoGpu with the reason and the remedy. It is tried out in a process of its own."""
    if os.environ.get(FAKE):
        return Gpu("a GPU that is none", "GPU-none", 128 << 20, 1 << 20, (0, 0), fake=True)
    if sys.platform != "linux" or not any(map(os.path.exists, WHERE_IT_MAY_BE)):
        raise NoGpu(f"this machine has no NVIDIA GPU, or no driver for it: there is no {WHERE_IT_MAY_BE[0]}. {REMEDY}")
    found = probe()
    try:
        nvml(found.uuid).used_bytes()
    except NvmlFailed as error:
        raise NoGpu(f"the memory of the GPU cannot be watched: {error}. {REMEDY}") from None
    return found


def probe():
    """The Gpu that PyTorch computes on; raises NoGpu where it cannot."""
    environment = os.environ | {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    try:
        run = subprocess.run([sys.executable, "-I", "-c", PROBE], capture_output=True, text=True, timeout=PROBE_S, env=environment)
    except subprocess.TimeoutExpired:
        raise NoGpu(f"the GPU does not answer within {PROBE_S:g} s; look at nvidia-smi. {REMEDY}") from None
    if run.returncode != 0:
        raise NoGpu(f"PyTorch cannot use the GPU: {(run.stderr.strip().splitlines() or ['no reason was given'])[-1][:300]}. {advice(run.stderr)} {REMEDY}")
    fields = json.loads(run.stdout.strip().splitlines()[-1])
    return Gpu(fields["name"], fields["uuid"], fields["total_bytes"], fields["cache_bytes"] or CACHE_BYTES, tuple(fields["capability"]))


def advice(text):
    """What to do about an error of PyTorch's."""
    if "not compiled with CUDA" in text:
        return ("The environment has PyTorch's build for the CPU: install the one for CUDA, in the version of torch that requirements.txt names; "
                "PyTorch's page Get Started gives the command.")
    if "no kernel image" in text:
        return "This build of PyTorch has no code for that card."
    return "See whether nvidia-smi lists it, and whether CUDA_VISIBLE_DEVICES leaves it visible."


@functools.cache
def nvml(uuid):
    """The connection to the driver's library, for one device."""
    return Nvml(uuid)


def descendants(pid):
    """The numbers of all processes that a process has started, and those have."""
    found, todo = [], [pid]
    while todo:
        for path in Path(f"/proc/{todo.pop()}/task").glob("*/children"):
            try:
                children = list(map(int, path.read_text().split()))
            except OSError:
                continue  # it has ended
            found += children
            todo += children
    return found


def anonymous_bytes(pids):
    """The bytes of memory that lie in no file, of several processes: what the fake GPU takes for its own."""
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon:"))
    return total
