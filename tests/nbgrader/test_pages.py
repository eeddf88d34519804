"""The pages that show students' work, in a real browser with every other host refused: nothing of theirs runs, loads or leads anywhere."""

import json
import re
import subprocess
import sys
import time
import urllib.request

import pytest

from tests.nbgrader import course as courses
from tests.nbgrader.malformed import FILE, cell, code, good, text
from tests.sample_class.make import ASSIGNMENT

EVIL = "http://evil.example"
SVG = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciPjxzY3JpcHQ+d2luZG93Lm93bmVkPTE8L3NjcmlwdD48L3N2Zz4="
HTML = (
    "<script>window.owned = 1</script>",
    f"<script src='{EVIL}/a.js'></script>",
    "<img src=x onerror='window.owned = 1'>",
    f"<img src='{EVIL}/a.png'>",
    f"<iframe src='{EVIL}'></iframe><iframe srcdoc='<script>parent.owned=1</script>'></iframe>",
    "<svg onload='window.owned=1'><script>window.owned=1</script></svg>",
    f"<style>@import url({EVIL}/a.css); body {{ background: url({EVIL}/b.png) }}</style>",
    f"<link rel=stylesheet href='{EVIL}/c.css'><meta http-equiv=refresh content='0; url={EVIL}'><base href='{EVIL}/'>",
    f"<object data='{EVIL}/o'></object><embed src='{EVIL}/e'><video src='{EVIL}/v' autoplay></video><form action='{EVIL}'><button autofocus onfocus='window.owned=1'>",
    "</pre></code></section></textarea></title></style></script><script>window.owned = 1</script>",
    "<details open ontoggle='window.owned=1'><math><mtext><a xlink:href='javascript:window.owned=1'>x</a></mtext></math>",
    "<input class='score' id='softmax' value='3'><script type='text/x-mathjax-config'>window.owned=1</script>",
)
MARKDOWN = (
    f"![picture]({EVIL}/m.png) [link](javascript:window.owned=1) [![a](attachment:a.svg)]({EVIL})",
    f"$$\\href{{javascript:window.owned=1}}{{x}} \\unicode{{x}} \\require{{html}} \\cssId{{a}}{{b}}$$ \\(\\includegraphics{{{EVIL}/t.png}}\\)",
    "```\n```\n````\n<script>window.owned = 1</script>",
    "```mermaid\ngraph TD; A[<img src=x onerror=window.owned=1>]\n```",
    f"<files/../../../gradebook.db> [x](files/evil.html) {{{{ 7*7 }}}} {{% raw %}} {EVIL}",
)
ANSI = "\x1b]8;;javascript:window.owned=1\x07click\x1b]8;;\x07 \x1b[31;<script>window.owned=1</script>m \u202e"
ACTIVE = "script, img, iframe, svg, object, embed, link, base, form, style:not(head style), math, video, a, [onload], [onerror], [ontoggle], [onfocus]"


def hostile():
    """A notebook with all of that, wherever something can be put."""
    notebook = good()
    everything = "\n\n".join((*HTML, *MARKDOWN, ANSI))
    outputs = [{"output_type": "display_data", "metadata": {kind: {"isolated": True}}, "data": {kind: value}} for kind, value in {
        "text/html": HTML[0] + HTML[2], "image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg' onload='window.owned=1'/>", "application/javascript": "window.owned = 1",
        "text/markdown": MARKDOWN[0], "text/latex": MARKDOWN[1], "image/png": "x' onerror='window.owned=1", "text/vnd.mermaid": "graph",
        "application/vnd.jupyter.widget-view+json": {"model_id": "</script><script>window.owned=1</script>"}}.items()]
    outputs += [{"output_type": "stream", "name": "stdout", "text": ANSI + HTML[0]}, {"output_type": "error", "ename": HTML[0], "evalue": HTML[2], "traceback": [HTML[0], ANSI]}]
    for one in notebook["cells"]:
        if one["cell_type"] == "code":
            one["outputs"] = outputs
            one["metadata"]["name"] = one["metadata"]["tags"] = [HTML[0]]
    notebook["cells"][0]["source"] = everything
    notebook["cells"][0]["id"] = "x' onload='window.owned=1"
    notebook["cells"][0]["attachments"] = {"a.svg": {"image/svg+xml": SVG}}
    notebook["cells"].insert(3, {"cell_type": "markdown", "id": "own", "metadata": {}, "source": everything, "attachments": {"a.svg": {"image/svg+xml": SVG}}})
    notebook["cells"] += [code("\n".join(f"# {line}" for line in everything.split("\n"))), {"cell_type": "raw", "metadata": {"raw_mimetype": "text/html"}, "source": everything}]
    cell(notebook, "attention-solution")["source"] = f'"""{everything}"""\n\ndef attention(*arguments):\n    raise ValueError({HTML[0] + HTML[2] + ANSI!r})'
    notebook["metadata"] |= {"title": HTML[0], "widgets": {"application/vnd.jupyter.widget-state+json": {"x": HTML[0]}}, "language_info": {"name": HTML[0], "pygments_lexer": HTML[2]}}
    notebook["metadata"]["kernelspec"] = {"display_name": HTML[0], "language": "python", "name": HTML[2]}
    return notebook


@pytest.fixture(scope="module")
def course(needs_sandbox, tmp_path_factory):
    course = courses.make(tmp_path_factory)
    folder = course / "submitted" / "mallory" / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / FILE).write_text(text(hostile()), encoding="utf-8")
    (folder / "evil.html").write_text("<script>window.owned = 1</script>", encoding="utf-8")
    courses.nbgrader(course, "autograde", ASSIGNMENT)
    courses.nbgrader(course, "generate_feedback", ASSIGNMENT)
    return course


@pytest.fixture(scope="module")
def page(chromium):
    """A browser's page, on which nothing but the address that a test names can be reached; what is asked for is in `page.asked`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        page = browser.new_page()
        page.asked, page.allowed, page.errors = [], "", []

        def route(request):
            url = request.request.url
            page.asked.append(url)
            request.continue_() if url.startswith(page.allowed) else request.abort()

        page.route("**/*", route)
        page.on("console", lambda said: page.errors.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("dialog", lambda dialog: dialog.dismiss())
        yield page
        browser.close()


def test_a_feedback_page_runs_and_loads_nothing(course, page):
    path = course / "feedback" / "mallory" / ASSIGNMENT / f"{ASSIGNMENT}.html"
    page.asked.clear()
    page.allowed = path.as_uri()
    page.goto(path.as_uri(), wait_until="load")
    page.wait_for_timeout(500)
    assert page.evaluate("window.owned") is None
    assert page.asked == [path.as_uri()] and page.errors == [], page.errors
    assert page.locator(f"{ACTIVE}, input").count() == 0
    assert page.locator("style").count() == 1
    shown = page.locator("body").inner_text()
    assert "<script>window.owned = 1</script>" in shown and "ValueError" in shown  # as text


def test_a_feedback_page_of_a_notebook_that_is_not_ours():
    """What another configuration has graded before is escaped as well."""
    import nbformat

    from autograder.gradebook.feedback import page as make

    notebook = hostile()
    notebook["cells"][0]["id"] = "x"
    for one in notebook["cells"]:
        one["metadata"].pop("tags", None)
        one["source"] = "".join(one["source"])
    html = make(nbformat.from_dict(notebook), {"notebook": HTML[0], "score": 1, "max_score": 2, "late_penalty": 0})
    assert not re.search(r"<(script|img|iframe|svg|object|embed|link|base|form|input|video|a)\b", html)
    assert html.count("<style>") == 1 and "\x1b" not in html and "\u202e" not in html


def address_in(folder):
    """Where the Jupyter server listens whose runtime folder it is: on a port that it has found free itself."""
    (file,) = folder.glob("jpserver-*.json")
    return f"http://127.0.0.1:{json.loads(file.read_text(encoding='utf-8'))['port']}"


@pytest.fixture(scope="module")
def formgrader(course, tmp_path_factory):
    """formgrader on a Jupyter server of its own; yields its address."""
    options = ["--ServerApp.token=", "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True", "--ServerApp.port=0", "--no-browser",
               "--ServerApp.allow_root=True", "--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}", f"--ServerApp.root_dir={course}"]
    folder = tmp_path_factory.mktemp("server")
    log = (folder / "log").open("w+")
    environment = courses.environment() | {"JUPYTER_RUNTIME_DIR": str(folder)}
    command = [sys.executable, "-m", "jupyter_server", *options]
    server = subprocess.Popen(command, cwd=course, stdout=log, stderr=subprocess.STDOUT, env=environment)
    try:
        for _ in range(240):
            try:
                address = address_in(folder)
                urllib.request.urlopen(f"{address}/formgrader/api/status", timeout=30).read()
                break
            except (OSError, ValueError, LookupError):  # it is not there yet, or not all of it
                assert server.poll() is None, (log.seek(0), log.read())[1]
                time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait(30)
        log.close()


def ask(address, data=None):
    with urllib.request.urlopen(urllib.request.Request(address, data=data), timeout=120) as answer:
        return json.load(answer)


def test_formgraders_page_runs_nothing_of_the_students(course, formgrader, page):
    submission = ask(f"{formgrader}/formgrader/api/submitted_notebooks/{ASSIGNMENT}/{ASSIGNMENT}")[0]["id"]
    page.asked.clear()
    page.errors.clear()
    page.allowed = formgrader
    page.goto(f"{formgrader}/formgrader/submissions/{submission}/", wait_until="load")
    page.wait_for_function("document.querySelector('input.score') && document.querySelector('input.score').placeholder !== ''")  # its own scripts work
    page.wait_for_timeout(500)
    assert page.evaluate("window.owned") is None
    assert [url for url in page.asked if not url.startswith(f"{formgrader}/")] == [] and page.errors == [], page.errors
    strange = page.eval_on_selector_all(f"#notebook-container :is({ACTIVE}):not(.anchor-link)", "all => all.map(one => one.outerHTML)")
    assert strange == []
    assert "<script>window.owned = 1</script>" in page.locator("body").inner_text()
    placeholders = page.eval_on_selector_all("input.score", "all => all.map(one => Number(one.placeholder))")
    assert placeholders[0] == 3.0 and placeholders[1] < 5.0 and len(placeholders) == 4


def test_a_students_own_pages_are_not_served_under_the_servers_name(course, formgrader):
    submission = ask(f"{formgrader}/formgrader/api/submitted_notebooks/{ASSIGNMENT}/{ASSIGNMENT}")[0]["id"]
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{formgrader}/formgrader/submissions/{submission}/evil.html", timeout=30)


def test_formgraders_buttons(course, formgrader):
    """They use nbgrader's API, with the same converter: no cell is executed, and a student with nothing but a broken file is there too."""
    folder = course / "submitted" / "late[r]" / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / "other.ipynb").write_text("{", encoding="utf-8")
    (folder / "timestamp.txt").write_text("never", encoding="utf-8")
    answer = ask(f"{formgrader}/formgrader/api/submission/{ASSIGNMENT}/late%5Br%5D/autograde", b"")
    assert answer["success"], answer
    assert courses.points(course, "late[r]") == (dict.fromkeys(("softmax", "attention", "causal_mask", "padding_mask"), 0.0), False)
    students = {one["student"]: one for one in ask(f"{formgrader}/formgrader/api/submissions/{ASSIGNMENT}")}
    assert students["late[r]"]["autograded"] and students["mallory"]["autograded"]
    assert ask(f"{formgrader}/formgrader/api/assignment/{ASSIGNMENT}/mallory/generate_feedback", b"")["success"]
    html = (course / "feedback" / "mallory" / ASSIGNMENT / f"{ASSIGNMENT}.html").read_text(encoding="utf-8")
    assert "Content-Security-Policy" in html and "<script" not in html
