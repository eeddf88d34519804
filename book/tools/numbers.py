"""Numbers in a chapter's prose: each has to be carried by a cell of the page, by a formula or inline code, or by a citation in its
paragraph.

Carried by a cell means that its code or its output holds the number, or one that gives it when rounded. Free are whole numbers up to 12,
years, widths such as 64-bit, and numbers that belong to a name (GPT-2, 70B, Python 3.11). What is left may be allowed, with a
reason, by a comment in the page:

    % number 93.3, 57: the reader works them out in the exercise
"""

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from jupyter_cache import get_cache
from myst_nb.core.read import read_myst_markdown_notebook
from nbclient import NotebookClient

from book.tools import runtime
from book.tools.blocks import parse
from book.tools.compare import CODE_SPAN, FORMULA, LINK, ROLE
from book.tools.kernels import SocketKernelManager
from book.tools.languages import SOURCE

REMEDY = ("A number in prose has to be carried by something on its page: print it in a cell, or cite its source in the paragraph, or say "
          "why it stands there in a comment of the page, `% number 90: reason`.")
SMALL = 12
YEARS = range(1900, 2100)
WIDTHS = {8, 16, 32, 64, 128}
IN_PROSE = re.compile(r"(?<![\w.,/-])(?<!Python )(?<!PyTorch )(?<!CUDA )"
                      r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w,.]*\w)(?=(?P<after>.{0,12}))", re.DOTALL)
ANYWHERE = re.compile(r"(?<![\w.])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d[\d_]*(?:\.\d*)?(?:e[+-]?\d+)?)", re.IGNORECASE)
ALLOWED = re.compile(r"^% number (?P<numbers>[^:]*):(?P<reason>.*)$", re.MULTILINE)
COMMENT = re.compile(r"#.*$", re.MULTILINE)


@dataclass(frozen=True)
class Finding:
    """A number that nothing carries, and where it stands."""

    page: str
    line: int
    excerpt: str
    number: str

    def __str__(self) -> str:
        return f"{self.page}, line {self.line}: {self.excerpt}: {self.number}"


def findings(page: str, text: str, notebook) -> list[Finding]:
    """The numbers in a page's prose that nothing carries; `notebook` is the page executed."""
    carried = numbers_of_cells(notebook) + numbers_of_code_and_formulas(text)
    allowed = [number.strip() for found in ALLOWED.finditer(text) for number in found["numbers"].split(", ")]
    found, used = [], set()
    for line, paragraph in paragraphs(text):
        if "{cite" in paragraph:
            continue
        for match in IN_PROSE.finditer(bare(paragraph)):
            number = match[1]
            if number in allowed:
                used.add(number)
            elif not is_free(number, match["after"]) and not is_carried(number, match["after"], carried):
                found.append(Finding(page, line, excerpt(paragraph, number), number))
    found += [Finding(page, text[: each.start()].count("\n") + 1, "a comment that allows numbers needs a reason", each[0])
              for each in ALLOWED.finditer(text) if not each["reason"].strip()]
    found += [Finding(page, 1, "a comment allows a number that the prose does not have", number) for number in allowed
              if number not in used]
    return found


def paragraphs(text: str):
    """(line, text) of all that is prose: paragraphs, headings, items, titles, and the rows of tables."""
    for block in parse(text):
        if block.kind == "table":
            yield from ((block.line + number, row) for number, row in enumerate(block.text.splitlines()))
        elif block.is_prose or block.kind.startswith("heading"):
            yield block.line, block.text


def bare(paragraph: str) -> str:
    """A paragraph without its code, formulas, roles and addresses."""
    for pattern in (ROLE, CODE_SPAN, FORMULA, LINK):
        paragraph = pattern.sub(lambda found: "·" if found[0][0] != "]" else "]", paragraph)
    return re.sub(r"^\s*\d+\. ", "", re.sub(r"^\*\*\d+\.\*\*", "", paragraph))


def is_free(number: str, after: str) -> bool:
    """Whether a number needs nothing to carry it."""
    if "." in number or "," in number:
        return False
    value = int(number)
    return value <= SMALL or (value in YEARS and len(number) == 4) or (value in WIDTHS and bool(re.match(r"[- ]bits?\b", after)))


def is_carried(number: str, after: str, carried: list[float]) -> bool:
    """Whether one of the numbers carried is this one, or gives it when rounded as it is."""
    digits = number.replace(",", "")
    value = float(digits)
    step = 10.0 ** -len(digits.partition(".")[2])
    zeros = len(digits) - len(digits.rstrip("0")) if "." not in digits else 0
    if zeros and len(digits) - zeros >= 2:
        step = 10.0**zeros
    factors = (1, 100) if re.match(r"\s?(%|per ?cent|percentage)", after) else (1,)
    return any(abs(each * factor - value) <= step / 2 * (1 + 1e-9) if _is_rounded(each * factor, step) else each * factor == value
               for each in carried for factor in factors)


def _is_rounded(value: float, step: float) -> bool:
    """Whether a number has digits that are lost where it is rounded to a step."""
    return abs(value / step - round(value / step)) > 1e-9


def numbers_of_cells(notebook) -> list[float]:
    """All numbers in the code and the outputs of an executed notebook."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        found += numbers(COMMENT.sub("", cell.source))
        for output in cell.get("outputs", []):
            shown = output.get("data", {})
            found += numbers(output.get("text", "")) + numbers(shown.get("text/plain", ""))
            found += numbers(re.sub(r"<[^>]*>", " ", shown.get("text/html", "")))
    return found


def numbers_of_code_and_formulas(text: str) -> list[float]:
    """All numbers in a page's formulas, inline code and blocks of code."""
    found = []
    for block in parse(text):
        if block.kind in ("formula",) or block.kind.startswith("fence"):
            found += numbers(block.text)
        elif block.kind not in ("code-cell", "label"):
            found += [number for pattern in (CODE_SPAN, FORMULA) for match in pattern.finditer(block.text) for number in numbers(match[0])]
    return found


def numbers(text: str) -> list[float]:
    return [float(each.replace(",", "").replace("_", "")) for each in ANYWHERE.findall(text.replace("{,}", ","))]


def excerpt(paragraph: str, number: str) -> str:
    """What stands around a number."""
    line = " ".join(paragraph.split())
    at = max(line.find(number), 0)
    begin, end = max(at - 40, 0), at + 40
    return f"“{'…' if begin else ''}{line[begin:end]}{'…' if end < len(line) else ''}”"


def executed(page: Path):
    """A page's notebook with its outputs: from the cache of what builds have executed, where its code is in there, else executed now."""
    notebook = read_myst_markdown_notebook(page.read_text(encoding="utf-8"), path=page)
    runtime.prepare()
    try:
        return get_cache(str(runtime.CACHE)).merge_match_into_notebook(notebook)[1]
    except KeyError:
        return execute(notebook)


def execute(notebook):
    """Executes a notebook in the surroundings of the build."""
    with tempfile.TemporaryDirectory() as place:
        NotebookClient(notebook, timeout=900, kernel_name="python3", kernel_manager_class=SocketKernelManager,
                       resources={"metadata": {"path": place}}).execute(env=runtime.environment())
    return notebook


def problems(page: Path) -> list[str]:
    """The findings in a page, as sentences."""
    return [str(each) for each in findings(f"{SOURCE}/{page.name}", page.read_text(encoding="utf-8"), executed(page))]
