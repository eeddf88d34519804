"""Making a process cheap to fork: what is copied for each child is its table of pages, entry by entry."""

import ctypes
import gc

HUGE = 2 << 20
MADV_COLLAPSE = 25  # Linux 6.1; an older kernel refuses it, and nothing is lost


def settle():
    """After the last import: let the garbage collector leave alone what is there for good, and put its memory on huge pages.

    A collection would write to every object, and each page written to is copied. 512 pages on a huge one are a single entry.
    """
    gc.collect()
    gc.freeze()
    libc = ctypes.CDLL(None)
    for begin, end in private_places():
        for place in range(-(-begin // HUGE) * HUGE, end - HUGE + 1, HUGE):
            libc.madvise(ctypes.c_void_p(place), ctypes.c_size_t(HUGE), MADV_COLLAPSE)


def private_places():
    """The ranges of addresses, [(begin, end)], that hold this process's own data; none where the system does not tell."""
    try:
        with open("/proc/self/maps") as file:
            lines = [line.split() for line in file]
    except OSError:
        return []
    own = [line[0].split("-") for line in lines if "w" in line[1] and line[5:] in ([], ["[heap]"])]
    return [(int(begin, 16), int(end, 16)) for begin, end in own]
