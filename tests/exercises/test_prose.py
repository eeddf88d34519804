"""Prose that does not fit the assignment is refused, with the file and what is wrong."""

import pytest

from autograder import assignment
from autograder.exercise import notebook
from autograder.exercise.bodies import Mismatch


@pytest.fixture
def spoilt(tmp_path, monkeypatch):
    """A function that builds single-head from its English prose after a replacement."""
    text = notebook.prose(assignment.load("single-head"), "en").read_text(encoding="utf-8")
    monkeypatch.setattr(notebook, "SOLUTIONS", tmp_path)
    (tmp_path / "en").mkdir()

    def build(old, new):
        assert old in text
        (tmp_path / "en" / "single-head.md").write_text(text.replace(old, new, 1), encoding="utf-8")
        return notebook.build(assignment.load("single-head"), "en")

    return build


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("(single-head-softmax)=\n", "", "label"),
        ("(single-head-softmax)=", "(single-head)=", "twice: single-head"),
        ("So much for the formula.", "+++\n", r"\+\+\+"),
        (":check: softmax", ":check: hardmax", "hardmax is no part"),
        (":solution: softmax", ":solution: softmin", "softmin is no part"),
        (":helpers: [check_shapes, check_mask]\n", "", "check_mask, check_shapes"),
        (":given: setup\n", "", "needs one of"),
        ('```{code-cell} ipython3\n:check: softmax\n\ncheck("softmax")\n```', "", "missing: softmax"),
        ("def softmax(x, axis=-1):", "def softmax(x, axis=0):", "head of 'softmax'"),
    ],
)
def test_what_is_wrong_is_said(spoilt, old, new, named):
    with pytest.raises(Mismatch, match=rf"(?s)single-head\.md.*{named}"):
        spoilt(old, new)


def test_checks_stand_in_the_assignments_order(spoilt, tmp_path):
    path = tmp_path / "en" / "single-head.md"
    spoilt("# Exercise", "# An exercise")
    text = path.read_text(encoding="utf-8")
    first, second = ":check: causal_mask\n", ":check: padding_mask\n"
    path.write_text(text.replace(first, "@").replace(second, first).replace("@", second), encoding="utf-8")
    with pytest.raises(Mismatch, match="order softmax, attention, padding_mask, causal_mask"):
        notebook.build(assignment.load("single-head"), "en")
