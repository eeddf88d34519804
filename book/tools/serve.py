"""Serves the built site on this machine.

    python -m book.tools.serve [--port 8000]
"""

import argparse
import functools
import http.server
import sys

from book.tools.paths import ROOT, SITE


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of the site, text as UTF-8, never from the browser's cache: a rebuilt page is seen at once."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".ipynb": "application/x-ipynb+json; charset=utf-8",
        ".woff": "font/woff",
        ".woff2": "font/woff2",
    }

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *arguments) -> None:
        """Says nothing: a page is dozens of requests."""


def server(port: int = 0) -> http.server.ThreadingHTTPServer:
    """A server of the site, bound to this machine only; port 0 takes a free one. The caller runs and closes it."""
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=str(SITE)))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m book.tools.serve", description="Serve _build/site/ on this machine.")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    if not (SITE / "index.html").is_file():
        print(f"There is no site in {SITE.relative_to(ROOT)} yet: run `make book` first.", file=sys.stderr)
        return 1
    try:
        running = server(options.port)
    except OSError as error:
        print(f"Port {options.port} cannot be used ({error.strerror}); choose another with --port.", file=sys.stderr)
        return 1
    print(f"The book is at http://localhost:{running.server_port}/ (stop with Ctrl+C)", flush=True)
    try:
        running.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        running.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
