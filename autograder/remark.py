"""What a line about a result ends with: the same words in the same order wherever it stands, in the summary of `grade` and in the reports."""

from autograder.reports.text import points


def misconceptions(found):
    """The misconceptions that were recognised, each once, in the tests' order; found: (status, misconception or None) of each test."""
    return tuple(dict.fromkeys(misconception for _, misconception in found if misconception))


def endings(found):
    """How many tests ended in each way other than passed: `17 × error`."""
    statuses = [status for status, _ in found if status not in ("passed", "deferred")]
    return tuple(f"{statuses.count(status)} × {status}" for status in sorted(set(statuses)))


def reasons(found):
    """The misconceptions, or, where none was recognised, the endings."""
    return misconceptions(found) or endings(found)


def words(note, found, flags, open_points):
    """All of the line, flags first; note: on a file that cannot be read, or None; flags: their kinds; open_points: of tests that wait for a GPU."""
    said = [f"flag: {kind}" for kind in dict.fromkeys(flags)]
    said += [note] if note else reasons(found)
    return said + ([f"{points(open_points)} open"] if open_points else [])
