"""The command line that puts a Python process into a bubblewrap sandbox, and the reasons why that may not work here."""

import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from autograder.sandbox import devices

CHILD = Path(__file__).parent / "child"
INSIDE = "/grader"  # where the child's files lie in the sandbox
KEPT = "/kept"  # a second view of what lies under /tmp, which private folders will cover
OWN = devices.OWN  # where a process with a GPU keeps a view of itself, while /proc is covered
HIDDEN_PACKAGES = ("transformers",)  # what the course's own tests use and no student has
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/fonts", "/etc/localtime")
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "MPLBACKEND": "agg",
    "MPLCONFIGDIR": "/tmp",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PIP_NO_INDEX": "1",  # an install cell fails at once
    "IPYTHONDIR": "/tmp/.ipython",
    "PYTHONDONTWRITEBYTECODE": "1",
}
KEPT_VARIABLES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")  # which kernels the CPU's libraries may use


class SandboxUnavailable(RuntimeError):
    """bubblewrap cannot work on this machine; the text says why and what to do."""


def command(arguments, gpu=None):
    """The command that runs the zygote in the sandbox. gpu: a gpu.device.Gpu that processes in it may use."""
    kept = {f"{KEPT}/{i}": place for i, place in enumerate(read_only_places()) if Path(place).is_relative_to("/tmp")}
    of_gpu = {f"{KEPT}/gpu-{i}": place for i, place in enumerate(devices.system_files())} if gpu else {}
    as_root = os.geteuid() == 0
    options = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    options += ["--cap-drop", "ALL"]
    # Started by root, the zygote becomes nobody itself; everybody else gets a user namespace.
    options += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if as_root else ["--unshare-user"]
    options += ["--die-with-parent", "--new-session", "--clearenv", "--hostname", "grader"]
    for name, value in environment(gpu).items():
        options += ["--setenv", name, value]
    options += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"]
    options += [part for place in read_only_places() for part in bind(place, place)]
    options += [part for target, link in system_links() for part in ("--symlink", target, link)]
    options += [part for copy, place in (kept | of_gpu).items() for part in bind(place, copy)]
    if gpu:
        options += ["--perms", "0755", "--dir", OWN]
        options += [part for node in devices.nodes(gpu) for part in bind(node, node, "--dev-bind")]
        options += [part for place in devices.places() for part in bind(place, place)]
    options += ["--ro-bind", str(CHILD), INSIDE]
    options += [part for place in hidden_places() for part in ("--tmpfs", place)]
    options += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"]
    return ["bwrap", *options, "--", *python(), f"{INSIDE}/zygote.py", *arguments, json.dumps(kept | of_gpu | ({OWN: "/proc/self"} if gpu else {}))]


def plain_command(arguments):
    """The command that runs the zygote without a sandbox."""
    return [*python(), str(CHILD / "zygote.py"), *arguments, "{}"]


def python():
    """The environment's interpreter, deaf to the surroundings: no PYTHON… variables, no user's packages, no current folder."""
    return [sys.executable, "-I", "-B"]


def environment(gpu=None):
    """The child's environment variables: a fixed few, nothing of the caller's but the choice of CPU kernels, and of the GPU."""
    return ENVIRONMENT | {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ} | (devices.environment(gpu) if gpu else {})


def read_only_places():
    """The folders and files that the interpreter and its libraries need."""
    places = ["/usr", *(path for path in SYSTEM_FILES if os.path.exists(path))]
    for prefix in (sys.base_prefix, sys.prefix):
        if not any(Path(prefix).is_relative_to(place) for place in places):
            places.append(prefix)
    interpreter = str(Path(sys.executable).resolve().parent.parent)
    if not any(Path(interpreter).is_relative_to(place) for place in places):
        places.append(interpreter)
    return places


def bind(source, place, how="--ro-bind"):
    """Options that show a source at a place, read-only or as `how` says; the folders above it are made so that anybody may pass through them."""
    above = [str(folder) for folder in reversed(Path(place).parents) if str(folder) not in ("/", "/tmp", "/usr")]
    return [part for folder in above for part in ("--perms", "0755", "--dir", folder)] + [how, source, place]


def system_links():
    """Links such as /lib → usr/lib; where they are folders of their own they are bound instead."""
    return [(os.readlink(f"/{name}"), f"/{name}") for name in ("bin", "lib", "lib64", "sbin") if os.path.islink(f"/{name}")]


def hidden_places():
    """Packages in the environment that a student's environment does not have."""
    folders = [Path(entry) / name for entry in sys.path for name in HIDDEN_PACKAGES if entry]
    return [str(folder) for folder in dict.fromkeys(folders) if folder.is_dir()]


@functools.cache
def require():
    """Raise SandboxUnavailable, with the reason and the remedy, unless a sandbox can be made on this machine."""
    if sys.platform != "linux":
        raise SandboxUnavailable(f"bubblewrap needs Linux, and this is {sys.platform}. {ALTERNATIVE}")
    if shutil.which("bwrap") is None:
        raise SandboxUnavailable(f"the command bwrap is not installed: apt install bubblewrap, or dnf install bubblewrap. {ALTERNATIVE}")
    probe = subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--", "/usr/bin/env", "true"], capture_output=True, text=True)
    if probe.returncode != 0:
        raise SandboxUnavailable(f"bwrap cannot make a sandbox: {probe.stderr.strip()[:300]}. {reason()} {ALTERNATIVE}")


ALTERNATIVE = "To run students' code without isolation, at your own risk, ask for it: --sandbox none."


def reason():
    """The likeliest reason why user namespaces are refused, and how to allow them."""
    settings = {
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": ("1", "AppArmor forbids user namespaces to ordinary programs (Ubuntu 24.04 "
            "and later): allow bwrap with a profile in /etc/apparmor.d, or sysctl kernel.apparmor_restrict_unprivileged_userns=0."),
        "/proc/sys/kernel/unprivileged_userns_clone": ("0", "User namespaces are switched off: sysctl kernel.unprivileged_userns_clone=1."),
        "/proc/sys/user/max_user_namespaces": ("0", "No user namespace may be made: sysctl user.max_user_namespaces=10000."),
    }
    for path, (bad, remedy) in settings.items():
        try:
            if Path(path).read_text().strip() == bad:
                return remedy
        except OSError:
            continue
    return "In a container, user namespaces have to be allowed by the container's own settings (its seccomp profile)."
