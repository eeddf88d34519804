"""The search languages that are ours, in place of Sphinx's."""

from book.tools.ext import search_ru, search_sv, search_zh

OURS = {"sv": search_sv.SearchSwedish3, "zh-CN": search_zh.SearchPairs, "ru": search_ru.SearchRussianMended}
