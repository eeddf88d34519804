"""Sets formulas when the book is built: from TeX to MathML, which browsers show without a script and screen readers read.

It knows the part of TeX that books on machine learning use. FormulaError names what it does not know, so that the build tells the author.
The library latex2mathml leaves ampersands in `aligned`, sets cos φ and decimal commas badly, and passes over what it does not know.
"""

import re
import unicodedata
from html import escape


class FormulaError(ValueError):
    """What is wrong with a formula, in words for its author."""


TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|\d+(?:\.\d+|\{,\}\d+|\\,\d{3}(?!\d))*|\s+|.", re.DOTALL)
THIN = "\u2009"
SPACES = {",": 0.1667, ":": 0.2222, ">": 0.2222, ";": 0.2778, "!": -0.1667, " ": 0.25, "quad": 1, "qquad": 2, "enspace": 0.5}

GREEK = dict(zip(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi "
    "varphi chi psi omega".split(),
    "αβγδϵεζηθϑικλμνξπρστυϕφχψω"))
CAPITALS = dict(zip("Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split(), "ΓΔΘΛΞΠΣΥΦΨΩ"))
LETTERS = {"ell": "ℓ", "infty": "∞", "partial": "∂", "nabla": "∇", "emptyset": "∅", "forall": "∀", "exists": "∃", "Re": "ℜ",
           "Im": "ℑ", "hbar": "ℏ", "dots": "…", "ldots": "…", "cdots": "⋯", "vdots": "⋮", "ddots": "⋱", "top": "⊤", "bot": "⊥",
           "prime": "′", "circ": "∘", "degree": "°", "_": "_", "%": "%", "#": "#", "$": "$", "&": "&"}
BINARY = {"cdot": "⋅", "times": "×", "pm": "±", "mp": "∓", "div": "÷", "ast": "∗", "star": "⋆", "oplus": "⊕", "otimes": "⊗",
          "odot": "⊙", "cup": "∪", "cap": "∩", "setminus": "∖", "wedge": "∧", "vee": "∨", "+": "+", "-": "−", "*": "∗"}
RELATIONS = {"le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "equiv": "≡", "sim": "∼",
             "simeq": "≃", "propto": "∝", "ll": "≪", "gg": "≫", "in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂", "subseteq": "⊆",
             "supset": "⊃", "supseteq": "⊇", "to": "→", "rightarrow": "→", "leftarrow": "←", "gets": "←", "mapsto": "↦",
             "Rightarrow": "⇒", "Leftarrow": "⇐", "iff": "⇔", "Leftrightarrow": "⇔", "implies": "⇒", "leftrightarrow": "↔",
             "mid": "∣", "parallel": "∥", "perp": "⟂", "colon": ":", "=": "=", "<": "<", ">": ">", ":": ":"}
# Their limits stand above and below.
LARGE = {"sum": "∑", "prod": "∏", "coprod": "∐", "bigcup": "⋃", "bigcap": "⋂", "bigoplus": "⨁", "bigotimes": "⨂"}
INTEGRALS = {"int": "∫", "iint": "∬", "oint": "∮"}
FUNCTIONS = set("arccos arcsin arctan arg cos cosh cot deg dim exp hom ker lg ln log sec sin sinh tan tanh".split())
LIMITS = {"max", "min", "sup", "inf", "lim", "det", "gcd", "Pr", "argmax", "argmin"}
OPENING = {"(": "(", "[": "[", "{": "{", "lfloor": "⌊", "lceil": "⌈", "langle": "⟨", "lbrace": "{", "lbrack": "[", "lvert": "|",
           "lVert": "‖"}
CLOSING = {")": ")", "]": "]", "}": "}", "rfloor": "⌋", "rceil": "⌉", "rangle": "⟩", "rbrace": "}", "rbrack": "]", "rvert": "|",
           "rVert": "‖"}
STROKES = {"|": "|", "vert": "|", "Vert": "‖", "backslash": "\\", "/": "/", ".": ""}
ACCENTS = {"bar": "¯", "hat": "^", "tilde": "~", "dot": "˙", "ddot": "¨", "vec": "→", "check": "ˇ", "breve": "˘"}
LINES = {"overline", "underline"}
WIDE = {"overbrace": ("mover", "⏞"), "underbrace": ("munder", "⏟"), "widehat": ("mover", "^"),
        "widetilde": ("mover", "~"), "overrightarrow": ("mover", "→"), "overleftarrow": ("mover", "←")}
BIG = {name + side: size for name, size in (("big", 1.2), ("Big", 1.6), ("bigg", 2.1), ("Bigg", 2.6)) for side in ("", "l", "r", "m")}
STYLES = {"displaystyle": 'displaystyle="true"', "textstyle": 'displaystyle="false"', "scriptstyle": 'displaystyle="false" scriptlevel="1"'}
TEXT = {"text", "textrm", "mbox", "textnormal", "textbf", "textit", "texttt", "textsf"}
ALPHABETS = {"mathbb": "DOUBLE-STRUCK", "mathbf": "BOLD", "boldsymbol": "BOLD ITALIC", "bm": "BOLD ITALIC", "mathcal": "SCRIPT",
             "mathscr": "SCRIPT", "mathfrak": "FRAKTUR", "mathsf": "SANS-SERIF", "mathtt": "MONOSPACE", "mathit": "ITALIC",
             "mathrm": "", "mathnormal": "ITALIC"}
FENCES = {"pmatrix": "()", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||", "Vmatrix": "‖‖", "cases": ("{", "")}
TABLES = {"matrix", "smallmatrix", "array", *FENCES}
ALIGNED = {"aligned", "align", "align*", "split", "alignat", "eqnarray"}
GATHERED = {"gathered", "gather", "gather*", "equation", "equation*", "multline", "multline*"}


def mathml(tex: str, display: bool = False) -> str:
    """The formula as a `<math>` element."""
    reader = Reader(tex)
    rows = reader.rows("")
    body = row(rows[0][0]) if len(rows) == 1 and len(rows[0]) == 1 else table(rows, "aligned" if max(map(len, rows)) > 1 else "gathered")
    return f'<math display="block">{body}</math>' if display else f"<math>{body}</math>"


def row(items: list[tuple[str, str]]) -> str:
    """Atoms side by side, with the spaces that TeX puts around names of functions. An atom is (kind, MathML)."""
    made, before = [], ""
    for kind, piece in items:
        if kind == "space":
            made.append(piece)
            continue
        if kind == "op" and before in ("ord", "close", "op") or before == "op" and kind == "ord":
            made.append(space(SPACES[","]))
        if kind == "bin" and before in ("", "bin", "op", "rel", "open", "punct"):
            piece = piece.replace("<mo", '<mo form="prefix"', 1)  # a sign, as in (-x)
            kind = "sign"
        made.append(piece)
        before = kind
    return made[0] if len(made) == 1 else f"<mrow>{''.join(made)}</mrow>"


def space(width: float) -> str:
    """A gap of some em; a negative one is a margin, because an element is no narrower than nothing."""
    return f'<mspace width="{width}em"/>' if width > 0 else f'<mspace style="margin-left:{width}em"/>'


def table(rows: list[list], kind: str) -> str:
    """A table; the style sheet aligns its columns by the class."""
    lines = "".join(f"<mtr>{''.join(f'<mtd>{row(cell)}</mtd>' for cell in cells)}</mtr>" for cells in rows)
    shown = ' displaystyle="true"' if kind in ("aligned", "gathered") else ""
    return f'<mtable class="{kind}"{shown}>{lines}</mtable>'


def fence(sign: str, form: str) -> str:
    """A bracket that grows with what it holds."""
    return f'<mo form="{form}" fence="true" stretchy="true">{escape(sign)}</mo>' if sign else f'<mo form="{form}" fence="true"></mo>'


def letter(sign: str, alphabet: str | None = None) -> str:
    """A letter or digit, in an alphabet such as bold; a single letter is slanted where nothing else is said."""
    if alphabet == "":
        return f'<mi mathvariant="normal">{escape(sign)}</mi>'
    if alphabet is None:
        return f"<mi>{escape(sign)}</mi>"
    tag = "mn" if sign.isdigit() else "mi"
    return f"<{tag}>{styled(sign, alphabet)}</{tag}>"


def styled(sign: str, alphabet: str) -> str:
    """The character of a mathematical alphabet; itself where there is none."""
    if (sign, alphabet) == ("h", "ITALIC"):
        return "ℎ"  # has a name of its own, after Planck
    name = unicodedata.name(sign, "").replace("LATIN ", "").replace("GREEK ", "").replace("LETTER ", "")
    for prefix in (f"MATHEMATICAL {alphabet}", alphabet, f"MATHEMATICAL {alphabet.partition(' ')[0]}"):
        try:
            return unicodedata.lookup(f"{prefix} {name}")
        except KeyError:
            continue
    return sign


class Reader:
    """Reads a formula from left to right."""

    def __init__(self, tex: str) -> None:
        self.tex = tex.strip()
        self.tokens = TOKEN.findall(re.sub(r"(?<!\\)%.*", "", self.tex))
        self.place = 0

    def peek(self) -> str | None:
        """The next token that is no white space, or None at the end."""
        while self.place < len(self.tokens) and self.tokens[self.place].isspace():
            self.place += 1
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self) -> str:
        token = self.peek()
        if token is None:
            raise FormulaError("something is missing at its end")
        self.place += 1
        return token

    def expect(self, wanted: str) -> None:
        if self.peek() != wanted:
            raise FormulaError(f"{wanted} is missing before {self.peek() or 'its end'}")
        self.take()

    # --- what a formula is made of

    def rows(self, end: str) -> list[list]:
        """Rows of cells up to `\\end{...}` or, at the top, the end."""
        found = [[[]]]
        while (token := self.peek()) is not None and token != "\\end":
            if token in ("\\\\", "\\cr"):
                self.take()
                if self.peek() == "[":
                    self.raw("[", "]")  # a larger distance
                found.append([[]])
            elif token == "&":
                self.take()
                found[-1].append([])
            elif token in ("\\hline", "\\notag", "\\nonumber"):
                self.take()
            else:
                found[-1][-1] += self.atoms({"\\\\", "\\cr", "&", "\\end", None, "\\hline", "\\notag", "\\nonumber"})
        if end:
            self.expect("\\end")
            if (name := self.raw("{", "}")) != end:
                raise FormulaError(f"\\begin{{{end}}} ends as {name}")
        elif token is not None:
            raise FormulaError("\\end without \\begin")
        if len(found) > 1 and found[-1] == [[]]:
            found.pop()
        return found

    def atoms(self, ends: set) -> list[tuple[str, str]]:
        """Atoms with their scripts, up to one of some tokens, which is left."""
        found = []
        while (token := self.peek()) not in ends:
            if token is None:
                raise FormulaError("a bracket is not closed")
            if token[1:] in STYLES:
                self.take()
                found.append(("ord", f"<mstyle {STYLES[token[1:]]}>{row(self.atoms(ends))}</mstyle>"))
                break
            found.append(self.scripted(found))
        return found

    def scripted(self, before: list[tuple[str, str]]) -> tuple[str, str]:
        """An atom with its scripts. Behind a bracket they belong to all from where it was opened, which is taken from `before`."""
        token = self.peek()
        kind, base, limits = ("ord", "<mrow></mrow>", "") if token in ("^", "_", "'") else self.atom()
        if kind == "close" and self.peek() in ("^", "_", "'"):
            begin = opened(before)
            if begin is not None:
                base, kind = row([*before[begin:], (kind, base)]), "ord"
                del before[begin:]
        while self.peek() in ("\\limits", "\\nolimits"):
            limits = "always" if self.take() == "\\limits" else ""
        below, above = None, []
        while (mark := self.peek()) in ("^", "_", "'"):
            self.take()
            if mark == "'":
                above.append('<mo lspace="0" rspace="0">′</mo>')
            elif mark == "^":
                above.append(self.argument())
            elif below is None:
                below = self.argument()
            else:
                raise FormulaError("it has two lower indices at one place")
        return kind, attach(base, below, above, limits)

    def argument(self) -> str:
        """What a command or a script applies to: a group, or the next atom."""
        token = self.peek()
        if token == "{":
            return row(self.group())
        if token is not None and re.fullmatch(r"\d\d+", token):  # without a group it is the first digit alone
            self.tokens[self.place] = token[1:]
            return f"<mn>{token[0]}</mn>"
        return self.atom()[1]

    def group(self) -> list[tuple[str, str]]:
        self.expect("{")
        found = self.atoms({"}"})
        self.take()
        return found

    def raw(self, opening: str, closing: str) -> str:
        """The text between two brackets as it is written."""
        self.expect(opening)
        depth, found = 1, []
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            self.place += 1
            depth += (token == opening) - (token == closing)
            if not depth:
                return "".join(found)
            found.append(token)
        raise FormulaError(f"{closing} is missing")

    def delimiter(self) -> str:
        token = self.take()
        name = token.removeprefix("\\") if token != "\\|" else "Vert"
        for signs in (OPENING, CLOSING, STROKES):
            if name in signs:
                return signs[name]
        raise FormulaError(f"{token} is no bracket")

    def atom(self) -> tuple[str, str, str]:
        """(kind, MathML, how limits stand: "", "moving" or "always")."""
        token = self.take()
        if token == "{":
            self.place -= 1
            inner = self.group()
            return "ord", row(inner), ""
        if token.startswith("\\"):
            return self.command(token[1:])
        if token in BINARY or token in RELATIONS:
            return *sign_of(token), ""
        if token in "([":
            return "open", bracket(token), ""
        if token in ")]":
            return "close", bracket(token), ""
        if token[0].isdigit():
            return "ord", f"<mn>{token.replace('{,}', ',').replace(chr(92) + ',', THIN)}</mn>", ""
        if token in ",;":
            return "punct", f"<mo separator=\"true\">{token}</mo>", ""
        if token in "/|.!?":
            return "ord", f'<mo form="infix" fence="false" stretchy="false" lspace="0" rspace="0">{token}</mo>', ""
        if token == "~":
            return "space", space(0.25), ""
        if token.isalpha():
            return "ord", letter(token), ""
        raise FormulaError(f"{token} is not known in formulas")

    def command(self, name: str) -> tuple[str, str, str]:
        """What a command makes, see `atom`."""
        if name in SPACES:
            return "space", space(SPACES[name]), ""
        if name in GREEK or name in LETTERS:
            return "ord", letter(GREEK.get(name) or LETTERS[name], None if name in GREEK or name == "partial" else ""), ""
        if name in CAPITALS:
            return "ord", letter(CAPITALS[name], ""), ""
        if name in BINARY or name in RELATIONS:
            return *sign_of(name), ""
        if name in LARGE:
            return "op", f'<mo largeop="true" movablelimits="true">{LARGE[name]}</mo>', "moving"
        if name in INTEGRALS:
            return "op", f'<mo largeop="true">{INTEGRALS[name]}</mo>', ""
        if name in FUNCTIONS:
            return "op", f"<mi>{name}</mi>", ""
        if name in LIMITS:
            return "op", name_with_limits(name), "moving"
        if name in ("operatorname", "operatorname*"):
            said = re.sub(r"\\[,;:! ]", THIN, self.raw("{", "}"))
            if name.endswith("*"):
                return "op", name_with_limits(said), "moving"
            return "op", f'<mi mathvariant="normal">{escape(said)}</mi>', ""
        if name in TEXT:
            return "ord", self.text(), ""
        if name in ALPHABETS:
            return "ord", self.alphabet(ALPHABETS[name]), ""
        if name in ACCENTS:
            return "ord", f'<mover accent="true">{self.argument()}<mo stretchy="false">{ACCENTS[name]}</mo></mover>', ""
        if name in LINES:
            return "ord", f'<mrow class="{name}">{self.argument()}</mrow>', ""
        if name in WIDE:
            tag, sign = WIDE[name]
            kind = "always" if name.endswith("brace") else ""
            return "ord", f'<{tag}>{self.argument()}<mo stretchy="true">{sign}</mo></{tag}>', kind
        return self.structure(name)

    def structure(self, name: str) -> tuple[str, str, str]:
        """Fractions, roots, brackets that grow, tables."""
        if name in ("frac", "tfrac", "dfrac", "cfrac"):
            made = f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
            style = {"t": "false", "d": "true", "c": "true"}.get(name[0])
            return "ord", f'<mstyle displaystyle="{style}">{made}</mstyle>' if style else made, ""
        if name in ("binom", "tbinom", "dbinom"):
            inner = f'<mfrac linethickness="0">{self.argument()}{self.argument()}</mfrac>'
            return "ord", f"<mrow>{fence('(', 'prefix')}{inner}{fence(')', 'postfix')}</mrow>", ""
        if name == "sqrt":
            degree = row(Reader(self.raw("[", "]")).atoms({None})) if self.peek() == "[" else ""
            inner = self.argument()
            return "ord", f"<mroot>{inner}{degree}</mroot>" if degree else f"<msqrt>{inner}</msqrt>", ""
        if name == "left":
            return "ord", self.fenced(), ""
        if name in BIG:
            kind = {"l": "open", "r": "close", "m": "rel"}.get(name[-1], "ord")
            return kind, enlarged(self.delimiter(), BIG[name]), ""
        if name == "begin":
            return "ord", self.environment(), ""
        if name in ("overset", "stackrel", "underset"):
            over, base = self.argument(), self.argument()
            tag = "munder" if name == "underset" else "mover"
            return "rel", f"<{tag}>{base}{over}</{tag}>", ""
        if name in ("phantom", "mathstrut"):
            return "ord", f"<mphantom>{self.argument()}</mphantom>", ""
        if name == "boxed":
            return "ord", f'<mrow class="boxed">{self.argument()}</mrow>', ""
        if name == "not":
            kind, piece, _ = self.atom()
            return kind, re.sub(r">(.)<", lambda match: f">{unicodedata.normalize('NFC', match[1] + chr(0x338))}<", piece), ""
        if name in ("{", "lfloor", "lceil", "langle", "lbrace", "lbrack", "lvert", "lVert"):
            return "open", bracket(OPENING[name]), ""
        if name in ("}", "rfloor", "rceil", "rangle", "rbrace", "rbrack", "rvert", "rVert"):
            return "close", bracket(CLOSING[name]), ""
        if name in ("|", "vert", "Vert", "backslash"):
            return "ord", bracket("‖" if name in "|Vert" else STROKES[name]), ""
        raise FormulaError(f"\\{name} is not known; book/tools/formulas.py says what is")

    def fenced(self) -> str:
        """From \\left to \\right."""
        opening = self.delimiter()
        inner = []
        while True:
            inner += self.atoms({"\\right", "\\middle"})
            if self.take() == "\\right":
                break
            inner.append(("rel", f'<mo form="infix" fence="true" stretchy="true">{escape(self.delimiter())}</mo>'))
        return f"<mrow>{fence(opening, 'prefix')}{row(inner)}{fence(self.delimiter(), 'postfix')}</mrow>"

    def environment(self) -> str:
        """A table between \\begin and \\end."""
        name = self.raw("{", "}")
        if name not in TABLES | ALIGNED | GATHERED:
            raise FormulaError(f"\\begin{{{name}}} is not known; book/tools/formulas.py says what is")
        columns = self.raw("{", "}") if name in ("array", "alignat") else ""
        rows = self.rows(name)
        kind = "aligned" if name in ALIGNED else "gathered" if name in GATHERED else "cases" if name == "cases" else "matrix"
        if columns and set(columns) <= set("lcr| ") and "l" in columns:
            kind = "cases"
        made = table(rows, kind)
        if name in FENCES:
            opening, closing = FENCES[name]
            return f"<mrow>{fence(opening, 'prefix')}{made}{fence(closing, 'postfix') if closing else ''}</mrow>"
        return made

    def text(self) -> str:
        """Words inside a formula; their spaces stay."""
        said = re.sub(r"\\([_%&#${}])", r"\1", self.raw("{", "}")) if self.peek() == "{" else self.take()
        said = re.sub(r"\\[, ]", THIN, said)
        if "\\" in said or "$" in said:
            raise FormulaError(f"\\text{{{said}}} holds more than words")
        said = re.sub(r"^\s+|\s+$", "\u00a0", said.replace("~", "\u00a0"))
        return f"<mtext><span>{escape(said)}</span></mtext>"  # in the size of the words around, which only a child of its own can have

    def alphabet(self, alphabet: str) -> str:
        """Letters in an alphabet of their own; in the upright one they are one word."""
        said = self.raw("{", "}") if self.peek() == "{" else self.take()
        said = {f"\\{name}": sign for name, sign in (GREEK | CAPITALS).items()}.get(said, said)
        said = re.sub(r"\\([_%&#$])", r"\1", said)
        if not re.fullmatch(r"[^\\{}^]+", said):
            raise FormulaError(f"only letters can stand in a mathematical alphabet, not {said}")
        said = re.sub(r"\s+", "", said)
        if not alphabet:
            return letter(said, "")
        made = [letter(each, alphabet) for each in said]
        return made[0] if len(made) == 1 else f"<mrow>{''.join(made)}</mrow>"


def opened(items: list[tuple[str, str]]) -> int | None:
    """Where the bracket was opened that closes behind these atoms."""
    depth = 1
    for place in range(len(items) - 1, -1, -1):
        depth += {"close": 1, "open": -1}.get(items[place][0], 0)
        if not depth:
            return place
    return None


def enlarged(sign: str, size: float) -> str:
    """A bracket of a given size, its middle where it was. One that stretches would stand in too wide a box in Chromium."""
    made = f'<mo form="infix" fence="true" stretchy="false" lspace="0" rspace="0" mathsize="{size}em">{escape(sign)}</mo>'
    return f'<mpadded voffset="{-0.25 * (size - 1):.2f}em">{made}</mpadded>'


def bracket(sign: str) -> str:
    """A bracket as large as the letters."""
    form = "prefix" if sign in OPENING.values() else "postfix" if sign in CLOSING.values() else "infix"
    return f'<mo form="{form}" stretchy="false">{escape(sign)}</mo>'


def sign_of(name: str) -> tuple[str, str]:
    """(kind, MathML) of an operator or relation."""
    if name in BINARY:
        return "bin", f"<mo>{BINARY[name]}</mo>"
    return "rel", f'<mo stretchy="false">{escape(RELATIONS[name])}</mo>'


def name_with_limits(name: str) -> str:
    """The name of a function that has something below it, such as max."""
    return f'<mo form="prefix" movablelimits="true" lspace="0" rspace="0">{escape(name)}</mo>'


def attach(base: str, below: str | None, above: list[str], limits: str) -> str:
    """An atom with its scripts beside it or, where it has limits, below and above it."""
    up = above[0] if len(above) == 1 else f"<mrow>{''.join(above)}</mrow>" if above else None
    if limits == "always":
        base = base.replace('movablelimits="true"', 'movablelimits="false"')
    names = ("munder", "mover", "munderover") if limits else ("msub", "msup", "msubsup")
    if below is not None and up is not None:
        return f"<{names[2]}>{base}{below}{up}</{names[2]}>"
    if below is not None:
        return f"<{names[0]}>{base}{below}</{names[0]}>"
    return f"<{names[1]}>{base}{up}</{names[1]}>" if up is not None else base
