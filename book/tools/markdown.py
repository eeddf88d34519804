"""Rewrites the MyST of a chapter as the plain Markdown that Jupyter shows.

Jupyter knows Markdown, formulas and a little HTML. It does not know MyST's labels, roles and directives, so a page downloaded as it is
would show them raw. Here each becomes what comes closest: a reference becomes its text or number, an admonition a quotation, a folded
answer `<details>`, a picture an attachment. What is not known here is an error, so that nothing raw slips through; `Converter.role` and
`Converter.directive` say what a chapter may use.
"""

import base64
import mimetypes
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

import yaml

ADMONITIONS = {"note", "tip", "hint", "important", "warning", "caution", "danger", "attention", "error", "seealso"}
FENCE = re.compile(r"^(?P<indent>[ ]*)(?P<fence>`{3,}|~{3,}|:{3,})[ ]*(?P<info>.*)$")
DIRECTIVE = re.compile(r"^\{(?P<name>[\w:.+-]+)\}[ ]*(?P<argument>.*)$")
LABEL = re.compile(r"^[ ]*\([^()\s]+\)=[ ]*$")
BLOCK_ATTRIBUTES = re.compile(r"^[ ]*\{[.#][^{}`]*\}[ ]*$")
FOOTNOTE = re.compile(r"^\[\^(?P<name>[^\]]+)\]:[ ]*(?P<text>.*)$")
HEADING = re.compile(r"^#{1,6}[ ]")
INLINE = re.compile(
    r"\{(?P<role>[A-Za-z][\w:.+-]*)\}(?P<rtick>`+)(?P<content>.+?)(?P=rtick)(?!`)"
    r"|(?P<tick>`+)(?!`)(?P<code>.+?)(?<!`)(?P=tick)(?!`)"
    r"|(?<![\\$])(?P<math>\$(?![\s$])(?:[^$\\]|\\.)+?\$)"
    r"|!\[(?P<alt>[^\]]*)\]\((?P<image>[^)\s]+)\)(?:\{[^{}]*\})?"
    r"|(?<!\\)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^()\s]+|)\)(?:\{[^{}]*\})?"
    r"|\[\^(?P<footnote>[^\]]+)\]",
    re.DOTALL,
)
WITH_TEXT = re.compile(r"^(?P<text>.*?)\s*<(?P<target>[^<>]+)>$", re.DOTALL)


class ConversionError(ValueError):
    """Markup that Jupyter would show raw; the message names it and what may be used."""


class References(Protocol):
    """What labels and citation keys stand for, as `ext/downloads.py` knows it. Each method raises KeyError for one that is unknown."""

    def section(self, label: str) -> tuple[str, bool]:
        """The title of what the label marks, and whether it is a section of this very page."""

    def equation(self, label: str) -> str:
        """The formula's number, such as `1.3`."""

    def numbered(self, label: str) -> str:
        """A numbered figure or table, such as `Figure 1.2`."""

    def page(self, name: str) -> str:
        """A page's title."""

    def citation(self, role: str, key: str) -> tuple[str, str]:
        """How the text names a source, and its address (may be empty)."""

    def made(self, name: str) -> str:
        """What stands in place of a directive whose content is made, as MyST: `catalogue` or `terms`."""

    def bibliography(self) -> list[str]:
        """The sources that the page cites, one line of Markdown each."""

    def admonition(self, kind: str) -> str:
        """The heading of an admonition without one of its own, in the page's language."""


def closes(line: str, mark: str) -> bool:
    """Whether the line ends the fenced block that `mark` began: the same character, at least as often, and nothing else."""
    return set(line.strip()) == {mark[0]} and len(line.strip()) >= len(mark)


@dataclass
class Converter:
    """Converts the Markdown cells of one page. `folder` is where the page's pictures are looked for."""

    references: References
    folder: Path
    attachments: dict = field(default_factory=dict)

    def cells(self, text: str) -> list[tuple[str, dict]]:
        """The text as one or more cells, a new one at each heading: (Markdown, attachments)."""
        found = []
        for part in self.split(text):
            self.attachments = {}
            converted = re.sub(r"\n{3,}", "\n\n", self.blocks(part)).strip("\n")
            if converted.strip():
                found.append((converted, self.attachments))
        return found

    @staticmethod
    def split(text: str) -> list[str]:
        """Cuts before each heading that stands outside fences; labels above it go along with it."""
        parts, current, closing = [], [], None
        for line in text.split("\n"):
            fence = FENCE.match(line)
            if closing is None and HEADING.match(line):
                keep = len(current)
                while keep and (LABEL.match(current[keep - 1]) or not current[keep - 1].strip()):
                    keep -= 1
                parts.append("\n".join(current[:keep]))
                current = []
            elif closing is None and fence:
                closing = fence["fence"]
            elif closing is not None and closes(line, closing):
                closing = None
            current.append(line)
        return [*parts, "\n".join(current)]

    # --- blocks

    def blocks(self, text: str) -> str:
        """The text with its directives, labels, comments and formulas rewritten."""
        lines, result, paragraph = text.split("\n"), [], []

        def flush() -> None:
            if paragraph:
                result.append(self.inline("\n".join(paragraph)))
                paragraph.clear()

        at = 0
        while at < len(lines):
            line = lines[at]
            fence = FENCE.match(line)
            if fence:
                flush()
                at, block = self.fenced(lines, at, fence)
                result.append(block)
                continue
            if line.lstrip().startswith("$$"):
                flush()
                at, block = self.formula(lines, at)
                result.append(block)
                continue
            if line.lstrip().startswith("<!--"):
                flush()
                while "-->" not in lines[at] and at + 1 < len(lines):
                    at += 1
                at += 1
                continue
            at += 1
            if line.startswith("%") or LABEL.match(line) or BLOCK_ATTRIBUTES.match(line):
                flush()
            elif not line.strip():
                flush()
                result.append("")
            elif FOOTNOTE.match(line):
                flush()
                note = FOOTNOTE.match(line)
                result.append(f"<sup>{note['name']}</sup> {self.inline(note['text'])}")
            elif re.match(r"^:[ ]+", line) and paragraph:  # the definition of the term above
                paragraph[-1] += "  "
                paragraph.append("— " + line[1:].strip())
            else:
                paragraph.append(line)
        flush()
        return "\n".join(result)

    def fenced(self, lines: list[str], at: int, fence: re.Match) -> tuple[int, str]:
        """One fenced block: code stays, a directive is rewritten. Returns the line after it, and its Markdown."""
        mark, indent = fence["fence"], fence["indent"]
        end = at + 1
        while end < len(lines) and not closes(lines[end], mark):
            end += 1
        body = [line[len(indent):] if line.startswith(indent) else line.lstrip() for line in lines[at + 1:end]]
        directive = DIRECTIVE.match(fence["info"])
        if directive:
            options, content = self.options(body)
            block = self.directive(directive["name"], directive["argument"].strip(), options, content)
        elif mark[0] == ":":
            block = self.blocks("\n".join(body))
        else:
            return end + 1, "\n".join(lines[at:end + 1])
        return end + 1, "\n".join(indent + line if line else line for line in block.split("\n"))

    @staticmethod
    def options(body: list[str]) -> tuple[dict, str]:
        """A directive's options, written as `:name: value` lines or between `---`, and its content."""
        if body and body[0].strip() == "---":
            end = next((i for i, line in enumerate(body[1:], 1) if line.strip() == "---"), len(body))
            return yaml.safe_load("\n".join(body[1:end])) or {}, "\n".join(body[end + 1:])
        options, at = {}, 0
        while at < len(body) and (option := re.match(r"^:([\w-]+):[ ]*(.*)$", body[at])):
            options[option[1]] = option[2].strip()
            at += 1
        return options, "\n".join(body[at:])

    def formula(self, lines: list[str], at: int) -> tuple[int, str]:
        """A displayed formula; its label becomes its number."""
        begin, end = at, at
        rest = lines[at].strip()[2:]
        while "$$" not in rest:
            end += 1
            if end == len(lines):
                raise ConversionError(f"the formula that begins with {lines[begin]!r} has no closing $$")
            rest = lines[end]
        last = lines[end]
        cut = last.rindex("$$")
        label = re.match(r"^[ ]*\(([^()\s]+)\)[ ]*$", last[cut + 2:])
        block = [*lines[begin:end], last[:cut] + "$$"]
        if label:
            block[-1] = f"{last[:cut].rstrip()} \\tag{{{self.resolve(self.references.equation, label[1])}}} $$".lstrip()
        return end + 1, "\n".join(block)

    # --- directives

    def directive(self, name: str, argument: str, options: dict, content: str) -> str:
        """A directive as Markdown."""
        classes = str(options.get("class", "")).split()
        if name in ADMONITIONS or name == "admonition":
            title = self.inline(argument) if argument else self.references.admonition(name)
            return self.folded(title, content) if "dropdown" in classes else self.quotation(title, content)
        if name in {"dropdown", "toggle"}:
            return self.folded(self.inline(argument) or self.references.admonition("note"), content)
        if name in {"margin", "sidebar", "epigraph", "pull-quote", "topic"}:
            return self.quotation(self.inline(argument), content)
        if name in {"tab-item", "card", "grid-item-card"}:
            return "\n\n".join(each for each in (f"**{self.inline(argument)}**" if argument else "", self.blocks(content)) if each)
        if name in {"tab-set", "grid", "grid-item", "div", "container"}:
            return self.blocks(content)
        if name in {"code-block", "code", "sourcecode"}:
            return f"```{argument}\n{content}\n```"
        if name == "math":
            tag = f" \\tag{{{self.resolve(self.references.equation, options['label'])}}}" if options.get("label") else ""
            return f"$$\n{content.strip()}{tag}\n$$"
        if name in {"figure", "image"}:
            picture = self.picture(argument, str(options.get("alt", "")))
            if name == "image":
                return picture
            return "\n\n".join(each for each in (picture, self.caption(options.get("name"), content.strip())) if each)
        if name == "table":
            return "\n\n".join(each for each in (self.caption(options.get("name"), argument), self.blocks(content)) if each)
        if name == "list-table":
            return self.list_table(argument, options, content)
        if name in {"catalogue", "terms"}:
            return self.blocks(self.references.made(name))
        if name == "interactive":
            return f"*{self.references.made(name)}*"
        if name == "bibliography":
            return "\n".join(f"- {line}" for line in self.references.bibliography())
        if name in {"tableofcontents", "contents", "toctree"}:
            return ""
        if name == "raw" and argument == "html":
            return content
        raise ConversionError(f"the directive {{{name}}} has no form in a notebook yet; add it to {__name__}, or use one that has")

    def quotation(self, title: str, content: str) -> str:
        """A box of text as a quotation under its title."""
        inner = self.blocks(content).strip("\n")
        whole = f"**{title}**\n\n{inner}" if title else inner
        return "\n".join(f"> {line}".rstrip() for line in whole.split("\n"))

    def folded(self, title: str, content: str) -> str:
        """A box of text that opens on a click."""
        title = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", title)
        title = re.sub(r"\*(.+?)\*", r"<em>\1</em>", re.sub(r"`(.+?)`", r"<code>\1</code>", title))
        inner = self.blocks(content).strip("\n")
        return f"<details>\n<summary>{title}</summary>\n\n{inner}\n\n</details>"

    def caption(self, label: str | None, text: str) -> str:
        """A caption under its number."""
        number = self.resolve(self.references.numbered, label) if label else ""
        return " ".join(each for each in (f"**{number}.**" if number else "", self.inline(text)) if each)

    def picture(self, name: str, alternative: str) -> str:
        """A picture file, taken into the notebook as an attachment."""
        if re.match(r"^(https?:|data:|attachment:)", name):
            return f"![{alternative}]({name})"
        path = self.folder / name
        if not path.is_file():
            raise ConversionError(f"the picture {name} is not in {self.folder}")
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        self.attachments[path.name] = {kind: base64.b64encode(path.read_bytes()).decode("ascii")}
        return f"![{alternative}](attachment:{quote(path.name)})"

    def list_table(self, caption: str, options: dict, content: str) -> str:
        """A table written as a list of lists."""
        rows = []
        for line in content.split("\n"):
            if cell := re.match(r"^[*-][ ]+[*-][ ]+(.*)$", line):
                rows.append([cell[1]])
            elif cell := re.match(r"^[ ]+[*-][ ]+(.*)$", line):
                rows[-1].append(cell[1])
            elif line.strip():
                rows[-1][-1] += " " + line.strip()
        if not rows:
            return ""
        header = rows.pop(0) if int(options.get("header-rows", 0)) else [""] * len(rows[0])
        table = [header, ["---"] * len(header), *rows]
        body = "\n".join("| " + " | ".join(self.inline(cell) for cell in row) + " |" for row in table)
        return "\n\n".join(each for each in (self.caption(options.get("name"), caption), body) if each)

    # --- inline

    def inline(self, text: str) -> str:
        """A paragraph with its roles, links and pictures rewritten; code and formulas stay."""
        return INLINE.sub(self.element, text)

    def element(self, found: re.Match) -> str:
        """One inline element."""
        if found["role"]:
            return self.role(found["role"], found["content"])
        if found["code"] or found["math"]:
            return found[0]
        if found["image"]:
            return self.picture(found["image"], found["alt"])
        if found["footnote"]:
            return f"<sup>{found['footnote']}</sup>"
        text, target = self.inline(found["text"]), found["target"]
        if re.match(r"^[a-z]+:", target):
            return f"[{text}]({target})"
        if target.startswith("#"):
            return self.reference(target[1:], text)
        page = re.match(r"^([\w./-]+)\.md(#.*)?$", target)
        if page:
            return text or self.resolve(self.references.page, page[1])
        raise ConversionError(f"the link {found[0]} leads to nothing that a notebook could open; use #label, page.md or a whole address")

    def role(self, name: str, content: str) -> str:
        """A role as Markdown."""
        named = WITH_TEXT.match(content)
        text, target = (named["text"], named["target"]) if named else ("", content.strip())
        if name in {"ref", "any"}:
            return self.reference(target, text)
        if name == "eq":
            return f"({self.resolve(self.references.equation, target)})"
        if name == "numref":
            number = self.resolve(self.references.numbered, target)
            return re.sub(r"%s|\{number\}", number.split()[-1], text) if text else number
        if name == "doc":
            return text or self.resolve(self.references.page, target)
        if name.split(":")[0] == "cite":
            return self.citations(name, content)
        if name == "math":
            return f"${content}$"
        if name in {"sub", "sup", "kbd"}:
            return f"<{name}>{content}</{name}>"
        if name in {"code", "file", "command", "program"}:
            return f"`{content}`"
        if name in {"term", "download", "guilabel", "menuselection", "dfn"}:
            return text or content
        if name == "abbr":
            return re.sub(r"\s*\([^()]*\)$", "", content)
        raise ConversionError(f"the role {{{name}}} has no form in a notebook yet; add it to {__name__}, or use one that has")

    def reference(self, label: str, text: str) -> str:
        """A link to a section of this page as Jupyter addresses it; other places are named and not linked."""
        title, here = self.resolve(self.references.section, label)
        if here:
            return f"[{text or title}](#{quote(title.replace(' ', '-'))})"
        return text or title

    def citations(self, role: str, keys: str) -> str:
        """Sources as the text names them, linked to where they can be read."""
        named = []
        for key in keys.split(","):
            text, address = self.resolve(lambda each: self.references.citation(role, each), key.strip())
            named.append(f"[{text}]({address})" if address else text)
        return ", ".join(named) if role.startswith("cite:t") else f"({'; '.join(named)})"

    @staticmethod
    def resolve(lookup, label: str):
        """What a label stands for, or an error that names it."""
        try:
            return lookup(label)
        except KeyError:
            raise ConversionError(f"there is nothing labelled {label!r} in the book") from None
