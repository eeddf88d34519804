"""What a process with a GPU sees of the machine beyond what others see: the device's nodes, the driver's libraries, a few files of the system.

All of it is there for tests of a GPU alone. The nodes can be written to, which is how a GPU is spoken to; everything else can only be read.
"""

import glob
import os
from pathlib import Path

NODES = ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia[0-9]*", "/dev/nvidia-caps/*", "/dev/dxg")
LIBRARIES = ("libcuda.so.1", "libnvidia-ml.so.1", "libnvidia-ptxjitcompiler.so.1", "libnvidia-nvvm.so.4")
FOLDERS = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/run/opengl-driver/lib")  # beside those of LD_LIBRARY_PATH
OF_PROC = ("/proc/driver/nvidia", "/proc/devices", "/proc/cpuinfo", "/proc/meminfo", "/proc/modules", "/proc/sys/vm/mmap_min_addr")
OF_SYS = ("/sys/devices", "/sys/bus/pci", "/sys/module/nvidia", "/sys/module/nvidia_uvm")
OWN = "/own-process"
CHOICE = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")


def nodes(gpu):
    """The nodes in /dev through which a GPU is spoken to; a fake one has none."""
    return [] if gpu.fake else [node for pattern in NODES for node in sorted(glob.glob(pattern)) if not os.path.isdir(node)]


def places():
    """The folders that the driver's libraries lie in, and read."""
    return [place for place in (*OF_SYS, *library_folders()) if os.path.exists(place)]


def system_files():
    """What of /proc the driver's libraries read: /proc itself is covered for students."""
    return [place for place in OF_PROC if os.path.exists(place)]


def library_folders():
    """The folders with the driver's libraries that are not under /usr, which is shown anyway."""
    found = []
    for folder in (*filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":")), *FOLDERS):
        if any((Path(folder) / name).exists() for name in LIBRARIES):
            found.append(str(Path(folder).resolve()))
    return [folder for folder in dict.fromkeys(found) if not folder.startswith("/usr/")]


def environment(gpu):
    """The variables that tell CUDA which GPU is meant, and to write no cache."""
    chosen = {name: os.environ[name] for name in CHOICE if name in os.environ}
    libraries = library_folders()
    return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_CACHE_DISABLE": "1", **chosen, **({"LD_LIBRARY_PATH": ":".join(libraries)} if libraries else {})}
