"""What a published site has beside its pages: descriptions, pictures, a map, a page for addresses that lead nowhere, icons in a small font."""

import re

import pytest
import yaml
from bs4 import BeautifulSoup
from PIL import Image

from book.tools import picture, toc
from book.tools.ext import icons, switcher
from book.tools.ext.social import PICTURE
from book.tools.languages import CODES, LANGUAGES, language
from book.tools.paths import ROOT
from book.tools.site import root_page, site_map

BASE = "https://example.org/course"
PAGES = [(code, name) for code in CODES for name in toc.chapters() if switcher.has_page(code, name)]


def soup(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_a_page_describes_itself(site, code, name):
    head = soup(site / code / f"{name}.html").head
    said = {each.get("name") or each.get("property"): each["content"] for each in head.select("meta[content]")}
    assert 20 < len(said["description"]) <= 201 or code == "zh-CN" and 8 < len(said["description"])
    assert said["og:title"] and said["og:locale"] == language(code).sphinx
    assert said["og:description"] == said["description"]


def test_addresses_are_whole_where_the_sites_own_is_known(site, tmp_path):
    built = [language("en"), language("sv")]
    text = site_map(site, built, BASE + "/")
    addresses = re.findall(r"<loc>([^<]+)</loc>", text)
    assert f"{BASE}/sv/01-single-head.html" in addresses and len(addresses) == len(set(addresses))
    assert len(addresses) == len([code for code, _ in PAGES if code in ("en", "sv")]) == text.count('hreflang="x-default"')
    assert text.count('hreflang="sv"') == 2 * len([code for code, _ in PAGES if code == "sv"])  # said by the page and by its English


def test_search_engines_are_told_whole_addresses_and_the_same_ones_everywhere():
    """Where the site's own address is known: by the root, by each language's first page, and by the map."""
    built = [language("en"), language("sv")]
    first = toc.chapters()[0]
    root = BeautifulSoup(root_page(built, BASE), "html.parser").find_all("link", rel="alternate")
    told = {each["hreflang"]: each["href"] for each in root}
    assert told == {"en": f"{BASE}/en/{first}.html", "sv": f"{BASE}/sv/{first}.html", "x-default": f"{BASE}/"}

    def entries(name):
        return [{"code": each.code, "target": f"{each.code}/{name}.html", "href": "#", "same": True} for each in built]

    assert dict(switcher.alternates(entries(first), first, f"{BASE}/")) == told
    others = dict(switcher.alternates(entries("03-multi-head"), "03-multi-head", f"{BASE}/"))
    assert others["x-default"] == others["en"] == f"{BASE}/en/03-multi-head.html"


def test_an_address_that_leads_nowhere_is_answered_in_every_language(site):
    page = soup(site / "404.html")
    for each in LANGUAGES:
        words = page.select_one(f'p[lang="{each.code}"]')
        assert each.not_found in words.get_text()
        assert (site / words.a["href"]).is_file()
    assert len({each.not_found for each in LANGUAGES}) == len(LANGUAGES)
    assert page.base["href"].endswith("/")


@pytest.mark.parametrize("code", CODES)
def test_the_picture_of_a_shared_address(site, code):
    with Image.open(site / code / "_static" / PICTURE) as drawn:
        assert drawn.size == (1200, 630)
        assert len(drawn.getcolors(1 << 20)) > 50  # neither empty nor one colour


def test_a_title_is_broken_behind_its_sign():
    assert [picture.broken(each.title).count("\n") for each in LANGUAGES] == [1, 1, 1, 1]
    assert picture.broken("Attention") == "Attention"


@pytest.mark.parametrize("code", CODES)
def test_icons_come_from_the_small_font_alone(site, code):
    static = site / code / "_static"
    assert (static / "icons.woff").stat().st_size < 6_000
    assert not list(static.rglob("fontawesome*")) and not list(static.rglob("*.map"))
    assert "fontawesome" not in (site / code / "01-single-head.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", CODES)
def test_the_index_of_the_search_is_loaded_where_one_searches(site, code):
    assert "searchindex.js" in (site / code / "search.html").read_text(encoding="utf-8")
    assert not [page.name for page in (site / code).glob("*.html") if page.name != "search.html" and "searchindex.js" in page.read_text(encoding="utf-8")]


def test_every_icon_is_in_the_theme():
    assert len(icons.code_points()) >= len(icons.ICONS)


def test_the_course_can_be_cited():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["cff-version"] and cited["title"] and cited["authors"] and cited["license"] == "MIT"
