"""The message catalogues: what students can be told, collected from the code, and its translations in locale/*/LC_MESSAGES/*.po."""

import ast
import difflib
import io
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from autograder.assignment import ASSIGNMENTS, SOLUTIONS, explanation, one_line, parsed
from autograder.languages import DEFAULT, LANGUAGES, catalogue_name
from autograder.messages import DOMAIN, LOCALE

PACKAGE = Path(__file__).parent
CALLS = {"_": 1, "message": 1, "ngettext": 2, "messages": 2}  # function → how many of its arguments are texts
TRANSLATED = tuple(language for language in LANGUAGES if language != DEFAULT)


def po(language):
    """The file of a language's translations."""
    return LOCALE / catalogue_name(language) / "LC_MESSAGES" / f"{DOMAIN}.po"


def template(sources=None):
    """Every text that a student can be told, {text or (singular, plural): files it stands in}; of all sources, or of these."""
    found = {}
    for path in _sources() if sources is None else sources:
        for text in _texts(path):
            found.setdefault(text, []).append(path.relative_to(PACKAGE).as_posix())
    return found


def update():
    """Bring all catalogues up to date with the code; returns {language: texts to translate}.

    Translations are kept. A text that has changed is untranslated: the former text and its translation stand above it in comments, to
    start from, until it is translated. Texts that are gone go.
    """
    found = template()
    LOCALE.mkdir(exist_ok=True)
    (LOCALE / f"{DOMAIN}.pot").write_bytes(_dump(_merged(found, None, Catalog())))
    for language in TRANSLATED:
        po(language).parent.mkdir(parents=True, exist_ok=True)
        po(language).write_bytes(_dump(_merged(found, language, read(language))))
    return {language: missing(language) for language in TRANSLATED}


def read(language):
    """A language's catalogue as it stands in its file; empty where there is none."""
    path = po(language)
    if not path.exists():
        return Catalog(locale=catalogue_name(language))
    with path.open("rb") as file:
        return read_po(file, locale=catalogue_name(language))


def missing(language):
    """The texts that a language's file leaves untranslated, or does not have yet, and has to have.

    An assignment's texts have to be translated where its exercise is: where there is solutions/<language>/<assignment>.md.
    """
    return _untranslated(language, [path for path in _sources() if (name := _assignment_of(path)) is None or _is_written(name, language)])


def waiting(language):
    """{assignment: its untranslated texts}, of the assignments whose exercise the language does not have yet."""
    found = {}
    for path in _sources():
        name = _assignment_of(path)
        if name is not None and not _is_written(name, language):
            found.setdefault(name, []).append(path)
    return {name: _untranslated(language, paths) for name, paths in found.items()}


def compiled(language, texts):
    """A language's translations of some texts as the bytes of a .mo file; None for English."""
    if language == DEFAULT:
        return None
    chosen, full = _new(language), read(language)
    for text in sorted(texts, key=str):
        entry = full.get(text if isinstance(text, str) else text[0])
        if _is_translated(entry):
            chosen.add(entry.id, entry.string)
    file = io.BytesIO()
    write_mo(file, chosen)
    return file.getvalue()


def engine_texts():
    """The texts of check()'s engine."""
    return {text for path in sorted((PACKAGE / "learner").glob("*.py")) for text in _texts(path)}


def public_texts(path):
    """The texts of a file of public checks."""
    return set(_texts(path))


def _sources():
    """The files that hold texts: the code, without what stands in for students' code."""
    inside = [path for path in PACKAGE.rglob("*.py") if ASSIGNMENTS not in path.parents]
    chosen = [path for pattern in ("*/public.py", "*/test_hidden.py", "*/wrong/*.py") for path in ASSIGNMENTS.glob(pattern)]
    return sorted(inside) + sorted(chosen)


def _assignment_of(path):
    """The name of the assignment that a source belongs to; None for the autograder's own code."""
    return path.relative_to(ASSIGNMENTS).parts[0] if ASSIGNMENTS in path.parents else None


def _is_written(assignment, language):
    return (SOLUTIONS / language / f"{assignment}.md").is_file()


def _untranslated(language, sources):
    catalogue = read(language)
    return [text for text in template(sources) if not _is_translated(catalogue.get(_key(text)))]


def _texts(path):
    """The texts of one file, in their order. Raises Unusable where it is no Python, or a wrong solution without an explanation."""
    if path.parent.name == "wrong":
        return [explanation(path)]
    tree = parsed(path)
    nodes = sorted((node for node in ast.walk(tree) if hasattr(node, "lineno")), key=lambda node: (node.lineno, node.col_offset))
    called = [text for node in nodes if isinstance(node, ast.Call) for text in _of_call(node)]
    told = [one_line(ast.get_docstring(node)) for node in tree.body if _is_told(node, path)] if path.parent.parent == ASSIGNMENTS else []
    return list(dict.fromkeys(called + told))


def _of_call(node):
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    count = CALLS.get(name)
    given = node.args[:count] if count else []
    if len(given) < (count or 1) or not all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in given):
        return []
    return [given[0].value if count == 1 else tuple(one.value for one in given)]


def _is_told(node, path):
    """Whether a function's docstring is read by students: a public check's, a hidden test's."""
    if not isinstance(node, ast.FunctionDef) or not ast.get_docstring(node):
        return False
    return node.name.startswith("test_") if path.name == "test_hidden.py" else bool(node.decorator_list)


def _is_translated(entry):
    if entry is None or entry.fuzzy:
        return False
    return all(entry.string) if isinstance(entry.string, (tuple, list)) else bool(entry.string)


class _Plain(Catalog):
    """A catalogue whose head holds no dates and no versions: the same texts give the same bytes."""

    @property
    def mime_headers(self):
        plural = [("Plural-Forms", self.plural_forms)] if self.locale else []
        language = [("Language", str(self.locale_identifier))] if self.locale else []
        kind = [("MIME-Version", "1.0"), ("Content-Type", "text/plain; charset=utf-8"), ("Content-Transfer-Encoding", "8bit")]
        return language + plural + kind


def _new(language):
    return _Plain(locale=catalogue_name(language) if language else None, header_comment="# Messages to students.", fuzzy=False)


def _merged(found, language, old):
    """A new catalogue with the texts found, and the old one's translations."""
    new = _new(language)
    kept = {_key(text) for text in found}
    gone = {_key(entry.id): entry for entry in old if entry.id and _key(entry.id) not in kept and _is_translated(entry)}
    for text, files in found.items():
        entry = old.get(_key(text))
        if _is_translated(entry) and type(entry.id) is type(text if isinstance(text, str) else ()):
            new.add(text, entry.string, locations=[(file, None) for file in files])
        else:
            new.add(text, None, locations=[(file, None) for file in files], user_comments=_former(_key(text), entry, gone))
    return new


def _former(text, entry, gone):
    """Comments with the text that this one has probably been made from, and its translation."""
    if entry is not None and entry.user_comments:
        return entry.user_comments
    close = difflib.get_close_matches(text, list(gone), n=1, cutoff=0.6)
    if not close:
        return ()
    former = gone[close[0]]
    strings = former.string if isinstance(former.string, (tuple, list)) else [former.string]
    return [f"formerly: {_key(former.id)}", *(f"translated: {string}" for string in strings)]


def _key(text):
    return text if isinstance(text, str) else text[0]


def _dump(catalogue):
    file = io.BytesIO()
    write_po(file, catalogue, width=100, include_lineno=False)
    return file.getvalue()
