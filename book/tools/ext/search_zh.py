"""Search in Chinese without a dictionary.

Chinese is written without spaces, so both the pages and the reader's query have to be cut, and in the same way, or nothing is found. Sphinx
cuts pages with jieba, where it is installed, and leaves the query whole. Here both are cut into single characters and overlapping pairs:
注意力 is indexed as 注, 意, 力, 注意, 意力, and asked for as 注意, 意力. A page is found when it holds all of the query's pairs.
"""

import re

import snowballstemmer
from sphinx.search import languages
from sphinx.search.zh import SearchChinese

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
RUN = re.compile(f"[{HAN}]+")
WORD = re.compile(r"[^\W_]+")

# The same cut in the reader's browser; searchtools.js asks for a function of this name.
SPLIT_QUERY = r"""
function splitQuery(query) {
  const terms = [];
  const parts = query.match(/[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[^\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+/gu) || [];
  for (const part of parts) {
    if (!/^[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/u.test(part)) {
      terms.push(...part.split(/[^\p{Letter}\p{Number}]+/gu).filter((term) => term));
    } else if (part.length === 1) {
      terms.push(part);
    } else {
      for (let start = 0; start + 1 < part.length; start++) terms.push(part.slice(start, start + 2));
    }
  }
  return terms;
}
"""


def cut(text: str) -> list[str]:
    """The terms under which a text is found: Chinese characters and pairs of them, and the words between."""
    terms = []
    for run in RUN.findall(text):
        terms.extend(run)
        terms.extend(run[start:start + 2] for start in range(len(run) - 1))
    terms.extend(WORD.findall(RUN.sub(" ", text)))
    return terms


class SearchPairs(SearchChinese):
    """Sphinx's Chinese search with another cut."""

    lang = "zh"
    js_splitter_code = SPLIT_QUERY

    def init(self, options: dict[str, str]) -> None:
        self.stemmer = snowballstemmer.stemmer("porter")  # the algorithm of the JavaScript that goes with it

    def split(self, input: str) -> list[str]:
        return cut(input)

    def word_filter(self, stemmed_word: str) -> bool:
        return len(stemmed_word) > 1 or bool(RUN.match(stemmed_word))

    def stem(self, word: str) -> str:
        return self.stemmer.stemWord(word.lower())


def setup(app):
    languages["zh"] = SearchPairs
    return {"parallel_read_safe": True, "parallel_write_safe": True}
