"""Why a name is not there once the code has run: what has become of the cell that defines it."""

import re
import textwrap

from autograder.messages import message, quoted


def defines(source, name):
    """Whether a source seems to define a name.

    It is read line by line: one that is no Python can be asked, too, and a hostile one costs nothing.
    """
    starts = re.compile(rf"(?:async[ \t]+)?(?:def|class)[ \t]+{re.escape(name)}\b")
    imports = re.compile(rf"[ \t]*(?:from[ \t]+\S+[ \t]+)?import\b.*(?:\b{re.escape(name)}\b|\*)")
    return any(starts.match(line) or imports.match(line) or name in assigned(line) for line in textwrap.dedent(source).splitlines())


def assigned(line):
    """The names that a line at the left margin assigns to: a and b of `a = b = 1` and of `a, b = f()`."""
    targets, equals, _ = re.match(r"[\w \t,=]*", line)[0].rpartition("=")
    return set() if not equals or line[:1].isspace() else set(re.findall(r"\w+", targets))


def why(name, work, errors, left_out):
    """The sentences that say what has become of the cell that defines the name; none where there is no such cell, or it has run.

    errors: those of the cells that raised. left_out: the cells that did not run again, since they had ended the process, or did not end.
    """
    cells = {index for index, source in enumerate(work.cells) if defines(source, name)}
    if cells & left_out:
        return [lost(name, work.is_file)]
    error = next((error for error in errors if error["cell"] in cells), None)
    if error is None:
        return []
    what = quoted(f"{error['type']}: {error['message']}")
    if work.is_file:
        said = message("`{name}` is not defined, because the file raised {error}", name=name, error=what)
    else:
        said = message("`{name}` is not defined, because the cell that defines it raised {error}", name=name, error=what)
    return [said, message("It happened in the line: {line}", line=quoted(error["line"]))] if error["line"] else [said]


def lost(name, is_file):
    """What to say of a name whose cell was left out."""
    if is_file:
        return message("`{name}` is not defined: running the file ended the Python process, or did not come to an end.", name=name)
    return message("`{name}` is not defined: the cell that defines it ended the Python process, or did not come to an end.", name=name)


def nowhere(name):
    """What to say of a name that nothing defines."""
    return message("`{name}` is not defined in the submission.", name=name)


def asked_for(error):
    """The name that a NameError of the student's is about; empty where it is another error."""
    found = re.match(r"name '(\w+)' is not defined", error["message"]) if error["type"] == "NameError" else None
    return quoted(found[1]) if found else ""


def did_not_end(work, cell):
    """What to say of a cell that goes on and on."""
    if work.is_file:
        return [message("Running the file did not come to an end.")]
    return [message("A cell of the notebook did not come to an end."), begins(work.cells[cell])]


def ended_process(work, cell):
    """What to say of a cell with which the process has gone."""
    if work.is_file:
        return [message("Running the file ended the Python process.")]
    return [message("A cell of the notebook ended the Python process."), begins(work.cells[cell])]


def begins(source):
    """How to find a cell: by its first line, since Jupyter numbers cells by when they ran."""
    return message("The cell begins with the line: {line}", line=quoted(next(filter(str.strip, source.splitlines()), "")))


def of_another(work, assignment, known):
    """The exercise that a notebook was handed out for, where that is another one than this."""
    return work.exercise if work.exercise in known and work.exercise != assignment else None


def elsewhere(other, assignment):
    """What to say of the notebook of another exercise."""
    return message("The notebook is that of the exercise `{other}`, and what is graded is `{name}`.", other=other, name=assignment)
