"""The literature at the end of a chapter: by author, each under the words by which the text cites it, and said in the page's language.

The text cites by author and year. The style that sphinxcontrib-bibtex takes by default numbers its list, so that nobody could look a
citation up.
"""

from pybtex.plugin import register_plugin
from pybtex.richtext import Text
from pybtex.style.formatting.plain import Style as Plain
from pybtex.style.formatting.unsrt import pages, toplevel
from pybtex.style.labels import BaseLabelStyle
from pybtex.style.sorting.author_year_title import SortingStyle
from pybtex.style.template import field, join, node, optional, optional_field, sentence, tag, words
from sphinx.locale import _

STYLE = "by-author"


@node
def listed(children, context, role):
    """The names of all authors; of those that the source does not name it says that there are more."""
    persons = context["entry"].persons[role]
    named = [context["style"].format_name(person, False) for person in persons if str(person) != "others"]
    if len(named) < len(persons):
        return join[join(sep=", ")[named], f" {_('et al.')}"].format_data(context)
    return join(sep=", ", sep2=f" {_('and')} ", last_sep=_(", and "))[named].format_data(context)


class Labels(BaseLabelStyle):
    """Labels as citations read: up to two names, or the first and that there are more, and the year."""

    def format_labels(self, entries):
        return [f"{cited(entry.persons['author'])}, {entry.fields['year']}" for entry in entries]


def cited(persons) -> str:
    """The names by which a work is cited: one or two, or the first and that there are more."""
    names = [str(Text.from_latex(" ".join(person.prelast_names + person.last_names))) for person in persons]
    return f"{names[0]} {_('et al.')}" if len(names) > 2 or "others" in names else f" {_('and')} ".join(names)


class Order(SortingStyle):
    """By author, year and title, where the braces that keep a name's letters are no part of it."""

    def person_key(self, person):
        return super().person_key(person).replace("{", "").replace("}", "")


class ByAuthor(Plain):
    """pybtex's plain style, with its words in the page's language."""

    default_label_style = Labels
    default_sorting_style = Order

    def format_names(self, role, as_sentence=True):
        return sentence[listed(role)] if as_sentence else listed(role)

    def get_inproceedings_template(self, entry):
        before, after = _("volume {}").split("{}")
        volume = optional[join[before, field("volume"), after]]
        return toplevel[
            self.format_names("author"),
            self.format_title(entry, "title"),
            words[_("In"), sentence[tag("em")[field("booktitle")], volume, optional[pages], field("year")]],
            sentence[optional_field("note")],
            self.format_web_refs(entry),
        ]


def setup(app):
    register_plugin("pybtex.style.formatting", STYLE, ByAuthor)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
