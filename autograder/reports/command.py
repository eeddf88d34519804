"""The command `report`: read the results of a class, and write what was asked for."""

import os
import sys
import tempfile
from pathlib import Path

from autograder import assignment as assignments
from autograder.names import safe_name
from autograder.reports import gradebook_csv, gradescope, junit, page, reading, summary, terminal
from autograder.reports.text import counted
from autograder.say import say


def run(folder, name, html=None, csv=None, junit_xml=None, gradescope_folder=None, summary_file=None):
    """Write the reports. Returns 0, 1 where a file had to be passed over, 2 where nothing can be read or a file cannot be written."""
    try:
        results = reading.read(folder, name)
    except OSError as error:
        return _refuse(f"{folder} cannot be read ({_reason(error)})")
    if not results.results and not results.skipped:
        return _refuse(f"no results of {name} in {folder}: there should be {folder}/STUDENT/{name}.json, "
                       f"as `autograder grade --out {folder}` writes them")
    for path, reason in results.skipped:
        say(f"autograder: passed over {path}: {reason}", sys.stderr)
    failed = False
    for what, write in _wanted(results, assignments.load(name), html, csv, junit_xml, gradescope_folder, summary_file):
        try:
            write()
        except OSError as error:
            failed = True
            _refuse(f"{what} cannot be written ({_reason(error)})")
    return 2 if failed else 1 if results.skipped else 0


def _wanted(results, assignment, html, csv, junit_xml, gradescope_folder, summary_file):
    """(what, a function that writes it) for each format that was asked for; the terminal's table where none was."""
    texts = (
        (html, lambda: page.render(results, assignment)),
        (csv, lambda: gradebook_csv.render(results)),
        (junit_xml, lambda: junit.render(results)),
    )
    for path, render in texts:
        if path:
            yield path, lambda path=path, render=render: _write(path, render(), results)
    if gradescope_folder:
        yield gradescope_folder, lambda: _write_gradescope(gradescope_folder, results)
    if summary_file == "-":
        yield "the summary", lambda: say(summary.render(results, assignment), sys.stdout, end="")
    elif summary_file:
        yield summary_file, lambda: _write_summary(summary_file, summary.render(results, assignment), results)
    if not any((html, csv, junit_xml, gradescope_folder, summary_file)):
        yield "the table", lambda: say(terminal.render(results, assignment), sys.stdout, end="")


def _write(path, text, results):
    write_whole(Path(path), text)
    say(f"autograder: {path}: {counted(len(results.results), 'result', 'results')}", sys.stderr)


def _write_gradescope(folder, results):
    for student, text in gradescope.render(results):
        write_whole(Path(folder) / safe_name(student) / "results.json", text)
    say(f"autograder: {folder}: {counted(len(results.results), 'result', 'results')}", sys.stderr)


def _write_summary(path, text, results):
    """GitHub's own file is added to: other steps may have written in it."""
    if os.environ.get("GITHUB_STEP_SUMMARY") == str(path):
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
    else:
        _write(path, text, results)


def write_whole(path, text):
    """Write a file whole or not at all, and make its folder; what is no regular file, such as /dev/stdout, is written to as it is."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _refuse(text):
    say(f"autograder: {text}", sys.stderr)
    return 2


def _reason(error):
    return error.strerror or type(error).__name__
