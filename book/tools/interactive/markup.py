"""Pieces of HTML and numbers in a language, as the still pictures have them. The scripts write numbers alike, with Intl."""

from html import escape

from babel.numbers import format_decimal

from book.tools.languages import language


def decimal(value: float, digits: int, code: str) -> str:
    """A number with a fixed number of decimals, as that language writes it."""
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return format_decimal(value, format=pattern, locale=language(code).sphinx).replace("-", "−")  # a hyphen in some languages


def row(cells, tag: str = "td") -> str:
    """A row of a table, its first cell as its heading. Cells are text, or (text, attributes)."""
    made = []
    for place, cell in enumerate(cells):
        text, attributes = cell if isinstance(cell, tuple) else (cell, "")
        name, scope = ("th", ' scope="row"') if place == 0 and tag == "td" else (tag, ' scope="col"' if tag == "th" else "")
        made.append(f"<{name}{scope}{' ' * bool(attributes)}{attributes}>{escape(str(text))}</{name}>")
    return f"<tr>{''.join(made)}</tr>"


def table(head, rows, classes: str, caption: str) -> str:
    """A table with a caption that screen readers read."""
    body = "".join(row(each) for each in rows)
    return (f'<table class="{classes}"><caption>{escape(caption)}</caption><thead>{row(head, "th")}</thead>'
            f"<tbody>{body}</tbody></table>")


def size(n_bytes: float, units: list[str], code: str) -> str:
    """Bytes in the unit that fits, as the scripts write them."""
    place = 0
    while n_bytes >= 1024 and place + 1 < len(units):
        n_bytes, place = n_bytes / 1024, place + 1
    number = format_decimal(n_bytes, format="#,##0" if n_bytes >= 100 else "@##", locale=language(code).sphinx)
    return f"{number}\u00a0{units[place]}"
