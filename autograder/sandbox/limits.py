"""What a submission may use."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds of one submission; seconds by the clock of patience.py, bytes of memory and files."""

    total_s: float = 60.0  # loading and all tests together
    load_s: float = 30.0
    cell_s: float = 10.0  # then the cell is interrupted, and the next one runs
    test_s: float = 8.0
    compile_s: float = 30.0  # a test of kernels that are compiled
    again_s: float = 2.0  # a test of a part of which one has run out of time already
    memory_bytes: int = 3 << 30  # of one process, on top of what Python and its libraries take
    total_memory_bytes: int = 4 << 30  # of all processes of a submission together
    tmp_bytes: int = 64 << 20
    file_bytes: int = 64 << 20
    processes: int = 64
    open_files: int = 256
    gpu_test_s: float = 90.0  # a test on a GPU, from the moment in which its process has the notebook's names; the device's context is made in that time
    gpu_total_s: float = 600.0  # loading and all tests on a GPU together
    gpu_memory_bytes: int = 8 << 30  # of the host's memory, all processes of a test on a GPU together
    gpu_share: float = 0.9  # of the GPU's own memory

    def for_child(self, base_address_space, with_gpu=False):
        """What the zygote has to know to set the limits.

        With a GPU there is none for addresses: CUDA reserves hundreds of gigabytes of them. What is really in use is watched instead.
        """
        names = ("memory_bytes", "total_memory_bytes", "tmp_bytes", "file_bytes", "processes", "open_files")
        limits = {"base_address_space": base_address_space, **{name: getattr(self, name) for name in names}}
        with_gpu = {"base_address_space": 0, "total_memory_bytes": self.gpu_memory_bytes, "open_files": 4 * self.open_files} if with_gpu else {}
        return limits | with_gpu
