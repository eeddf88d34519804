"""What a paragraph said before: in git's history of its page, by the hash that a translation's record has of it; and which words differ."""

import difflib
import subprocess
from pathlib import Path

from book.tools.blocks import parse

MOST = 100  # versions of a page that are looked through
AROUND = 4  # words that are shown on each side of those that differ


def texts(page: Path, hashes: set[str]) -> dict[str, str]:
    """{hash: text} of the blocks that former versions of a page have; without git, or with part of its history, those that are found."""
    found = {}
    for commit in _git(page, "log", f"--max-count={MOST}", "--format=%H", "--", page.name).split():
        if hashes <= found.keys():
            break
        found |= {block.hash: block.text for block in parse(_git(page, "show", f"{commit}:./{page.name}")) if block.hash in hashes}
    return found


def differing(before: str, now: str) -> str:
    """The words that differ, as git marks them: [-gone-] {+new+}, with some words around them."""
    old, new, said = before.split(), now.split(), []
    codes = difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    for kind, i, j, k, end in codes:
        if kind == "equal":
            said += _cut(old[i:j], at_start=i == 0, at_end=j == len(old))
        else:
            said += [f"[-{' '.join(old[i:j])}-]"] * (j > i) + [f"{{+{' '.join(new[k:end])}+}}"] * (end > k)
    return " ".join(said)


def _cut(words: list[str], at_start: bool, at_end: bool) -> list[str]:
    """Words that are the same, but for those that are far from any that differ."""
    before, after = ([] if at_start else words[:AROUND]), ([] if at_end else words[-AROUND:])
    return words if len(words) <= len(before) + len(after) else [*before, "…", *after]


def _git(page: Path, *arguments: str) -> str:
    """What a git command in the page's folder says; nothing where it cannot be had."""
    try:
        done = subprocess.run(["git", "-C", str(page.parent), *arguments], capture_output=True, encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""
