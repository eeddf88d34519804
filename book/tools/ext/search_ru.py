"""Search in Russian where a vowel comes and goes («ошибка», «ошибок»), and where Snowball cuts into a word («голов», «токен»).

`search_stems` says how it is mended. The script for the browser is Sphinx's own with these words and rules around it.
"""

from pathlib import Path

import sphinx.search
from sphinx.search import languages
from sphinx.search.ru import SearchRussian

from book.tools.ext.search_stems import MendedStems

STEMMERS = Path(sphinx.search.__file__).parent / "minified-js"
VOWEL = "[аеиоуыэюя]"
CONSONANT = "[бвгджзйклмнпрстфхцчшщ]"
LIKE = {
    # The end of the word looks like an ending.
    "голов": "голова",
    "токен": "токенам", "токена": "токенам", "токены": "токенам",
    "память": "памяти",
    "массив": "массива",
    "канал": "каналы", "канала": "каналы",
    "вызов": "вызова",
    "обмен": "обмены", "обмена": "обмены",
    "объём": "объёмы", "объем": "объёмы",
    "радиан": "радианы", "радиана": "радианы",
    "журнал": "журналы", "журнала": "журналы",
    "оригинал": "оригиналы", "оригинала": "оригиналы",
    "систем": "система",
    "диагонали": "диагональ",
    "ось": "оси",
    # A vowel comes and goes, and no rule says where.
    "чисел": "числа",
    "ядер": "ядра",
    "окон": "окна",
    "зёрен": "зерна", "зерен": "зерна",
    "угол": "угла",
    "узел": "узла",
    "корень": "корня",
    "уровень": "уровня",
    "ноль": "нуля", "ноля": "нуля",
    "время": "времени", "времена": "времени",
}
# A vowel has to stand before what is changed, or it is the word's only one: «блок», «строк». «Поток» becomes «потк» in all its forms.
RULES = [
    (f"^(.*{VOWEL}.*)ок$", "к"),
    ("^(.*)еек$", "ейк"),
    (f"^(.*{VOWEL}.*[жчш])ек$", "к"),
    (f"^(.*{VOWEL}.*{CONSONANT})ец$", "ц"),
]


class SearchRussianMended(MendedStems, SearchRussian):
    """Sphinx's Russian search with all forms of the course's words under one stem."""

    like, rules, stemmers = LIKE, RULES, STEMMERS


def setup(app):
    languages["ru"] = SearchRussianMended
    return {"parallel_read_safe": True, "parallel_write_safe": True}
