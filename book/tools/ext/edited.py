"""Has the pages read again that are known to have changed, whatever their files' times say: a copy may be older than what it replaces."""


def outdated(app, env, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Sphinx's event, when it has looked for pages to read: the others."""
    return app.config.book_edited


def setup(app):
    app.add_config_value("book_edited", [], "")
    app.connect("env-get-outdated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
