"""The languages of the course: the one place that lists them. English is the original, the others are translations of it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """One language of the course.

    code    BCP 47 tag: the folder under `book/`, the folder of the site, `<html lang>`
    sphinx  the same language as Sphinx and gettext write it
    name    what its speakers call it
    title   the book's title in it
    figure  how a figure is numbered in it, as Sphinx's `numfig_format`
    table   the same for a table
    not_found  what is said at an address that leads nowhere, before a link to the book
    """

    code: str
    sphinx: str
    name: str
    title: str
    figure: str
    table: str
    not_found: str = "This page does not exist."


LANGUAGES = (
    Language("en", "en", "English", "Attention, Head by Head", "Figure %s", "Table %s"),
    Language("sv", "sv", "Svenska", "Attention, huvud för huvud", "Figur %s", "Tabell %s", "Den här sidan finns inte."),
    Language("zh-CN", "zh_CN", "简体中文", "注意力：逐头拆解", "图 %s", "表 %s", "没有这个页面。"),
    Language("ru", "ru", "Русский", "Внимание: голова за головой", "Рисунок %s", "Таблица %s", "Такой страницы нет."),
)
BY_CODE = {language.code: language for language in LANGUAGES}
CODES = tuple(BY_CODE)
SOURCE = "en"


def language(code: str) -> Language:
    """The language of that code; a ValueError names the ones there are."""
    try:
        return BY_CODE[code]
    except KeyError:
        raise ValueError(f"no language {code!r} in the course; there are {', '.join(CODES)}") from None
