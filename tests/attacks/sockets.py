"""Attacks by network: anything that reaches a socket outside, of any family."""

from tests.attacks.attack import Attack, pays

# The tests listen there, and under the abstract name. The kernel gives this port to nobody who asks for any that is free.
PORT = 27613
ABSTRACT = "\0attack-listener"

BREACHES = {
    "inet": ("TCP and UDP to this machine and to the world", f"""
import socket
def breach():
    for family, address in ((socket.AF_INET, ("127.0.0.1", {PORT})), (socket.AF_INET, ("1.1.1.1", 53)), (socket.AF_INET6, ("::1",
        {PORT})), (socket.AF_INET, ("169.254.169.254", 80))):
        try:
            with socket.socket(family) as end:
                end.settimeout(0.2)
                end.connect(address)
                return True
        except OSError:
            pass
    try:
        return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("8.8.8.8", 53)) > 0
    except OSError:
        return False
"""),
    "names": ("names are looked up",
        "import socket\ndef breach():\n    socket.setdefaulttimeout(0.2)\n    return socket.getaddrinfo('pypi.org', 443)"),
    "abstract-unix": ("abstract UNIX sockets of this machine", f"""
import socket
def breach():
    with socket.socket(socket.AF_UNIX) as end:
        end.connect({ABSTRACT!r})
    return True
"""),
    "unix-in-files": ("UNIX sockets in well-known places", """
import socket
def breach():
    for path in ("/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private", "/dev/log",
        "/tmp/.X11-unix/X0"):
        try:
            socket.socket(socket.AF_UNIX).connect(path)
            return True
        except OSError:
            pass
"""),
    "vsock": ("the host of a virtual machine, which no network namespace hides", """
import socket
def breach():
    return socket.socket(40, socket.SOCK_STREAM)
"""),
    "raw-and-others": ("raw sockets, packets, the kernel's crypto, Bluetooth", """
import socket
def breach():
    for family, kind in ((2, 3), (17, 3), (38, 5), (31, 3), (29, 3), (44, 3)):
        try:
            socket.socket(family, kind)
            return True
        except OSError:
            pass
"""),
    "netlink": ("interfaces besides the loop, by netlink", """
import socket
def breach():
    return [name for _, name in socket.if_nameindex() if name != "lo"]
"""),
    "pip": ("an install cell", """
import subprocess, sys
_tried = []
def breach():
    if _tried: return False
    _tried.append(1)
    return subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, timeout=3).returncode == 0 and subprocess.run(
        [sys.executable, "-c", "import urllib.request; urllib.request.urlopen('https://pypi.org', timeout=1)"], capture_output=True, timeout=3).returncode == 0
"""),
}

ATTACKS = [Attack("sockets", name, what, pays(code)) for name, (what, code) in BREACHES.items()]
