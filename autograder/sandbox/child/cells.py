"""Running a notebook's cells one after the other, as Jupyter would: magics work, a cell that raises does not stop the next."""

import functools
import linecache
import re
import signal
import sys
import traceback

MESSAGE_LIMIT = 500
MAY_BE_MAGIC = re.compile(r"[%!?\f]|\A\s|\r|^\s*[,;/]|>>>|^\s*\.\.\.|In ?\[", re.MULTILINE).search  # whatever IPython writes anew
MAX_ERRORS = 100
SLOW_S = 1.0
PLACED = (SyntaxError, IndentationError, TabError)  # their texts name a file and a line


def run(sources, skip, slow, timeout_s, before, slower=1.0):
    """Run the cells top to bottom in one namespace.

    sources: the cells' texts. skip: indices to leave out (cells that have ended the process before). timeout_s: after so
    many seconds a cell is interrupted, as by Jupyter's stop button, and again each second. slow: those to which that has happened
    before, and which are interrupted after SLOW_S. slower: how many seconds of the wall's clock count as one. before(i, interrupted) is
    called before cell i, with whether the cell before it was interrupted.
    Returns (names, errors, interrupted): the namespace, [{"cell", "type", "message", "line"}, …] of the cells that raised, and whether the
    last cell was interrupted.
    """
    shell = make_shell()
    errors, interrupted = [], False
    for index, source in enumerate(sources):
        before(index, interrupted)
        interrupted = False
        if index in skip:
            continue
        error, interrupted = run_cell(shell, source, min(timeout_s, SLOW_S) if index in slow else timeout_s, slower)
        if error is not None and len(errors) < MAX_ERRORS:
            errors.append({"cell": index, **describe(error)})
    return shell.user_ns, errors, interrupted


@functools.cache
def make_shell():
    """The process's IPython shell, which keeps no history; made once, since that takes a tenth of a second."""
    from IPython.core.history import HistoryManager
    from IPython.core.interactiveshell import InteractiveShell

    class Shell(InteractiveShell):
        def enable_gui(self, gui=None):
            """Plots go nowhere, so no window system is needed."""

        def showtraceback(self, *args, **kwargs):
            """Nobody reads it here, and to render it takes a hundred times as long as a cell."""
            sys.last_type, sys.last_value, sys.last_traceback = sys.exc_info()

        showsyntaxerror = showtraceback

        def transform_cell(self, cell):
            """IPython's, where there may be something to transform; it goes through the tokens many times."""
            return super().transform_cell(cell) if MAY_BE_MAGIC(cell) else cell if cell.endswith("\n") else cell + "\n"

    HistoryManager.enabled = False
    shell = Shell.instance()
    shell.colors = "nocolor"
    return shell


REHEARSAL = ("1", "%time 1", "1 / 0", "__import__({framework!r}).zeros(2)")


def rehearse(framework):
    """Run some cells of the course's own, so that what is loaded and made at first use is there; then forget them."""
    shell = make_shell()
    fresh = dict(shell.user_ns)
    for source in REHEARSAL:
        run_cell(shell, source.format(framework=framework), 60)
    shell.reset(new_session=True)
    for name, value in fresh.items():
        shell.user_ns.setdefault(name, value)


def run_cell(shell, source, timeout_s, slower=1.0):
    """Run one cell. Returns the exception that it ended with, or None, and whether it was interrupted, which it may have caught."""
    interruptions = []

    def interrupt(number, frame):
        interruptions.append(timeout_s)
        raise KeyboardInterrupt(f"interrupted after {timeout_s} s")

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, timeout_s * slower, 1)
    try:
        result = shell.run_cell(source, store_history=False, silent=False)
        error = result.error_before_exec or result.error_in_exec
    except BaseException as broken:  # the shell itself was, by the cell
        error = broken
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return error, bool(interruptions)


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
    """str(error), which a student's class may have made to raise; of a syntax error without the file, whose name the student never gave."""
    try:
        return str(str(error.msg if type(error) in PLACED else error))
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
    """The line of student code that raised, the innermost one, or that is no Python; empty where there is none."""
    try:
        own = own_frames(error)
        if own:
            return (own[-1].line or linecache.getline(own[-1].filename, own[-1].lineno)).strip()
        return str(error.text or "").strip() if type(error) in PLACED else ""
    except BaseException:
        return ""
