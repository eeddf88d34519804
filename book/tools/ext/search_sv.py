"""Search in Swedish with one stemmer on both sides, mended where it parts the forms of a word.

Pages are indexed with the Python package snowballstemmer and queries are stemmed in the browser. The package is at Snowball 3, which takes
the article off *huvudet*; the script that this Sphinx brings is older and does not, so a query for *huvudet* would find nothing. The script
here is Snowball 3's. A test compares the two sides for every language.

Snowball still leaves the article on *nyckeln*, *rutan* and *medelvärdet*, and takes *resultat* for a verb. `search_stems` says how that is
mended.
"""

from pathlib import Path

from sphinx.search import languages
from sphinx.search.sv import SearchSwedish

from book.tools.ext.search_stems import MendedStems

STEMMERS = Path(__file__).parent / "stemmers"
VOWEL = "[aeiouyåäöé]"
CONSONANT = "[bcdfghjklmnpqrstvwxz]"
LIKE = {
    "token": "tokenen", "tokens": "tokenen",
    "queries": "query",
    "rutan": "ruta", "rutans": "ruta",
    "sidan": "sida", "sidans": "sida",
    "axelns": "axel",
    "vektor": "vektorer", "tensor": "tensorer", "faktor": "faktorer", "dator": "datorer", "processor": "processorer",
    "lager": "lagren", "lagers": "lagren",
    "parameters": "parametrar",
    "nummer": "numren",
    "tecken": "tecknen",
    "latens": "latensen",
    "kurs": "kursen",
    "höger": "högra",
    "frön": "frö", "fröna": "frö", "slumpfrön": "slumpfrö", "slumpfröna": "slumpfrö",
}
# In this order: the article first, then what is left of the word. Some letters have to stay, or short words are cut into.
RULES = [
    (f"^(?!tillet$)(.*{VOWEL}.*{CONSONANT}{CONSONANT})et$", ""),  # blocket, medelvärdet, kapitlet; not Tillet, who wrote Triton
    ("^(.{3,}[nt])s$", ""),  # platsen as plats, whose s Snowball takes for the genitive's
    ("^(?!nästan$|samman$)(?!.*dian$)(.{4,})an$", ""),  # kärnan, summan; not median
    ("^(.{4,})(?:at|ad|en)$", ""),  # resultatet as resultat, skillnaden as skillnad, huvudena as huvuden
    ("^(.{4,}[iy])n$", ""),  # entropin, queryn
    ("^(.{3,}or)n$", ""),  # vektorn
    (f"^(.*{VOWEL}.*{CONSONANT})eln?$", "l"),  # nyckeln, nyckel as nycklar
    ("^(.{2,}[es]t)r$", ""),  # parametrar as parameter, mönstret as mönster
    ("^(.{4,}m)m$", ""),  # programmet
    ("^(.*é)n$", ""),  # idén
]


class SearchSwedish3(MendedStems, SearchSwedish):
    """Sphinx's Swedish search with Snowball 3 in the browser too, and all forms of the course's words under one stem."""

    like, rules, stemmers = LIKE, RULES, STEMMERS


def setup(app):
    languages["sv"] = SearchSwedish3
    return {"parallel_read_safe": True, "parallel_write_safe": True}
