"""Builds the book in all languages to `_build/site/`.

    python -m book.tools.build [--language CODE]... [--base-url URL] [--pyodide local|cdn] [--force]

With --language the site holds the languages named, and no others. A language whose pages are up to date is left as it is, and of one in
which pages have been edited no others are read. Cells are executed where their code is new and otherwise taken from a cache, so prose can
be edited without running anything. A warning, or a cell that raises, fails the build, and the site of the last good build stays. A build
waits for another one of the same folder.
"""

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from autograder.lock import held
from book.tools import originals, runtime, site, stamp, toc, untranslated
from book.tools.languages import CODES, LANGUAGES, SOURCE, Language
from book.tools.lite import put, pyodide
from book.tools.paths import BOOK, BUILD, CONFIG, ROOT, SITE

ASSEMBLED = BUILD / "assembled.json"  # what the site was put together from
WAIT = f", or put it on the list in {untranslated.LIST} with `{untranslated.WAIT}`: readers then find it in English"
AT_ONCE = 4  # languages built side by side: while one waits for what another computes, a third goes on


def alone(folder: Path = BUILD):
    """One build at a time: two would take the files from under each other."""
    folder.mkdir(parents=True, exist_ok=True)
    return held(folder / "build.lock", lambda: print("Another build is running; this one waits until it has ended.", flush=True))


def build_language(language: Language, base_url: str, changed: list[str] | None) -> tuple[bool, str, float]:
    """Builds one language in its own process. Returns whether it went well, what it said, and how long it took in seconds.

    changed: the pages that have changed since it was last built, where nothing else has: the others are not read again.
    """
    begin, before = time.monotonic(), stamp.state(language, base_url)
    command = [sys.executable, "-m", "book.tools.sphinx_build", language.code, str(BUILD / language.code), "--base-url", base_url]
    if changed is not None:
        command += ["--changed", *changed]
    done = subprocess.run(command, cwd=ROOT, env=runtime.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace")
    if done.returncode == 0:
        stamp.write(language, before, base_url)
    return done.returncode == 0, done.stdout.strip(), time.monotonic() - begin


def check_pages(wanted: list[Language]) -> list[str]:
    """What is missing, as sentences for the reader of the terminal. A translation may lack what is on the list of the untranslated."""
    found, chapters, listed = [], toc.chapters(), untranslated.read()
    for language in wanted:
        found += [f"book/{language.code}/{name}.md is not in the table of contents, so no site would have it: put it into _toc.yml"
                  for name in toc.unlisted(language.code)]
        for name in originals.missing(language.code):
            page = f"book/{language.code}/{name}.md"
            may_wait = name != chapters[0] and (BOOK / SOURCE / f"{name}.md").is_file()
            if page not in listed or not may_wait:
                found.append(f"{language.name} has no page {page}, which _toc.yml lists: write it{WAIT if may_wait else ''}")
        found += [f"{page} is on the list in {untranslated.LIST}, and it is there: take it off the list"
                  for page in listed if page.startswith(f"book/{language.code}/") and (ROOT / page).is_file()]
    return found


def build(wanted: list[Language], base_url: str = "", force: bool = False, python: str = "local") -> int:
    """Builds what is not up to date and puts the site together. `python` is where notebooks in a browser get Pyodide.

    Returns the exit status.
    """
    problems = check_pages(wanted)
    if problems:
        print("The book is not complete:", *problems, sep="\n  ", file=sys.stderr)
        return 1
    runtime.prepare()
    stale = {language: changed for language in wanted if (changed := None if force else stamp.changed(language, base_url)) != []}
    for language in wanted:
        if language not in stale:
            print(f"{language.code}: up to date")
    failed = False
    with ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = [(language, pool.submit(build_language, language, base_url, changed)) for language, changed in stale.items()]
        for language, job in jobs:
            good, said, seconds = job.result()
            print(f"{language.code}: {'built' if good else 'FAILED'} in {seconds:.0f} s", flush=True)
            if good and not stamp.mark(language).is_file():
                print(f"{language.code}: settings, tools or files that pages include were edited meanwhile; the next build makes it anew")
            if not good:
                failed = True
                print(said, file=sys.stderr)
    if failed:
        print("The book was not built; the site of the last good build, if there is one, is unchanged.", file=sys.stderr)
        return 1
    if stale or not complete(wanted) or not put.is_current(SITE, python):
        site.assemble(wanted, base_url=base_url, python=python)
        ASSEMBLED.write_text(json.dumps(made_of(wanted), indent=1) + "\n", encoding="utf-8")
    print(f"The book is in {SITE.relative_to(ROOT)}/index.html", *left_out(wanted), sep="\n")
    return 0


def made_of(wanted: list[Language]) -> dict[str, str]:
    """What a site of these languages is put together from: a hash of what each was last built from."""
    return {each.code: stamp.hash_of([stamp.mark(each)]) for each in wanted}


def complete(wanted: list[Language]) -> bool:
    """Whether the site holds these languages, as they were last built, and no others.

    A build may have been stopped when its languages were built and the site was still the old one.
    """
    folders = {each.name for each in SITE.iterdir() if each.is_dir()} - {put.SHARED} if SITE.is_dir() else set()
    last = json.loads(ASSEMBLED.read_text(encoding="utf-8")) if ASSEMBLED.is_file() else {}
    return (SITE / "index.html").is_file() and folders == {each.code for each in wanted} and last == made_of(wanted)


def left_out(wanted: list[Language]) -> list[str]:
    """A sentence where there are languages that the site does not hold: links lead to them."""
    others = [each.code for each in LANGUAGES if each not in wanted and (BOOK / each.code).is_dir()]
    return [f"It holds {', '.join(each.code for each in wanted)} alone: its links to {', '.join(others)} lead nowhere until all are built."
            ] if others else []


def base_url_of_config() -> str:
    """The site's address from `_config.yml`, empty where none is set."""
    return (yaml.safe_load(CONFIG.read_text(encoding="utf-8")).get("html") or {}).get("baseurl") or ""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m book.tools.build", description="Build the book to _build/site/.")
    parser.add_argument("--language", action="append", choices=CODES, metavar="CODE", help=f"one of {', '.join(CODES)}; default: "
                        "all. The site then holds the languages named and no others, and its links to the others lead nowhere")
    parser.add_argument("--base-url", default=None, help="absolute address of the site, for canonical and alternate links")
    parser.add_argument("--pyodide", choices=pyodide.CHOICES, default="local", help="where notebooks in a browser load Python from: "
                        "a copy in the site, or the address where its makers publish it")
    parser.add_argument("--force", action="store_true", help="build even what is up to date")
    options = parser.parse_args(arguments)
    wanted = [language for language in LANGUAGES if language.code in (options.language or CODES)]
    with alone():
        return build(wanted, base_url_of_config() if options.base_url is None else options.base_url, options.force, options.pyodide)


if __name__ == "__main__":
    sys.exit(main())
