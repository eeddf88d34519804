"""A report as HTML for Jupyter. Colours work on light and dark pages; every colour has a symbol beside it; all text is escaped."""

import re
from html import escape

from . import show
from .as_text import MARKS
from .language import _
from .outcome import Raised
from .picture import pictures

GOOD, BAD, NEUTRAL, HINT = "#1a7f37", "#cf222e", "#6e7781", "#9a6700"
BADGE = "display:inline-block;min-width:1.5em;text-align:center;border-radius:.3em;color:#fff;font-weight:600;background:{}"
BOX = "margin:.6em 0;padding:.5em .8em;border-left:4px solid {};border-radius:.3em;background:rgba(128,128,128,.12)"
PRE = (
    "margin:.15em 0;padding:0;background:transparent;color:inherit;font-family:var(--jp-code-font-family,monospace);"
    "font-size:.92em;line-height:1.4;white-space:pre;overflow-x:auto"
)
COLOURS = {"passed": GOOD, "failed": BAD}


def render(report):
    """The report as one HTML element."""
    head = f"<strong><code>{escape(report.part)}</code></strong>: {escape(report.summary)}"
    rows = "".join(_row(result) for result in report.shown)
    body = "" if report.passed else _details(report)
    return (
        '<div class="course-check" style="max-width:60em;margin:.3em 0 .8em;line-height:1.5">'
        f'<div style="font-size:1.05em;margin-bottom:.3em">{_badge(report.status)} {head}</div>'
        f'<ul style="list-style:none;margin:0;padding:0 0 0 .2em">{rows}</ul>{body}</div>'
    )


def marked_up(text):
    """Escaped text, with what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _badge(status):
    return f'<span style="{BADGE.format(COLOURS.get(status, NEUTRAL))}">{MARKS[status]}</span>'


def _row(result):
    faint = "" if result.status in ("passed", "failed") else "opacity:.75"
    words = {"passed": _("passes"), "failed": _("fails")}.get(result.status, _("skipped: an earlier check has to pass first"))
    title = f'<span title="{escape(words)}">{_badge(result.status)}</span> {marked_up(result.stage.title)}'
    if result.status == "skipped":
        title += f" · {escape(_('skipped'))}"
    return f'<li style="margin:.15em 0;{faint}">{title}</li>'


def _details(report):
    first, found = report.first, report.first.difference
    said = "".join(f"<div>{marked_up(sentence)}</div>" for sentence in report.said)
    if report.note:
        said += f"<div>{marked_up(report.note)}</div>"
    title = f"<div><strong>{marked_up(first.stage.title)}</strong></div>" if first.status == "failed" else ""
    parts = [f'<div style="{BOX.format(BAD if first.status == "failed" else NEUTRAL)}">{title}{said}</div>']
    if found is not None:
        parts += [_reason(reason) for reason in report.reasons]
        parts += [_call(first.call) if first.call else "", _both(first), _pictures(first)]
    return "".join(parts)


def _reason(reason):
    return f'<div style="{BOX.format(HINT)}"><strong>{escape(_("The likely reason:"))}</strong> {marked_up(reason)}</div>'


def _call(made):
    heads, arguments = show.call(made)
    lines = "".join(_array(name, x) for name, x in arguments)
    newline = "\n"
    return f'{_label(_("The call:"))}<pre style="{PRE}">{escape(newline.join(heads))}</pre>{lines}'


def _both(first):
    found = first.difference
    sides = [(_("Expected:"), found.expected), (_("Yours:"), found.came)]
    columns = [f"<div>{_label(label)}{_value(found.name, x, first.stage.returns)}</div>" for label, x in sides if not isinstance(x, Raised)]
    return f'<div style="display:flex;flex-wrap:wrap;gap:0 3em">{"".join(columns)}</div>'


def _value(name, x, returns):
    return "".join(_array(*item) for item in show.items(name, x, returns))


def _array(name, x):
    head = f"{name} = " if name else ""
    text = show.value(x).replace("\n", "\n" + " " * len(head))
    return f'<pre style="{PRE}">{escape(head + text)}<span style="opacity:.7">   # {escape(show.kind(x))}</span></pre>'


def _label(text):
    return f'<div style="margin-top:.5em;font-weight:600">{escape(text)}</div>'


def _pictures(first):
    found = first.difference
    drawn = pictures(found) if found.kind == "values" else None
    if drawn is None:
        return ""
    sides = [(_("Expected"), drawn.expected), (_("Yours"), drawn.came), (_("Difference"), drawn.differing)]
    figures = "".join(_figure(words, picture) for words, picture in sides)
    return f'<div style="display:flex;flex-wrap:wrap;gap:.4em 1.6em;margin-top:.6em">{figures}</div>{_caption(first, drawn)}'


def _figure(words, picture):
    return (
        f'<figure style="margin:0"><figcaption style="font-weight:600;margin:0">{escape(words)}</figcaption>'
        f'<img src="{picture.address}" width="{picture.width}" style="max-width:100%;margin:0" alt="{escape(words)}"></figure>'
    )


def _caption(first, drawn):
    name = first.difference.name
    words = [_("Red frames mark the entries that differ.")]
    if name in first.stage.axes:
        rows, columns = first.stage.axes[name]
        words.insert(0, _("Rows: {rows}; columns: {columns}.").format(rows=rows, columns=columns))
    if drawn.index:
        words.insert(0, f"`{name}{drawn.index}`:")
    return f'<div style="opacity:.85;font-size:.95em">{marked_up(" ".join(words))}</div>'
