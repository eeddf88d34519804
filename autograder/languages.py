"""The languages that a student may be answered in."""

LANGUAGES = ("en", "sv", "zh-CN", "ru")
DEFAULT = "en"


def catalogue_name(language):
    """The folder of a language's catalogue, as gettext spells it: zh-CN → zh_CN."""
    return language.replace("-", "_")
