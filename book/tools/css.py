"""Style sheets made lighter: several in one, without the rules for what no page has."""

import re
from collections.abc import Iterable
from pathlib import Path

import tinycss2

ADDRESS = re.compile(r"""url\(\s*["']?(?!data:|#|/|[a-z]+:)([^)"'\s]+)["']?\s*\)""")
WORD = re.compile(r"[A-Za-z_][\w-]*")
THEME = re.compile(r"""\[data-theme=["']?(\w+)["']?\]""")
HELD = {"media", "supports", "layer", "container"}  # what rules can stand in


def words(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """The names that pages give to elements, and every word of the scripts, which may give others."""
    found = set()
    for page in pages:
        for value in re.findall(r'\s(?:class|id)="([^"]*)"', page):
            found.update(value.split())
    for script in scripts:
        found.update(WORD.findall(script))
    return found


def read(path: Path, top: Path) -> str:
    """A sheet with those that it imports, its addresses being relative to `top`."""
    text = path.read_text(encoding="utf-8")
    imported = re.search(r"""@import\s+(?:url\()?["']?([^"')\s;]+)["']?\)?\s*;""", text)
    while imported:
        text = text[: imported.start()] + read(path.parent / imported[1], path.parent) + text[imported.end():]
        imported = re.search(r"""@import\s+(?:url\()?["']?([^"')\s;]+)["']?\)?\s*;""", text)
    folder = path.parent.relative_to(top) if path.parent.is_relative_to(top) else Path("..")
    return ADDRESS.sub(lambda match: f'url("{clean((folder / match[1]).as_posix())}")', text)


def clean(address: str) -> str:
    """An address without `a/..`."""
    parts = []
    for part in address.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def names(selector: list) -> set[str]:
    """The classes and identifiers that an element must have, or stand in, for a selector to be about it."""
    found = set()
    for before, token in zip([None, *selector], selector):
        if token.type == "hash":
            found.add(token.value)
        elif token.type == "ident" and before is not None and before.type == "literal" and before.value == ".":
            found.add(token.value)
    return found


def split(prelude: list) -> list[list]:
    """The selectors of a rule, which commas divide."""
    found = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            found.append([])
        else:
            found[-1].append(token)
    return found


def purge(text: str, used: set[str], top: Path) -> str:
    """The sheet without rules for names that are not in use, and without fonts that are not there."""
    return "\n".join(kept(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True), used, top))


def kept(rules: list, used: set[str], top: Path) -> list[str]:
    """The rules to keep, a line each."""
    found = []
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [tinycss2.serialize(each).strip() for each in split(rule.prelude) if names(each) <= used]
            if selectors:
                found.append(f"{','.join(selectors)}{{{tight(rule.content)}}}")
        elif rule.type == "at-rule" and rule.content is not None:
            found += at_rule(rule, used, top)
    return found


def at_rule(rule, used: set[str], top: Path) -> list[str]:
    """A media query with what is left of it, a font that is there, or anything else as it is."""
    prelude = tinycss2.serialize(rule.prelude).strip()
    if rule.lower_at_keyword in HELD:
        inner = kept(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True), used, top)
        return [f"@{rule.at_keyword} {prelude}{{{''.join(inner)}}}"] if inner else []
    content = tight(rule.content)
    if rule.lower_at_keyword == "font-face" and not all((top / address).is_file() for address in ADDRESS.findall(content)):
        return []
    return [f"@{rule.at_keyword} {prelude}{{{content}}}"]


def dressed(rules: list, theme: str) -> list[str]:
    """The rules that stand for one colour theme alone, written for any: after all others they dress the page in that theme."""
    found = []
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [tinycss2.serialize(each).strip() for each in split(rule.prelude)]
            ours = [THEME.sub("[data-theme]", each) for each in selectors if THEME.findall(each) == [theme]]
            if ours:
                found.append(f"{','.join(ours)}{{{tight(rule.content)}}}")
        elif rule.type == "at-rule" and rule.content is not None and rule.lower_at_keyword in HELD:
            inner = dressed(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True), theme)
            found += [f"@{rule.at_keyword} {tinycss2.serialize(rule.prelude).strip()}{{{''.join(inner)}}}"] if inner else []
    return found


def tight(content: list) -> str:
    """What stands between braces, without comments and line breaks."""
    text = "".join(token.serialize() for token in content if token.type != "comment")
    return re.sub(r"\s*\n\s*", " ", text).strip().rstrip(";")
