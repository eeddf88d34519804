"""Everything that a student can be told is translated, and no placeholder, code or number is lost on the way."""

import re
from string import Formatter

import pytest

from autograder import catalogue

pytestmark = pytest.mark.parametrize("code", catalogue.TRANSLATED)


def pairs(code):
    """Each translated text beside its English, [(English, translation)]; plural forms one by one."""
    for entry in catalogue.read(code):
        english = entry.id if isinstance(entry.id, tuple) else (entry.id,)
        strings = entry.string if isinstance(entry.string, tuple) else (entry.string,)
        yield from ((english[-1], string) for string in strings if entry.id and string)


def test_everything_is_translated(code):
    assert catalogue.missing(code) == []


def test_the_file_holds_what_the_code_says(code):
    texts = {entry.id for entry in catalogue.read(code) if entry.id}
    assert texts == set(catalogue.template()), "run `python -m autograder messages`"


def test_nothing_is_marked_as_doubtful(code):
    assert [entry.id for entry in catalogue.read(code) if entry.id and entry.fuzzy] == []


def test_placeholders_survive(code):
    def names(text):
        return {name for _, name, _, _ in Formatter().parse(text) if name is not None}

    def wrong(english, text):
        return names(text) != names(english) and names(text) | {"n"} != names(english)

    assert [text for english, text in pairs(code) if wrong(english, text)] == []


def test_code_survives(code):
    def spans(text):
        return set(re.findall(r"`[^`]+`", text))  # a language may name the same thing twice where English says "it"

    assert [text for english, text in pairs(code) if spans(text) != spans(english)] == []


def test_numbers_survive(code):
    def numbers(text):
        return set(re.sub(r"\D", "", number) for number in re.findall(r"\d+(?:[,\s\u00a0\u202f]\d{3})*", text))

    assert [(english, text) for english, text in pairs(code) if numbers(text) != numbers(english)] == []


def test_sentences_end_alike(code):
    ends = {".": ".。", ":": ":：", "?": "?？"}
    wrong = [text for english, text in pairs(code) if english[-1] in ends and text[-1] not in ends[english[-1]]]
    assert wrong == []
