"""Messages: plural forms, placeholders, and nothing that could do harm in a terminal or on a page."""

import pytest

from autograder.messages import LIMIT, clean, message, messages, plural_index, quoted


def test_placeholders_are_filled_and_messages_nest():
    assert message("{a} and {b}", a=1, b=message("{c}!", c="two")).say("en") == "1 and two!"


def test_braces_in_a_text_without_values_stay():
    assert message("a dict is {}").say("en") == "a dict is {}"


def test_a_students_braces_are_not_placeholders():
    assert message("it said {text}", text="{0.__class__}").say("en") == "it said {0.__class__}"


@pytest.mark.parametrize("n, expected", [(1, "1 element"), (2, "2 elements"), (0, "0 elements")])
def test_english_plurals(n, expected):
    assert messages("{n} element", "{n} elements", n).say("en") == expected


def test_russian_has_three_forms():
    rule = "(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2)"
    assert [plural_index(rule, n) for n in (1, 2, 5, 11, 21, 22, 112)] == [0, 1, 2, 2, 0, 1, 2]


def test_control_and_direction_characters_go():
    assert clean("a\x1b[31mred\u202e\u200f\x00\x07 b\nc") == "a[31mred b\nc"
    assert "\n" not in quoted("two\nlines")


def test_long_texts_are_cut():
    assert len(clean("x" * 10_000)) == LIMIT and len(quoted("y" * 10_000)) <= 300


def test_an_unknown_language_is_named():
    with pytest.raises(ValueError, match="tlh.*en, sv, zh-CN, ru"):
        message("x").say("tlh")


def test_what_holds_a_message_can_be_hashed():
    assert hash(message("{a} and {b}", a=1, b=message("{c}!", c=["two"]))) and message("x", a=1) != message("x", a=2)
