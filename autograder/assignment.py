"""An assignment as it lies on the disk: its parts, its reference solution, its wrong and its unusual right solutions."""

import ast
import functools
import hashlib
import linecache
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from autograder.self_contained import self_contained

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENTS = ROOT / "autograder" / "assignments"
SOLUTIONS = ROOT / "solutions"

os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton looks at it once, when it is imported: the course's own kernels run in its interpreter here


class UnknownAssignment(ValueError):
    """There is no assignment of that name."""


class Unusable(ValueError):
    """A file of an assignment's own cannot be used. The text names it and says why, a line for each where there are several."""


@dataclass(frozen=True)
class Assignment:
    """One exercise: `name` as in the contracts, `framework` numpy, torch or triton, `points` {part: points} in the notebook's order."""

    name: str
    solution: str
    framework: str
    points: dict = field(hash=False)
    own_work: bool = False  # a library's attention may not be called
    place: Path = ASSIGNMENTS

    @property
    def parts(self):
        """The names of the parts, in the notebook's order."""
        return tuple(self.points)

    @property
    def arrays(self):
        """The library whose arrays the functions take and give: kernels in Triton take PyTorch's tensors."""
        return "torch" if self.framework == "triton" else self.framework

    @property
    def folder(self):
        return self.place / self.name

    @property
    def hidden_tests(self):
        return self.folder / "test_hidden.py"

    @property
    def public_checks(self):
        return self.folder / "public.py"

    @functools.cached_property
    def solution_source(self):
        """The reference solution as one source, which needs no other file."""
        return self_contained(SOLUTIONS / self.solution)

    def namespace(self):
        """The reference solution's names, freshly executed in this process."""
        return executed(self.solution_source, f"<{self.name}>", "reference")

    @functools.cached_property
    def version(self):
        """Twelve hexadecimal digits that change with the hidden tests, the reference or the catalogue: results of another version are out of date."""
        digest = hashlib.sha256(self.solution_source.encode())
        for path in sorted(self.folder.rglob("*")):
            if path.suffix in (".py", ".toml"):
                digest.update(path.relative_to(self.folder).as_posix().encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()[:12]

    @functools.cached_property
    def wrong(self):
        """The catalogue of wrong solutions, {misconception: Variant}.

        Raises Unusable where one is no Python, or does not say what the student is told.
        """
        variants = self._variants("wrong")
        require_explanations(variants.values())
        return variants

    @functools.cached_property
    def right(self):
        """Unusual right solutions, {name: Variant}."""
        return self._variants("right")

    def _variants(self, kind):
        paths = sorted((self.folder / kind).glob("*.py"))
        return {path.stem: Variant(path.stem, path, self) for path in paths}


@dataclass(frozen=True)
class Variant:
    """A solution that differs from the reference in what its file redefines."""

    name: str
    path: Path
    assignment: Assignment

    @functools.cached_property
    def explanation(self):
        """What the student is told, in English."""
        return explanation(self.path)

    @functools.cached_property
    def override(self):
        """The file's text."""
        return self.path.read_text(encoding="utf-8")

    @property
    def source(self):
        """A whole submission: the reference, then the names that the variant redefines."""
        return self.assignment.solution_source + "\n\n" + self.override

    def namespace(self):
        """The variant's names, freshly executed in this process. For the course's own files only, never for a student's."""
        parsed(self.path)
        try:
            return executed(self.source, f"<{self.assignment.name}: {self.name}>", f"variant_{self.name}")
        except Exception as error:  # whatever a file of an instructor's does where it is executed
            raise Unusable(f"{shown(self.path)}: {type(error).__name__}: {error}") from error


def executed(source, file, name):
    """The names that a source of the course's own defines, in this process. Its text is left where Python looks for it: Triton reads kernels' sources."""
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    namespace = {"__name__": name}
    exec(compile(source, file, "exec"), namespace)
    return namespace


def require_explanations(variants):
    """Raise Unusable, which names all of them, where wrong solutions don't say what the student is told."""
    troubles = []
    for variant in variants:
        try:
            variant.explanation  # noqa: B018
        except Unusable as error:
            troubles.append(str(error))
    if troubles:
        raise Unusable("\n".join(troubles))


def explanation(path):
    """What the file of a wrong solution says to the student: its docstring in one line, as it stands in the message catalogue."""
    told = one_line(ast.get_docstring(parsed(path)) or "")
    if not told:
        raise Unusable(f"{shown(path)}: it has no docstring, and that is what the student is told")
    return told


def parsed(path):
    """The syntax tree of a file of the course's own; raises Unusable, with the line, where it is no Python."""
    try:
        return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    except SyntaxError as error:
        raise Unusable(f"{shown(path)}, line {error.lineno}: {error.msg}") from None
    except ValueError as error:  # bytes that are no UTF-8, and nought bytes
        raise Unusable(f"{shown(path)}: {error}") from None


def shown(path):
    """A path as it is written in the course's folder."""
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def one_line(text):
    """A text with every run of white space made one space."""
    return " ".join(text.split())


@functools.cache
def load(name):
    """The assignment of that name; raises UnknownAssignment, which lists those there are."""
    if name not in names():
        raise UnknownAssignment(f"there is no assignment {name!r}; there are: {', '.join(names())}")
    return read(ASSIGNMENTS / name)


def read(folder):
    """The assignment that lies in a folder of its name. `solution` in its assignment.toml may be an absolute path, too."""
    fields = tomllib.loads((folder / "assignment.toml").read_text(encoding="utf-8"))
    return Assignment(fields["name"], fields["solution"], fields["framework"], fields["points"], fields.get("own_work", False), folder.parent)


def names():
    """The names of all assignments, sorted."""
    return sorted(path.parent.name for path in ASSIGNMENTS.glob("*/assignment.toml"))
