"""check() as HTML: escaped, with the pictures that help, and no more."""

import html.parser

import numpy as np
import pytest

from autograder import assignment
from autograder.learner import as_html
from autograder.learner.compare import difference
from autograder.learner.picture import pictures

from .conftest import parts_of

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"


class Tags(html.parser.HTMLParser):
    """Collects tags; fails where they do not close in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        assert not [name for name, _ in attributes if name.startswith("on")]
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def rendered(english, part, namespace):
    """A part's report as HTML, by the course package that lies beside the English notebook."""
    import sys

    report = english(part, namespace).reports[0]
    return sys.modules[english.__module__.rpartition(".")[0] + ".as_html"].render(report)


def hostile_error(x, axis=-1):
    raise ValueError(SCRIPT + " `" + SCRIPT)


class HostileText(str):
    pass


HostileText.__name__ = SCRIPT


HOSTILE = [hostile_error, lambda x, axis=-1: SCRIPT, lambda x, axis=-1: HostileText(SCRIPT), lambda x, axis=-1: [SCRIPT] * 3]


@pytest.mark.parametrize("function", HOSTILE)
def test_a_students_text_is_escaped(english, function):
    text = rendered(english, "softmax", {"softmax": function})
    assert "<script" not in text and set(Tags(text).seen) <= {"div", "span", "strong", "code", "ul", "li", "pre", "em"}


def test_every_wrong_solution_is_rendered_well(english):
    for variant in assignment.load("single-head").wrong.values():
        for part in parts_of(variant):
            Tags(rendered(english, part, variant.namespace()))


def test_a_matrix_that_differs_is_drawn(english):
    text = rendered(english, "causal_mask", assignment.load("single-head").wrong["causal-inverted"].namespace())
    assert text.count("data:image/png;base64,") == 3
    assert text.count('alt="') == 3


def test_a_row_is_not_drawn(english):
    assert "<img" not in rendered(english, "softmax", assignment.load("single-head").wrong["softmax-overflow"].namespace())


SLICES = [((3, 4), (1, 2), ""), ((2, 3, 4), (1, 0, 0), "[1]"), ((2, 1, 3, 4), (1, 0, 2, 2), "[1, 0]"), ((3, 1, 4), (1, 0, 2), "")]


@pytest.mark.parametrize(("shape", "at", "index"), SLICES)
def test_the_slice_that_differs_is_drawn(shape, at, index):
    expected = np.zeros(shape)
    came = expected.copy()
    came[at] = 1
    assert pictures(difference(expected, came)).index == index


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e300])
def test_odd_numbers_are_drawn(odd):
    came = np.zeros((3, 3))
    came[0, 0] = odd
    assert pictures(difference(np.zeros((3, 3)), came))


@pytest.mark.parametrize("shape", [(4,), (1, 8), (2, 2), (100, 100)])
def test_what_is_too_small_or_too_large_is_not_drawn(shape):
    assert pictures(difference(np.zeros(shape), np.ones(shape))) is None


def test_backticks_become_code():
    assert as_html.marked_up("`a < b` & c") == "<code>a &lt; b</code> &amp; c"
