"""What the kernel bounds for each process alone, watched for all of a submission: memory, and the share of the processor."""

import os
import select

EVERY_S = 0.1
CROWD = 12  # processes and threads; from there on they share the processor as if they were one


def watch(control, most_bytes, kill, zygotes):
    """Wait for an order on the control connection; until it comes, call kill() as often as more than most_bytes are in use.

    zygotes: processes of ours, which do not count.
    """
    while not select.select([control], [], [], EVERY_S)[0]:
        pids = others(zygotes)
        if in_use(pids, anonymous) > most_bytes and in_use(pids, proportional) > most_bytes:
            kill()
        give_way(pids)


def others(zygotes):
    """The processes in this pid namespace, without those of ours and the first."""
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if pid != 1 and pid not in zygotes]


def in_use(pids, measure):
    """The bytes that processes use together."""
    return sum(map(measure, pids))


def anonymous(pid):
    """A process's bytes that lie in no file. Quick to know; what processes share counts for each of them."""
    return _sum_of(f"/proc/{pid}/status", (b"RssAnon:", b"RssShmem:"))


def proportional(pid):
    """A process's bytes with its part of what it shares. Slow to know; of a process that hides them, the other number."""
    try:
        return _sum_of(f"/proc/{pid}/smaps_rollup", (b"Pss:",))
    except PermissionError:
        return anonymous(pid)


def _sum_of(path, names):
    try:
        with open(path, "rb") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith(names)) << 10  # kB
    except (FileNotFoundError, ProcessLookupError):
        return 0  # it has ended


def give_way(pids):
    """Put a crowd of processes and threads last in the queue, so that other submissions of the machine get their turn."""
    threads = [thread for pid in pids for thread in threads_of(pid)]
    if len(threads) > CROWD:
        for thread in threads:
            try:
                os.setpriority(os.PRIO_PROCESS, thread, 19)
            except OSError:
                pass  # it has ended


def threads_of(pid):
    """The numbers of a process's threads."""
    try:
        return list(map(int, os.listdir(f"/proc/{pid}/task")))
    except OSError:
        return []
