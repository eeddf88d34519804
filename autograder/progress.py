"""Showing how far a run has come: a bar on a terminal, a line now and then elsewhere."""

import contextlib
import shutil
import sys
import time

from autograder.messages import clean
from autograder.say import say, spelt

LINES = 10  # at most so many of them, where there is no terminal
WIDEST = 40
BLOCKS, ASCII = "█░", "#."  # what is done, and what is not; the second where there are no codes for the first


class Progress:
    """Call it after each submission, (done, total, result). A terminal that is gone, or cannot show all, does not stop the run."""

    def __init__(self, stream=None, clock=time.monotonic):
        self.stream, self.clock = stream or sys.stderr, clock
        self.begun = self.first = None  # the time, and how many had been done, when it was called first

    def __call__(self, done, total, result):
        if self.begun is None or done < self.last:  # a new run through all
            self.begun, self.first = self.clock(), done
        self.last = done
        with contextlib.suppress(OSError):
            self.show(done, total, result)

    def show(self, done, total, result):
        """The bar on a terminal; elsewhere a line, where one is due."""
        if self.stream.isatty():
            say(f"\r\x1b[K{self.bar(done, total, result)}", self.stream, end="\n" if done == total else "", flush=True)
        elif done == total or done % max(1, total // LINES) == 0:
            say(f"{done}/{total}", self.stream, flush=True)

    def bar(self, done, total, result):
        """The bar, the numbers, the time that is left, and who was graded last, as far as the terminal is wide enough."""
        columns = shutil.get_terminal_size().columns - 1
        width = max(5, min(WIDEST, columns - 30))
        full = width * done // total
        block, space = BLOCKS if spelt(BLOCKS, self.stream) == BLOCKS else ASCII
        text = f"{block * full}{space * (width - full)} {done}/{total}{self.left(done, total)}"
        who = spelt(f"  {clean(result['student'])[:30]}  {result['score']:g}/{result['max_score']:g}", self.stream)
        return text + who if len(text + who) <= columns else text

    def left(self, done, total):
        """The time that the rest will take at the pace so far; empty at the beginning and at the end."""
        if done == total or done == self.first:
            return ""
        seconds = round((self.clock() - self.begun) / (done - self.first) * (total - done))
        return f", {seconds // 60}:{seconds % 60:02} left"
