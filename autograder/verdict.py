"""What came of one test, and what is said of it where it was no success."""

from dataclasses import dataclass

from autograder.messages import message, quoted


@dataclass(frozen=True)
class Verdict:
    """What came of one test."""

    status: str
    what: object = None  # Message or None
    misconception: str | None = None
    measured: dict | None = None  # on a GPU: numbers for the instructor


def deferred_here():
    return message("This test runs where there is a GPU; until then its points are open.")


def another_result():
    return message("The same call gave another result the second time: your code draws random numbers (dropout?), or keeps something from one call to the next.")


def current_cell(process):
    """The place of the cell that was being run; the first where none had begun."""
    return process.current_cell or 0


def process_ended():
    return message("The Python process ended, or used more than it may, while your code ran.")


def out_of_time():
    return message("No result came in time: the code runs for too long, or does not end.")


def raised(outcome):
    """What to say about an exception of the student's."""
    error = quoted(f"{outcome.error['type']}: {outcome.error['message']}")
    if outcome.error["type"] == "NotImplementedError":
        function = quoted(outcome.error["function"])
        if function.isidentifier() and function != outcome.name and not function.startswith("__"):
            return message("`{name}` calls `{function}`, which is not written yet.", name=outcome.name, function=function)
        return message("`{name}` is not written yet.", name=outcome.name)
    if outcome.error["line"]:
        return message("`{name}` raised {error} (in the line: {line})", name=outcome.name, error=error, line=quoted(outcome.error["line"]))
    return message("`{name}` raised {error}", name=outcome.name, error=error)


def flat(sentences):
    """The sentences one by one; several may stand in a list in the place of one."""
    return [one for sentence in sentences for one in (sentence if isinstance(sentence, list) else [sentence])]
