"""Stems for the search, mended where Snowball gives the forms of one word several.

Snowball knows endings and no words: it leaves a vowel that comes and goes (*nyckel*, *nycklar*; «ошибка», «ошибок»), and takes for an ending
what belongs to the word («голов», *resultat*). A page is then found by some of its words' forms alone. Two things mend that. Some words are
stemmed as another form of theirs. And rules change the stems that come out: each is a pattern, whose group stays, and the ending that
follows it. What rules do to a stem they do for every form that has it, so they part no forms; they may only bring some together.

Pages are stemmed here and queries in the browser, by a script of the same words and rules. Patterns are therefore written as both read them.
"""

import json
import re
from pathlib import Path

SCRIPT = """
Stemmer = function () {
  const snowball = new %sStemmer();
  const like = new Map(Object.entries(%s));
  const rules = %s.map(([pattern, ending]) => [new RegExp(pattern), ending]);
  this.stemWord = (word) =>
    rules.reduce((stem, [pattern, ending]) => stem.replace(pattern, (_, kept) => kept + ending), snowball.stemWord(like.get(word) ?? word));
};
"""


class MendedStems:
    """What is put before one of Sphinx's search languages. A class that has both names its words and rules, and the folder of Snowball's scripts."""

    like: dict[str, str]
    rules: list[tuple[str, str]]
    stemmers: Path
    js_stemmer_rawcode = ""

    def __init_subclass__(cls) -> None:
        """The browser's `Stemmer`: Snowball's, with these words and rules."""
        snowball = [(cls.stemmers / f"{name}-stemmer.js").read_text(encoding="utf-8") for name in ("base", cls.language_name.lower())]
        mended = SCRIPT % (cls.language_name, json.dumps(cls.like, ensure_ascii=False), json.dumps(cls.rules, ensure_ascii=False))
        cls.js_stemmer_code = "\n".join([*snowball, mended])

    def stem(self, word: str) -> str:
        word = word.lower()
        stem = super().stem(self.like.get(word, word))
        for pattern, ending in self.rules:
            stem = re.sub(pattern, rf"\g<1>{ending}", stem)
        return stem
