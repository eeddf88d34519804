"""The driver's management library, NVML, by ctypes: how much of a GPU's memory is in use, whoever uses it.

It makes no CUDA context. This process stays able to fork, and takes none of the memory that it measures.
"""

import ctypes

LIBRARY = "libnvidia-ml.so.1"
UUID_BYTES = 96


class NvmlFailed(RuntimeError):
    """The library is missing, or the device does not answer it."""


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class Nvml:
    """One device, by its UUID (GPU-… or MIG-…) as CUDA names it."""

    def __init__(self, uuid, library=None):
        try:
            self.library = library or ctypes.CDLL(LIBRARY)
        except OSError as error:
            raise NvmlFailed(f"{LIBRARY} cannot be loaded ({error}); in a container, allow it: NVIDIA_DRIVER_CAPABILITIES=compute,utility") from None
        self._check(self.library.nvmlInit_v2(), "nvmlInit")
        self.device = ctypes.c_void_p()
        self._check(self.library.nvmlDeviceGetHandleByUUID(uuid.encode(), ctypes.byref(self.device)), f"the device {uuid}")

    def used_bytes(self):
        """The bytes of the device's memory that are in use; raises NvmlFailed where the device does not answer."""
        memory = _Memory()
        self._check(self.library.nvmlDeviceGetMemoryInfo(self.device, ctypes.byref(memory)), "its memory")
        return memory.used

    def _check(self, code, what):
        if code != 0:
            self.library.nvmlErrorString.restype = ctypes.c_char_p
            text = self.library.nvmlErrorString(code) or b""
            raise NvmlFailed(f"{what}: {text.decode(errors='replace')} (NVML error {code})")
