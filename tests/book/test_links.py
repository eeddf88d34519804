"""Links of the built site lead somewhere; what does not is found."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from book.tools import links


def test_every_link_inside_the_site_leads_somewhere(site):
    wrong, outside = links.inside(site)
    assert wrong == []
    assert any("arxiv.org" in address for address in outside)


def test_what_leads_nowhere_is_found(tmp_path):
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "a.html").write_text(
        '<p id="här"></p><a href="#h%C3%A4r">1</a><a href="#gone">2</a><a href="b.html#x&amp;y">3</a><a href="c.html">4</a><img src="d.png">'
        '<a href="https://example.org/a#b">5</a><a href="mailto:a@b">6</a>', encoding="utf-8")
    (tmp_path / "en" / "b.html").write_text('<p id="x&amp;y"></p>', encoding="utf-8")
    wrong, outside = links.inside(tmp_path)
    assert wrong == ["en/a.html: #gone: no such section", "en/a.html: c.html: no such file", "en/a.html: d.png: no such file"]
    assert outside == {"https://example.org/a": {"en/a.html"}}


def test_only_what_is_gone_is_a_fault(capsys):
    class Site(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(int(self.path.strip("/")))
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    gone = links.check_outside({f"{base}/{code}": {"en/a.html"} for code in (200, 403, 404)} | {"http://127.0.0.1:1/": {"en/a.html"}})
    server.shutdown()
    server.server_close()
    assert gone == [f"{base}/404: 404, linked from en/a.html"]
    said = capsys.readouterr().out
    assert f"{base}/403: 403" in said and "127.0.0.1:1" in said and "/200" not in said
