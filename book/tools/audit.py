"""Examines every page of the built site in a browser: weight, accessibility, errors, pictures without a size, Lighthouse's scores.

    python -m book.tools.audit [--language CODE]... [--page NAME]... [--lighthouse [--runs N]]

Weight is what a static host sends for a first visit, packed with gzip. axe looks at each page twice: light on a wide screen, dark on a
phone. The exit status is 1 where something was found. Lighthouse is optional and comes from npm (`npm install --no-save lighthouse`, or
-g); it judges each page as a phone and as a desktop would show it, from a server that packs as static hosts do.
"""

import argparse
import contextlib
import functools
import gzip
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from book.tools import toc
from book.tools.languages import CODES
from book.tools.paths import ROOT, SITE

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run"]
PACKED = {".html", ".js", ".css", ".svg", ".json", ".txt", ".xml", ".ipynb", ".inv"}  # what hosts pack; fonts and photographs are already
LOOKS = ((1280, "light"), (390, "dark"))
LIMIT = 600  # KB that a page may weigh
LIGHTHOUSE = (("performance", 95), ("accessibility", 100), ("best-practices", 100))
FINISHED = "document.getAnimations().filter((each) => each.effect.getComputedTiming().endTime < Infinity).forEach((each) => each.finish())"
# Whether all sections are laid out, and what is wider than its place scrolls there: language.js sees to both whenever there is time.
SETTLED = """() => {
    const wide = (each) => each.scrollWidth - each.clientWidth > (each.matches(".formula, pre, .pst-scrollable-table-container") ? 1 : 12);
    const places = "article span.math, article .formula, article div.output, article pre, article .pst-scrollable-table-container";
    return [...document.querySelectorAll("article > section > section")].every((each) => each.classList.contains("laid-out"))
        && [...document.querySelectorAll(places)].filter((each) => each.checkVisibility())
            .every((each) => wide(each) === each.classList.contains("scrolls"));
}"""
UNSIZED = "document.querySelectorAll('article img:not([width]), article img:not([height])').length"


class Packing(SimpleHTTPRequestHandler):
    """Serves files packed with gzip to those who understand it, and lets browsers keep them, as static hosts do."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format, *args) -> None:
        """Says nothing: a line for every file would bury the table."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.suffix not in PACKED or not path.is_file() or "gzip" not in self.headers.get("Accept-Encoding", ""):
            return super().do_GET()
        body = gzip.compress(path.read_bytes())
        self.send_response(200)
        for name, value in (("Content-Type", self.guess_type(path)), ("Content-Encoding", "gzip"), ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()


@contextlib.contextmanager
def served(folder: Path):
    """The site's address, for as long as it is wanted."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Packing, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Finding:
    """What was found on a page. axe: rule to the elements that break it; scores: Lighthouse's, by device and category."""

    code: str
    name: str
    weight: float = 0
    axe: dict = field(default_factory=lambda: defaultdict(set))
    errors: list = field(default_factory=list)
    unsized: int = 0
    scores: dict = field(default_factory=dict)

    @property
    def problems(self) -> list[str]:
        """A sentence for each thing that should not be."""
        found = [f"axe: {rule}: {', '.join(sorted(where)[:3])}" for rule, where in sorted(self.axe.items())] + sorted(set(self.errors))
        if self.weight > LIMIT:
            found.append(f"weighs {self.weight:.0f} KB, more than {LIMIT}")
        if self.unsized:
            found.append(f"{self.unsized} pictures have no width and height")
        for device, scores in self.scores.items():
            found += [f"Lighthouse, {device}: {category} {scores[category]}, less than {least}"
                      for category, least in LIGHTHOUSE if scores[category] < least]
        return found


def weight(folder: Path, paths: set[str]) -> float:
    """KB on the wire for files of the site."""
    total = 0
    for file in (folder / path for path in paths):
        if file.is_file():
            body = file.read_bytes()
            total += len(gzip.compress(body)) if file.suffix in PACKED else len(body)
    return total / 1024


def axe_script() -> str:
    """axe-core, as the package axe-playwright-python brings it."""
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def look(browser, address: str, code: str, name: str, folder: Path = SITE, axe: str | None = None) -> Finding:
    """Opens a page in each of the LOOKS and notes what there is to note."""
    finding = Finding(code, name)
    for width, scheme in LOOKS:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, locale=code, reduced_motion="reduce")
        page = context.new_page()
        asked = listen(page, address, finding)
        page.goto(f"{address}/{code}/{name}.html", wait_until="load")
        page.wait_for_load_state("networkidle")  # alone it may come first: half a second without a request
        finding.weight = max(finding.weight, weight(folder, asked))
        finding.unsized = max(finding.unsized, page.evaluate(UNSIZED))
        if axe:
            # Shown as a reader comes to see it: answers open, and all figures and formulas there.
            page.evaluate("document.querySelectorAll('details:not(.language-switcher)').forEach((box) => { box.open = true; })")
            settle(page, finding)
            page.evaluate(FINISHED)  # what is still fading in has too little contrast
            page.evaluate(axe)
            for violation in page.evaluate("axe.run(document, {resultTypes: ['violations'], preload: false})")["violations"]:
                where = finding.axe[violation["id"]]
                where |= {" ".join(map(str, node["target"])) for node in violation["nodes"]}
        context.close()
    return finding


def settle(page, finding: Finding) -> None:
    """Waits until a page's scripts have done what they do when there is time; notes it where they never do."""
    from playwright.sync_api import TimeoutError as Late

    try:
        page.wait_for_function(SETTLED)
    except Late:
        finding.errors.append("what is wider than its place does not come to scroll there")


def listen(page, address: str, finding: Finding) -> set[str]:
    """Notes a page's errors and requests from now on; returns the paths that it asks the site for."""
    asked = set()

    def request(sent) -> None:
        if sent.url.startswith(address):
            asked.add(sent.url.removeprefix(f"{address}/").partition("?")[0].partition("#")[0])
        elif not sent.url.startswith(("data:", "blob:")):
            finding.errors.append(f"asks another host: {sent.url}")

    page.on("request", request)
    page.on("console", lambda message: finding.errors.append(f"console: {message.text}") if message.type == "error" else None)
    page.on("pageerror", lambda error: finding.errors.append(f"script: {error}"))
    page.on("response", lambda answer: finding.errors.append(f"{answer.status} for {answer.url}") if answer.status >= 400 else None)
    return asked


def lighthouse_command() -> str | None:
    """Where Lighthouse is: in this folder's node_modules, or on the path."""
    own = ROOT / "node_modules" / ".bin" / "lighthouse"
    return str(own) if own.exists() else shutil.which("lighthouse")


def lighthouse(command: str, chromium: str, url: str, device: str) -> dict[str, int]:
    """Lighthouse's scores of a page, 0 to 100, by category."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = [f"--only-categories={','.join(category for category, _ in LIGHTHOUSE)}", "--quiet",
                   "--output=json", f"--output-path={report}",
                   f"--chrome-flags=--headless=new {' '.join(FLAGS)}", *(["--preset=desktop"] if device == "desktop" else [])]
        subprocess.run([command, url, *options], env=os.environ | {"CHROME_PATH": chromium}, check=True, capture_output=True, timeout=300)
        categories = json.loads(report.read_text(encoding="utf-8"))["categories"]
    return {category: round(100 * (categories[category]["score"] or 0)) for category, _ in LIGHTHOUSE}


def typical(command: str, chromium: str, url: str, device: str, runs: int) -> dict[str, int]:
    """The median of several runs: Lighthouse measures time, and whatever else the machine does is counted against the page."""
    scores = [lighthouse(command, chromium, url, device) for _ in range(runs)]
    return {category: round(statistics.median(each[category] for each in scores)) for category, _ in LIGHTHOUSE}


def table(findings: list[Finding]) -> str:
    """The findings, a line a page, and below them what is to be mended."""
    devices = [device for device in ("phone", "desktop") if any(device in each.scores for each in findings)]
    width = max(len(f"{each.code}/{each.name}") for each in findings)
    heads = [f"{'page':<{width}}", f"{'KB':>5}", f"{'axe':>4}", f"{'errors':>6}", f"{'unsized':>7}",
             *(f"{device:>11}" for device in devices)]
    lines = ["  ".join(heads)]
    for each in findings:
        scores = ["/".join(str(score) for score in each.scores.get(device, {}).values()) for device in devices]
        numbers = [f"{each.weight:5.0f}", f"{len(each.axe):4}", f"{len(each.errors):6}", f"{each.unsized:7}"]
        lines.append("  ".join([f"{f'{each.code}/{each.name}':<{width}}", *numbers, *(f"{score:>11}" for score in scores)]))
    problems = [f"{each.code}/{each.name}: {problem}" for each in findings for problem in each.problems]
    return "\n".join([*lines, "", *(problems or ["Nothing to mend."])])


def pages(codes: list[str], names: list[str], folder: Path = SITE) -> list[tuple[str, str]]:
    """(language, page) of all that the site has, or of those asked for."""
    wanted = names or [*toc.chapters(), "search"]
    return [(code, name) for code in codes for name in wanted if (folder / code / f"{name}.html").is_file()]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m book.tools.audit", description="Examine the built site's pages in a browser.")
    parser.add_argument("--language", action="append", choices=CODES, metavar="CODE", help=f"one of {', '.join(CODES)}; default: all")
    parser.add_argument("--page", action="append", metavar="NAME", help="a page such as 01-single-head; default: all")
    parser.add_argument("--lighthouse", action="store_true", help="judge each page with Lighthouse as well (about a minute a page)")
    parser.add_argument("--runs", type=int, default=1, help="how often Lighthouse judges each page; the median counts")
    options = parser.parse_args(arguments)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    command = lighthouse_command() if options.lighthouse else None
    wanted = pages(options.language or list(CODES), options.page or [])
    missing = [
        (not chromium, "Chromium is not installed: apt install chromium, or name it in CHROMIUM."),
        (importlib.util.find_spec("axe_playwright_python") is None, "axe-core is not installed: make env."),
        (not wanted, f"No such page in {SITE.relative_to(ROOT)}: run make book first."),
        (options.lighthouse and not command, "Lighthouse is not installed: npm install --no-save lighthouse."),
    ]
    for lacks, what in missing:
        if lacks:
            print(what, file=sys.stderr)
            return 2
    from playwright.sync_api import sync_playwright

    findings = []
    with served(SITE) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for number, (code, name) in enumerate(wanted, 1):
            finding = look(browser, address, code, name, axe=axe_script())
            if command:
                url = f"{address}/{code}/{name}.html"
                finding.scores = {device: typical(command, chromium, url, device, options.runs) for device in ("phone", "desktop")}
            findings.append(finding)
            print(f"{number}/{len(wanted)} {code}/{name}", *finding.problems, sep="\n    ", file=sys.stderr, flush=True)
        browser.close()
    print(table(findings))
    if command:
        print(f"Processes waiting for a core at the end: {os.getloadavg()[0]:.1f}, for {os.cpu_count()} cores. A busy one scores too low.")
    return int(any(each.problems for each in findings))


if __name__ == "__main__":
    sys.exit(main())
