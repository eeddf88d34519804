"""The list of what a language does not have yet: `book/untranslated.txt`, one page or exercise a line.

A page that is missing and not on the list is a mistake, and so is one on the list that is there. What is on the list, readers find in
English.
"""

from pathlib import Path

from book.tools.languages import CODES, SOURCE
from book.tools.paths import ROOT

FOLDERS = ("book", "solutions")  # each with a folder a language
LIST = Path("book") / "untranslated.txt"
WAIT = "python -m book.tools.translations --wait"
HEAD = """\
# What is there in English and not yet in another language, a page or exercise a line: book/<language>/<page>.md, solutions/<language>/<exercise>.md.
# Whoever has translated one takes its line out. `python -m book.tools.translations --wait` puts everything on the list that is missing.
"""


def read(root: Path = ROOT) -> list[str]:
    """The entries, as paths from the repository's root."""
    path = root / LIST
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def write(entries, root: Path = ROOT) -> None:
    """Makes the list anew, in order."""
    order = {code: number for number, code in enumerate(CODES)}

    def rank(entry: str):
        parts = Path(entry).parts
        return (parts[0], order.get(parts[1], len(order)) if len(parts) > 1 else 0, entry)

    (root / LIST).write_text(HEAD + "".join(f"{entry}\n" for entry in sorted(set(entries), key=rank)), encoding="utf-8")


def missing(language: str, folder: str, root: Path = ROOT) -> list[str]:
    """The English pages of a folder that the language lacks, as entries of the list."""
    english = sorted(path.name for path in (root / folder / SOURCE).glob("*.md"))
    return [f"{folder}/{language}/{name}" for name in english if not (root / folder / language / name).is_file()]


def problems(language: str, folders=FOLDERS, root: Path = ROOT) -> list[str]:
    """Where the list and a language's folders disagree, a sentence each."""
    entries = read(root)
    found = [f"{each}: not translated, and not on the list in {LIST}; translate it, or let it wait: {WAIT}" for folder in folders
             for each in missing(language, folder, root) if each not in entries]
    for entry in dict.fromkeys(entries):
        folder, code = (*Path(entry).parts, "", "")[:2]
        if code == language and folder in folders:
            found += [f"{entry}: {problem}" for problem in _faults(entry, entries.count(entry), root)]
    return found


def strays(root: Path = ROOT) -> list[str]:
    """Entries that name no language or folder that there is."""
    good = {(folder, code) for folder in FOLDERS for code in CODES if code != SOURCE}
    return [f"{entry}: not of the form book/<language>/<page>.md or solutions/<language>/<exercise>.md; the languages are "
            f"{', '.join(code for code in CODES if code != SOURCE)} ({LIST})"
            for entry in read(root) if len(Path(entry).parts) != 3 or Path(entry).parts[:2] not in good]


def _faults(entry: str, count: int, root: Path) -> list[str]:
    folder, _code, name = Path(entry).parts
    faults = []
    if count > 1:
        faults.append(f"stands {count} times in {LIST}")
    if (root / entry).is_file():
        faults.append(f"translated, so take it off the list in {LIST}")
    if not (root / folder / SOURCE / name).is_file():
        faults.append(f"there is no English page of that name; take it off the list in {LIST}")
    return faults
