"""Running a notebook's cells one after the other, as Jupyter would: magics work, a cell that raises does not stop the next."""

import functools
import linecache
import signal
import traceback

MESSAGE_LIMIT = 500
MAX_ERRORS = 100


def run(sources, skip, timeout_s, before):
    """Run the cells top to bottom in one namespace.

    sources: the cells' texts. skip: indices to leave out (cells that have ended the process before). timeout_s: after so
    many seconds a cell is interrupted, as by Jupyter's stop button, and again each second. before(i) is called before cell i.
    Returns (names, errors): the namespace, and [{"cell", "type", "message", "line"}, …] of the cells that raised.
    """
    shell = make_shell()
    errors = []
    for index, source in enumerate(sources):
        before(index)
        if index in skip:
            continue
        error = run_cell(shell, source, timeout_s)
        if error is not None and len(errors) < MAX_ERRORS:
            errors.append({"cell": index, **describe(error)})
    return shell.user_ns, errors


@functools.cache
def make_shell():
    """The process's IPython shell, which keeps no history; made once, since that takes a tenth of a second."""
    from IPython.core.history import HistoryManager
    from IPython.core.interactiveshell import InteractiveShell

    class Shell(InteractiveShell):
        def enable_gui(self, gui=None):
            """Plots go nowhere, so no window system is needed."""

    HistoryManager.enabled = False
    shell = Shell.instance()
    shell.colors = "nocolor"
    return shell


def run_cell(shell, source, timeout_s):
    """Run one cell. Returns the exception that it ended with, or None."""

    def interrupt(number, frame):
        raise KeyboardInterrupt(f"interrupted after {timeout_s} s")

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, timeout_s, 1)
    try:
        result = shell.run_cell(source, store_history=False, silent=False)
        return result.error_before_exec or result.error_in_exec
    except BaseException as error:  # the shell itself was broken by the cell
        return error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def describe(error):
    """What went wrong, as texts: the exception's type with all it descends from, its message, the student's own line."""
    return {
        "type": type(error).__name__[:100],
        "bases": [base.__name__[:100] for base in type(error).__mro__][:20],
        "message": safe_text(error)[:MESSAGE_LIMIT],
        "line": last_line(error)[:MESSAGE_LIMIT],
        "function": last_function(error)[:100],
    }


def safe_text(error):
    """str(error), which a student's class may have made to raise."""
    try:
        return str(str(error))
    except BaseException:
        return ""


def own_frames(error):
    """The places in student code that an exception has come through, the innermost last."""
    frames = traceback.extract_tb(error.__traceback__)
    return [frame for frame in frames if frame.filename.startswith(("<ipython", "/tmp/ipykernel")) or "ipython-input" in frame.filename]


def last_function(error):
    """The name of the student's function that raised, the innermost one; empty where there is none."""
    try:
        own = own_frames(error)
        return own[-1].name if own else ""
    except BaseException:
        return ""


def last_line(error):
    """The line of student code that raised, the innermost one; empty where there is none."""
    try:
        own = own_frames(error)
        return (own[-1].line or linecache.getline(own[-1].filename, own[-1].lineno)).strip() if own else ""
    except BaseException:
        return ""
