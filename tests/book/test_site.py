"""The built site: every page in every language, nothing from elsewhere, notebooks that run."""

import ast
import json
import re
import warnings
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from bs4 import BeautifulSoup

from book.tools import originals, runtime, toc
from book.tools.ext.switcher import has_page
from book.tools.languages import CODES, LANGUAGES, SOURCE, language

from .searching import OURS

CHAPTERS = toc.chapters()
PAGES = [(code, name) for code in CODES for name in CHAPTERS if has_page(code, name)]
EVERY_PAGE = [*PAGES, *((code, "search") for code in CODES)]
LOADING = [("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("audio", "src"), ("embed", "src"),
           ("object", "data"), ("link", "href")]
LOADING_LINKS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "shortcut", "manifest", "preconnect", "dns-prefetch"}
# What would show that MyST has been left in a notebook.
RAW_MYST = [
    (r"^\s*\([\w:.-]+\)=\s*$", "a label"),
    (r"\{[\w:.+-]+\}`", "a role"),
    (r"^\s*(`{3,}|~{3,}|:{3,})\s*\{", "a directive"),
    (r"^\s*:{3,}", "a colon fence"),
    (r"\$\$[ \t]*\([\w:.-]+\)", "a formula's label"),
    (r"\]\(#?\)", "an empty link"),
    (r"^\s*%\s", "a comment"),
    (r"^\+\+\+", "a cell break"),
    (r"\[\^[^\]]+\]", "a footnote"),
]


@cache
def page(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def target(site: Path, origin: Path, address: str) -> Path:
    """The file that a relative address on a page leads to."""
    return (origin.parent / unquote(urlsplit(address).path)).resolve()


@pytest.mark.parametrize(("code", "name"), EVERY_PAGE)
def test_page_is_there_in_its_language(site, code, name):
    soup = page(site / code / f"{name}.html")
    assert soup.html["lang"] == code
    assert language(code).title in soup.title.get_text()


@pytest.mark.parametrize(("code", "name"), EVERY_PAGE)
def test_nothing_is_loaded_from_elsewhere(site, code, name):
    path = site / code / f"{name}.html"
    for tag, attribute in LOADING:
        for element in page(path).find_all(tag, attrs={attribute: True}):
            if tag == "link" and not LOADING_LINKS & set(element.get("rel", [])):
                continue
            address = element[attribute]
            if address.startswith("data:"):
                continue
            assert not urlsplit(address).netloc, f"{path.name} loads {address}"
            assert target(site, path, address).is_file(), f"{path.name} asks for {address}, which is not there"


@pytest.mark.parametrize("code", CODES)
def test_style_sheets_load_nothing_from_elsewhere(site, code):
    for sheet in (site / code).rglob("*.css"):
        for address in re.findall(r"(?:url\(|@import\s+)\s*[\"']?([^\"')\s;]+)", sheet.read_text(encoding="utf-8")):
            assert not re.match(r"(https?:)?//", address), f"{sheet.name} loads {address}"


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_formulas_are_set_when_the_book_is_built(site, code, name):
    path = site / code / f"{name}.html"
    assert all(each.math is not None for each in page(path).select(".math"))
    assert "\\(" not in page(path).article.get_text()


@pytest.mark.parametrize(("code", "name"), EVERY_PAGE)
def test_switcher_leads_to_the_same_page_or_the_first(site, code, name):
    path = site / code / f"{name}.html"
    links = page(path).select("details.language-switcher a")
    assert [each["lang"] for each in links] == list(CODES)
    assert [each.get_text(strip=True) for each in links] == [each.name for each in LANGUAGES]
    for link in links:
        assert target(site, path, link["href"]) == site / link["lang"] / f"{name if has_page(link['lang'], name) else CHAPTERS[0]}.html"
        assert link.has_attr("data-same-page") == has_page(link["lang"], name)
        assert target(site, path, link["href"]).is_file()
        assert (link.get("aria-current") == "page") == (link["lang"] == code)


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_alternate_links(site, code, name):
    path = site / code / f"{name}.html"
    found = {each["hreflang"]: target(site, path, each["href"]) for each in page(path).find_all("link", rel="alternate")}
    default = site / "index.html" if name == CHAPTERS[0] else site / SOURCE / f"{name}.html"
    assert found == {each: site / each / f"{name}.html" for each in CODES if has_page(each, name)} | {"x-default": default}


def test_the_first_pages_and_the_root_name_the_same_pages(site):
    """Search engines heed such links only where all that are named name each other."""
    def named(path: Path) -> dict[str, Path]:
        return {each["hreflang"]: target(site, path, each["href"]) for each in page(path).find_all("link", rel="alternate")}

    root = named(site / "index.html")
    assert root["x-default"] == site / "index.html"
    assert all(named(site / code / f"{CHAPTERS[0]}.html") == root for code in CODES)


@pytest.mark.parametrize(("code", "name"), EVERY_PAGE)
def test_pages_that_wait_for_a_translator_are_linked_in_english(site, code, name):
    path = site / code / f"{name}.html"
    links = page(path).select("ul.in-english a")
    assert [target(site, path, each["href"]) for each in links] == [site / SOURCE / f"{each}.html" for each in originals.missing(code)]
    assert all(target(site, path, each["href"]).is_file() and each["lang"] == SOURCE for each in links)


def test_first_page_lists_the_languages(site):
    path = site / "index.html"
    links = page(path).select("a[data-language]")
    assert [each["lang"] for each in links] == list(CODES)
    for link in links:
        assert target(site, path, link["href"]).is_file()
        assert page(site / link["lang"] / "index.html").html["lang"] == link["lang"]


@pytest.mark.parametrize(("code", "name"), [each for each in PAGES if each[0] != SOURCE])
def test_sections_have_the_same_address_in_every_language(site, code, name):
    """The switcher keeps `#section`; that needs an explicit `(label)=` above every heading."""
    def addresses(of: str) -> list[str]:
        return [each["id"] for each in page(site / of / f"{name}.html").select("article section[id]")]

    assert addresses(code) == addresses(SOURCE)


SAME_TITLES = {  # of chapters, which are names or, in Swedish, the same words
    "every": {"9. FlashAttention"},
    "sv": {"4. Position", "7. Multi-query attention", "8. Multi-head latent attention"},
}


@pytest.mark.parametrize("code", [each for each in CODES if each != SOURCE])
def test_no_words_of_the_theme_are_left_in_english(site, code):
    def words(of: str) -> set[str]:
        found = set()
        for path in sorted((site / of).glob("*.html")):
            for element in page(path).select("[title], [aria-label], [placeholder], [data-bs-title]"):
                if element.find_parent(class_="bibtex-citation"):  # a source is named as it names itself
                    continue
                found |= {element.get(name, "") for name in ("title", "aria-label", "placeholder", "data-bs-title")}
            said = page(path).select("button, summary, .caption-text, .onthispage, .prev-next-subtitle")
            found |= {each.get_text(strip=True) for each in said}
        return {each.strip() for each in found if re.search("[A-Za-z]{3}", each)}

    names = {each.name for each in LANGUAGES}
    kept = {each for each in words(code) & words(SOURCE) if not any(name in each for name in names)}
    kept = {each for each in kept if not re.fullmatch(r"[a-z-]+ \(\d+\)", each)}  # exercises, in the catalogue of mistakes
    assert kept <= {"Ctrl+K", "Notebook", *SAME_TITLES["every"], *SAME_TITLES.get(code, ())}


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_every_character_of_a_figure_has_a_glyph(site, code, name):
    text = (site / code / f"{name}.html").read_text(encoding="utf-8")
    assert "missing from font" not in text
    assert "findfont" not in text


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_pictures_have_alternative_texts(site, code, name):
    for image in page(site / code / f"{name}.html").select("article img"):
        assert image.get("alt", "").strip(), f"{image['src']} has none"
        assert not image["alt"].startswith("_images/"), f"{image['src']} has its file's name for one: give its cell mystnb: image: alt:"


# --- search

# In another form than most pages have them; in Chinese as a phrase that nobody has cut.
WORDS = {"en": ["queries", "weighted"], "sv": ["vikternas", "huvudet", "nyckeln"], "zh-CN": ["注意力权重", "单头"], "ru": ["весами", "головами", "голов", "масок"]}


@pytest.mark.parametrize(("code", "word"), [(code, word) for code in CODES for word in WORDS[code]])
def test_search_index_finds(site, code, word):
    """A word in another form than the page's, and Chinese without spaces, are in the index in the form that is asked for."""
    from sphinx.search import languages
    from sphinx.util import import_object

    found = OURS.get(code) or languages[code]
    searcher = (import_object(found) if isinstance(found, str) else found)({})
    index = json.loads(re.search(r"Search\.setIndex\((.*)\)", (site / code / "searchindex.js").read_text(encoding="utf-8"), re.DOTALL)[1])
    terms = [searcher.stem(each) for each in searcher.split(word)]
    if code == "zh-CN":
        terms = [each for each in terms if len(each) > 1]
    pages = set(range(len(index["docnames"])))
    for term in terms:
        hits = [index[part].get(term, []) for part in ("terms", "titleterms")]
        pages &= {number for hit in hits for number in (hit if isinstance(hit, list) else [hit])}
    assert pages, f"no page is found for {word} ({terms})"


# --- notebooks

def notebook(site: Path, code: str, name: str) -> nbformat.NotebookNode:
    return nbformat.read(site / code / "notebooks" / f"{name}.ipynb", as_version=4)


def masked(cell: str) -> str:
    """A cell's code without its comments and with every string emptied: what is the same in all languages."""
    lines = ["pass" if re.match(r"\s*[%!]", line) else line for line in cell.split("\n")]

    class Empty(ast.NodeTransformer):
        def visit_Constant(self, node):
            return ast.Constant("") if isinstance(node.value, str) else node

        def visit_JoinedStr(self, node):
            return ast.Constant("")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.dump(Empty().visit(ast.parse("\n".join(lines))))


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_page_offers_its_notebook(site, code, name):
    path = site / code / f"{name}.html"
    links = page(path).select("a.download-notebook")
    assert len(links) == 1
    assert links[0].has_attr("download")
    assert target(site, path, links[0]["href"]) == site / code / "notebooks" / f"{name}.ipynb"


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_notebook_is_valid_and_in_the_language(site, code, name):
    book = notebook(site, code, name)
    nbformat.validate(book)
    heading = page(site / code / f"{name}.html").select_one("article h1")
    for part in heading.select(".section-number, .headerlink"):
        part.extract()
    assert book.cells[0].source.split("\n")[0] == f"# {heading.get_text(strip=True)}"
    assert all(not each.outputs and each.execution_count is None for each in book.cells if each.cell_type == "code")
    assert book.metadata.kernelspec.name == "python3"


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_notebook_shows_no_raw_myst(site, code, name):
    for cell in notebook(site, code, name).cells:
        if cell.cell_type != "markdown":
            continue
        prose = re.sub(r"^( *)(`{3,})(?!\{).*?^\1\2\s*$", "", cell.source, flags=re.DOTALL | re.MULTILINE)
        prose = re.sub(r"(?<!\})(`+)(?!`)[^`].*?\1", "", prose)
        for pattern, what in RAW_MYST:
            found = re.search(pattern, prose, re.MULTILINE)
            assert not found, f"{cell.id} shows {what}: {found[0]!r}"


@pytest.mark.parametrize(("code", "name"), [each for each in PAGES if each[0] != SOURCE])
def test_notebook_has_the_code_of_the_english_one(site, code, name):
    def codes(of: str) -> list[str]:
        return [masked(each.source) for each in notebook(site, of, name).cells if each.cell_type == "code"]

    assert codes(code) == codes(SOURCE)


@pytest.mark.parametrize("name", CHAPTERS)
def test_notebook_runs_on_its_own(site, name, tmp_path, monkeypatch):
    """From an empty folder, with nothing of the course on the path."""
    from nbclient import NotebookClient

    from book.tools.kernels import SocketKernelManager

    for variable, value in runtime.environment().items():
        monkeypatch.setenv(variable, value)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    book = notebook(site, SOURCE, name)
    NotebookClient(book, timeout=900, kernel_name="python3", kernel_manager_class=SocketKernelManager,
                   resources={"metadata": {"path": str(tmp_path)}}).execute()
    warned = [each.text for cell in book.cells if cell.cell_type == "code" for each in cell.outputs
              if each.output_type == "stream" and each.name == "stderr"]
    assert not warned
