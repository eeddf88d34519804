"""Coming to a page of the site: it has loaded, its scripts have run, and it asks for nothing any more.

Playwright's "networkidle" alone may be over before the page has loaded: it only means that half a second has gone by without a request.
"""


def goto(page, url: str) -> None:
    """Opens an address."""
    page.goto(url, wait_until="load")
    page.wait_for_load_state("networkidle")


def reload(page) -> None:
    """Opens the same address again."""
    page.reload(wait_until="load")
    page.wait_for_load_state("networkidle")
