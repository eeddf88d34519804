"""How far a run has come: a bar on a terminal, some lines elsewhere."""

import io
import itertools

from autograder.progress import LINES, Progress

RESULT = {"student": "Anna\x1b[31m", "score": 7.5, "max_score": 10.0}


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(stream, total, begin=0):
    progress = Progress(stream, itertools.count().__next__)  # each look at the clock is a second later
    for done in range(begin + 1, total + 1):
        progress(done, total, RESULT)
    return stream.getvalue()


def test_a_bar_on_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    frames = shown(Terminal(), 4).split("\r\x1b[K")
    assert frames[1] == "█" * 10 + "░" * 30 + " 1/4  Anna[31m  7.5/10"
    assert frames[3].startswith("█" * 30 + "░" * 10 + " 3/4, 0:01 left  ")
    assert frames[4] == "█" * 40 + " 4/4  Anna[31m  7.5/10\n"


def test_a_narrow_terminal_gets_a_line_that_fits(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    assert max(map(len, shown(Terminal(), 7).split("\r\x1b[K"))) < 30


def test_elsewhere_a_line_now_and_then():
    assert shown(io.StringIO(), 3) == "1/3\n2/3\n3/3\n"
    assert len(shown(io.StringIO(), 500).splitlines()) == LINES
    assert shown(io.StringIO(), 500, begin=497).splitlines() == ["500/500"]


def test_a_terminal_without_blocks_gets_what_it_has_codes_for(monkeypatch):
    class Old(io.TextIOWrapper):
        def isatty(self):
            return True

    monkeypatch.setenv("COLUMNS", "120")
    stream = Old(io.BytesIO(), encoding="latin-1")
    progress = Progress(stream, itertools.count().__next__)
    for done in (1, 2):
        progress(done, 2, RESULT | {"student": "Åsa 李雷"})
    assert stream.buffer.getvalue().decode("latin-1").split("\r\x1b[K")[1] == "#" * 20 + "." * 20 + " 1/2  Åsa \\u674e\\u96f7  7.5/10"


def test_a_terminal_that_is_gone_stops_nothing():
    class Gone(Terminal):
        def write(self, text):
            raise BrokenPipeError(32, "Broken pipe")

    shown(Gone(), 3)
