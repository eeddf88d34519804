"""What a submission may use."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds of one submission; seconds of wall time, bytes of memory and files."""

    total_s: float = 60.0  # loading and all tests together
    load_s: float = 30.0
    cell_s: float = 10.0  # then the cell is interrupted, and the next one runs
    test_s: float = 8.0
    again_s: float = 2.0  # a test of a part of which one has run out of time already
    memory_bytes: int = 3 << 30  # of one process, on top of what Python and its libraries take
    total_memory_bytes: int = 4 << 30  # of all processes of a submission together
    tmp_bytes: int = 64 << 20
    file_bytes: int = 64 << 20
    processes: int = 64
    open_files: int = 256

    def for_child(self, base_address_space):
        """What the zygote has to know to set the limits."""
        names = ("memory_bytes", "total_memory_bytes", "tmp_bytes", "file_bytes", "processes", "open_files")
        return {"base_address_space": base_address_space, **{name: getattr(self, name) for name in names}}
