"""What a cell prints is shown as it was printed, in whatever pieces it came."""

import pytest
from nbformat.v4 import new_output

from book.tools.ext.streams import joined


def printed(*texts, name="stdout"):
    return [new_output("stream", name=name, text=text) for text in texts]


@pytest.mark.parametrize("pieces", [("all three:   [1 2]\nlast\n",), ("all three:", "   [1 2]\nlast\n"), ("all three:   [1 2]", "\nlast", "\n"), ("all three:   [1 2]\n", "last\n\n")])
def test_pieces_may_end_anywhere(pieces):
    assert [output.text for output in joined(printed(*pieces))] == ["all three:   [1 2]\nlast\n"]


def test_other_outputs_keep_their_place():
    shown = new_output("display_data", data={"text/plain": "a figure"})
    found = joined([*printed("a"), shown, *printed("no", name="stderr"), *printed("b\n")])
    assert [(each.output_type, each.get("name"), each.get("text")) for each in found] == [
        ("stream", "stdout", "ab\n"), ("display_data", None, None), ("stream", "stderr", "no\n")]


def test_nothing_printed():
    assert joined([]) == []
