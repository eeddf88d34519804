"""Attacks on disk, folders, links and descriptors."""

from tests.attacks.attack import Attack, each_call, pays, right_and

MARK = "attack-was-here"
BREACHES = {
    "write-anywhere": ("files are made wherever one may be", f"""
import os, site, sys
def breach():
    for folder in ("/", "/usr", "/usr/bin", "/usr/local", "/grader", "/kept", "/kept/0", "/dev", "/etc", "/root", "/home", "/var",
        "/proc", "/sys", "/var/tmp", sys.prefix,
                   *site.getsitepackages(), os.path.dirname(os.__file__)):
        try:
            open(folder + "/{MARK}", "w").close()
            return True
        except OSError:
            pass
"""),
    "change-anything": ("modes, owners, times and names of our files are changed", """
import os, sys
def breach():
    for path in ("/grader/zygote.py", "/grader", os.__file__, sys.executable, "/usr/bin/env", "/"):
        for change in (lambda: os.chmod(path, 0o777), lambda: os.chown(path, os.getuid(), -1), lambda: os.utime(path),
            lambda: os.rename(path, path + "x"), lambda: os.truncate(path, 0),
                       lambda: os.unlink(path), lambda: os.link(path, "/tmp/linked"), lambda: os.setxattr(path, "user.x", b"1")):
            try:
                change()
                return True
            except OSError:
                pass
"""),
    "links-to-outside": ("links that lead out of the private folder", """
import os
def breach():
    for number, target in enumerate(("/etc/passwd", "/etc/shadow", "/root/.bashrc", "/proc/1/root", "/proc/self/root/etc/shadow",
        "../../../etc/passwd")):
        try:
            os.symlink(target, f"/tmp/link{number}")
        except FileExistsError:
            pass
        if os.path.exists(f"/tmp/link{number}"):
            return True
"""),
    "devices": ("device files: disks, memory, the console", """
import os, stat
def breach():
    for name in ("mem", "kmem", "port", "sda", "vda", "loop0", "loop-control", "kvm", "fuse", "net/tun", "console", "tty0", "kmsg",
        "dri/card0", "nvidia0"):
        try:
            os.open("/dev/" + name, os.O_RDWR)
            return True
        except OSError:
            pass
    try:
        os.mknod("/tmp/disk", 0o666 | stat.S_IFBLK, os.makedev(254, 0))
        return bool(os.open("/tmp/disk", os.O_RDONLY))
    except OSError:
        return False
"""),
}
ATTACKS = [Attack("files", name, what, pays(code)) for name, (what, code) in BREACHES.items()]
ATTACKS += [
    Attack("files", "left-for-the-next", "what one test leaves is looked for by the next",
           pays("import os\nn = 0\ndef breach():\n    global n\n    n += 1\n    if n == 1: return False\n    there = os.path.exists('/dev/shm/left')\n"
                "    open('/dev/shm/left', 'w').close()\n    return there")),
    Attack("files", "disk", "the disk is filled", each_call("for n in range(10**6): open(f'/tmp/{n}', 'wb').write(bytes(1 << 22))")),
    Attack("files", "sparse", "a file of a terabyte with nothing in it",
           each_call("with open('/tmp/sparse', 'wb') as f: f.truncate(1 << 40)")),
    Attack("files", "inodes", "as many files as there may be", each_call("for n in range(10**6): open(f'/tmp/{n}', 'w').close()")),
    Attack("files", "folders", "folders in folders, ten thousand deep",
           each_call("os.chdir('/tmp')\nfor _ in range(10**4):\n    os.mkdir('d')\n    os.chdir('d')")),
    Attack("files", "descriptors", "as many descriptors as there may be", each_call("kept = []\nwhile True: kept.append(os.dup(0))")),
    Attack("files", "disk-in-a-cell", "the disk is filled before the tests",
           right_and("import os\ntry:\n    for n in range(100): open(f'/tmp/{n}', 'wb').write(bytes(1 << 22))\nexcept OSError: pass"), 10.0),
    Attack("files", "tests-folders", "the tests' own folders are there already, as links",
           right_and("import os\nfor n in range(100): os.symlink('/usr', f'/tmp/.test-{n}')"), 10.0),
    Attack("files", "locked-folder", "nobody may go into /tmp any more", right_and("import os\nos.chmod('/tmp', 0)"), 10.0),
]
