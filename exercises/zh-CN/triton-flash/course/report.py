"""What is to be said about one part, before it becomes HTML or text."""

from dataclasses import dataclass, field

from .diagnosis import likely
from .explain import sentences
from .language import _, ngettext
from .running import run_all, with_skips


@dataclass(frozen=True)
class Report:
    """One part's report: the Results in order, the first that did not pass, and what is said about it."""

    part: str
    results: list
    first: object = None
    said: list = field(default_factory=list)
    reasons: list = field(default_factory=list)
    note: str = ""

    @property
    def passed(self):
        return self.first is None

    @property
    def status(self):
        """passed, failed, or, where there is nothing to judge yet, unwritten or missing."""
        return self.first.status if self.first else "passed"

    @property
    def shown(self):
        """The results to list: none where nothing has run yet."""
        return [] if self.status in ("unwritten", "missing") else self.results

    @property
    def summary(self):
        """How many checks pass, in words."""
        n, total = sum(result.status == "passed" for result in self.results), len(self.results)
        if n == total:
            return ngettext("the check passes", "all {n} checks pass", n).format(n=n)
        return ngettext("{n} of {total} checks passes", "{n} of {total} checks pass", n).format(n=n, total=total)


def report(part, uses, stages, recorded, namespace):
    """The Report on a part. `uses`: the parts whose functions it calls; they run too, as evidence, and are only mentioned."""
    evidence = run_all([stage for stage in stages if stage.part == part or stage.part in uses], recorded, namespace)
    own = with_skips({name: result for name, result in evidence.items() if result.stage.part == part})
    first = next((result for result in own if result.status != "passed"), None)
    if first is None:
        return Report(part, own)
    said, reasons = _about(part, first, evidence, recorded)
    broken = [other for other in uses if any(r.status != "passed" for r in evidence.values() if r.stage.part == other)]
    note = _("`{other}` does not pass its own checks yet, and `{part}` uses it. Look there first.")
    return Report(part, own, first, said, reasons, note.format(other=broken[0], part=part) if broken else "")


def _about(part, first, evidence, recorded):
    if first.status == "missing":
        text = _("There is no `{name}` in the notebook's memory. Run the cell that defines it, then this one.")
        return [text.format(name=first.missing)], []
    if first.status == "unwritten":
        return [_("`{part}` is not written yet.").format(part=part)], []
    found = likely(first, evidence, recorded)
    return sentences(first), [_(recorded.explanations[mistake]) for mistake in found[:2]]
