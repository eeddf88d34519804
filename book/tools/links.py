"""Checks the links of the built site: those inside it, each page and section that they lead to, and with --external those to other sites.

    python -m book.tools.links [--external]

The exit status is 1 where a link leads nowhere. Other sites are asked once for each address; one that does not answer, or refuses a program
what it shows a reader, is named and counts for nothing: only "there is no such page" is a fault.
"""

import argparse
import re
import sys
import urllib.error
import urllib.request
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from book.tools.lite import put
from book.tools.paths import ROOT, SITE

TAG = re.compile(r"<(?:a|link|img|script|iframe|source)\b[^>]*>")
ADDRESS = re.compile(r'\s(?:href|src)="([^"]*)"')
ANCHOR = re.compile(r'\s(?:id|name)="([^"]+)"')
BASE = re.compile(r"<base\b")
APART = {"_static", put.SHARED}  # applications that find their way by themselves
GONE = {404, 410}
PATIENCE = 20  # seconds for another site
AT_ONCE = 8
ASKING = {"User-Agent": "Mozilla/5.0 (compatible; a course that checks its links)"}


def addresses(text: str) -> set[str]:
    """What a page links to or loads."""
    return {unescape(address) for tag in TAG.findall(text) for address in ADDRESS.findall(tag)}


def inside(folder: Path) -> tuple[list[str], dict[str, set[str]]]:
    """What is wrong with the links inside a site, and the pages that lead to each address outside."""
    folder = folder.resolve()
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.html"))
             if not APART & set(path.relative_to(folder).parts)}
    anchors = {path: {unescape(each) for each in ANCHOR.findall(text)} for path, text in texts.items()}
    wrong, outside = [], defaultdict(set)
    for path, text in texts.items():
        home = folder if BASE.search(text) else path.parent  # 404.html is shown at any address
        for address in sorted(addresses(text)):
            kind = urlsplit(address)
            if kind.scheme in ("http", "https"):
                outside[urldefrag(address).url].add(str(path.relative_to(folder)))
            elif not kind.scheme and not kind.netloc:
                problem = leads_nowhere(home, path, kind, anchors)
                if problem:
                    wrong.append(f"{path.relative_to(folder)}: {address}: {problem}")
    return wrong, outside


def leads_nowhere(home: Path, page: Path, address, anchors: dict[Path, set[str]]) -> str:
    """Why an address inside the site leads nowhere, or nothing."""
    target = (home / unquote(address.path)).resolve() if address.path else page
    if target.is_dir():
        target = target / "index.html"
    if not target.is_file():
        return "no such file"
    section = unquote(address.fragment)
    if section and target in anchors and section not in anchors[target] and section not in ("top", "choose"):
        return "no such section"
    return ""


def ask(address: str) -> tuple[bool, str]:
    """Whether another site says that an address is gone, and what it said where that is not the page."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=ASKING), timeout=PATIENCE):
            return False, ""
    except urllib.error.HTTPError as error:
        return error.code in GONE, str(error.code)
    except (OSError, ValueError) as error:
        return False, str(getattr(error, "reason", error))


def check_outside(outside: dict[str, set[str]]) -> list[str]:
    """The addresses that are gone; what did not answer is printed."""
    gone = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for address, (is_gone, said) in zip(outside, pool.map(ask, outside)):
            if is_gone:
                gone.append(f"{address}: {said}, linked from {', '.join(sorted(outside[address])[:3])}")
            elif said:
                print(f"{address}: {said}")
    return gone


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m book.tools.links", description="Check the links of the built site.")
    parser.add_argument("--external", action="store_true", help="ask other sites, too, whether their pages are there")
    options = parser.parse_args(arguments)
    if not (SITE / "index.html").is_file():
        print(f"There is no site in {SITE.relative_to(ROOT)} yet: run make book first.", file=sys.stderr)
        return 2
    wrong, outside = inside(SITE)
    if options.external:
        wrong += check_outside({address: outside[address] for address in sorted(outside)})
    asked = "asked" if options.external else "not asked"
    print(*(wrong or [f"Every link leads somewhere ({len(outside)} addresses outside, {asked})."]), sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
