"""`check("softmax")`: runs a part's public checks on the functions in the caller's notebook, and shows what came of it."""

import sys

from . import as_html, as_text
from .language import _
from .recorded import read
from .report import report
from .stage import stages


class Checked:
    """What check() returns: `passed`, and the `reports`. It shows nothing by itself: check() has shown everything."""

    def __init__(self, reports):
        self.reports = reports

    @property
    def passed(self):
        return bool(self.reports) and all(one.passed for one in self.reports)

    def __repr__(self):
        return f"<check: {'passed' if self.passed else 'not passed'}>"

    def _ipython_display_(self):
        """Nothing, lest a notebook print the object below the report."""


def check(name=None, namespace=None):
    """Run the public checks of one part, or of all, and show what came of it in the exercise's language.

    name: a part such as "softmax"; None for all. namespace: where the functions are looked up; the caller's global names where
    none is given, which in a notebook are all that its cells have defined. Returns an object with `.passed`. A mistake in the
    functions is shown, and never raised.
    """
    from . import public  # lies beside this file in an exercise

    namespace = sys._getframe(1).f_globals if namespace is None else namespace
    recorded = read()
    if name is not None and name not in recorded.parts:
        parts = ", ".join(f"`{part}`" for part in recorded.parts)
        text = _("There is no part `{name}`. The parts are: {parts}.").format(name=name, parts=parts)
        _show(text, f"<div>{as_html.marked_up(text)}</div>")
        return Checked([])
    checks, uses = stages(public), public.USES
    reports = [report(part, uses.get(part, ()), checks, recorded, namespace) for part in (recorded.parts if name is None else [name])]
    for one in reports:
        _show(as_text.render(one), as_html.render(one))
    if all(one.passed for one in reports):
        text = _("The hidden tests ask for more of the same on other inputs, large and small.")
        _show(text, f"<div>{as_html.marked_up(text)}</div>")
    return Checked(reports)


def _show(text, html):
    """Show HTML in a notebook, text elsewhere."""
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        print(text)
    else:
        ipython.display.display({"text/plain": text, "text/html": html}, raw=True)
