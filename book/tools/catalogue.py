"""The catalogue of wrong solutions: of each exercise, under each hidden test those that it is there to catch, with what the student is
told."""

import ast
import functools

from autograder.assignment import load, names, one_line
from autograder.exercise.notebook import prose
from autograder.messages import message


def tests_of(assignment):
    """The hidden tests, [(name, what it asks for, [the wrong solutions that it is there for])], read from test_hidden.py."""
    tree = ast.parse(assignment.hidden_tests.read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return [(node.name, one_line(ast.get_docstring(node) or ""), _caught(node)) for node in functions]


def _caught(node):
    marks = [mark for mark in node.decorator_list if isinstance(mark, ast.Call) and getattr(mark.func, "id", "") == "catches"]
    return [argument.value for mark in marks for argument in mark.args]


@functools.cache
def catalogue(language: str) -> str:
    """All exercises that are there in the language, each in a box that opens on a click, as MyST."""
    there = [name for name in names() if prose(load(name), language).exists()]
    return "\n\n".join(f"````{{dropdown}} {name} ({len(load(name).wrong)})\n{listed(name, language)}\n````" for name in there)


def listed(name: str, language: str) -> str:
    """A Markdown list of two levels, in the language. Raises UnknownAssignment where there is no exercise of that name."""
    assignment = load(name)
    lines = []
    for test, asks, caught in tests_of(assignment):
        if caught:
            lines.append(f"- **{message(asks).say(language)}** `{name}.{test.removeprefix('test_').replace('_', '-')}`")
            lines += [f"  - `{wrong}`: {message(assignment.wrong[wrong].explanation).say(language)}" for wrong in caught]
    return "\n".join(lines)
