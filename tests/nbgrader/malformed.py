"""Submissions to which something has happened on the way: each a name, what is done to a good notebook or its folder, and the points it must get."""

import copy
import json
import os

from tests.sample_class.make import ASSIGNMENT, notebook_of
from tests.sample_class.students import Student

PARTS = {"softmax": 3.0, "attention": 5.0, "causal_mask": 1.0, "padding_mask": 1.0}
ALL = PARTS | {"causal_mask": 0.5}  # the work is right but for half a point
NOTHING = dict.fromkeys(PARTS, 0.0)
FILE = f"{ASSIGNMENT}.ipynb"
CASES = {}


def good(language="en", work="wrong/causal-top-left"):
    """A notebook as it ought to be submitted, as data."""
    return json.loads(notebook_of(Student("x", language, 0, work=work)))


def text(notebook):
    return json.dumps(notebook, ensure_ascii=False, indent=1)


def case(points=ALL, note=False):
    """A case that writes into the folder of the submission by itself."""
    def register(write):
        CASES[write.__name__.replace("_", "-")] = (write, points, note)
        return write
    return register


def changed(points=ALL, note=False, language="en"):
    """A case that changes a good notebook's data, or returns what stands in its place: data, a text or bytes."""
    def register(change):
        def write(folder):
            notebook = good(language)
            result = change(notebook)
            result = notebook if result is None else result
            result = text(result) if isinstance(result, dict) else result
            (folder / FILE).write_bytes(result if isinstance(result, bytes) else result.encode("utf-8"))
        write.__name__ = change.__name__
        return case(points, note)(write)
    return register


def cell(notebook, grade_id):
    """The cell of that grade id."""
    return next(one for one in notebook["cells"] if one["metadata"].get("nbgrader", {}).get("grade_id") == grade_id)


def code(source, **fields):
    return {"cell_type": "code", "execution_count": None, "id": "new", "metadata": {}, "outputs": [], "source": source, **fields}


@changed(language="ru")
def untouched(notebook):
    pass


# cells

@changed()
def test_cell_twice(notebook):
    at = notebook["cells"].index(cell(notebook, "softmax"))
    notebook["cells"].insert(at, copy.deepcopy(notebook["cells"][at]))


@changed()
def test_cell_thrice_at_the_end(notebook):
    notebook["cells"] += [copy.deepcopy(cell(notebook, "attention")) for _ in range(2)]


@changed()
def solution_cell_twice(notebook):
    stub = copy.deepcopy(cell(notebook, "softmax-solution"))
    stub["source"] = "def softmax(x, axis=-1):\n    raise NotImplementedError()"
    notebook["cells"].insert(0, stub)


@changed(language="sv")
def test_cells_deleted(notebook):
    notebook["cells"] = [one for one in notebook["cells"] if not one["metadata"].get("nbgrader", {}).get("grade")]


@changed(ALL | {"padding_mask": 0.0})
def solution_cell_deleted(notebook):
    notebook["cells"].remove(cell(notebook, "padding_mask-solution"))


@changed()
def answer_in_another_cell(notebook):
    answer = cell(notebook, "attention-solution")
    notebook["cells"].insert(notebook["cells"].index(answer), code(answer["source"]))
    notebook["cells"].remove(answer)


@changed()
def one_cell_for_everything(notebook):
    notebook["cells"] = [code("\n\n".join(one["source"] if isinstance(one["source"], str) else "".join(one["source"])
                                          for one in notebook["cells"] if one["cell_type"] == "code"))]


@changed()
def tests_above_solutions(notebook):
    tests = [one for one in notebook["cells"] if one["metadata"].get("nbgrader", {}).get("grade")]
    notebook["cells"] = tests + [one for one in notebook["cells"] if one not in tests]


@changed()
def cells_backwards(notebook):
    solutions = [one for one in notebook["cells"] if one["metadata"].get("nbgrader", {}).get("solution")]
    others = [one for one in notebook["cells"] if one not in solutions]
    notebook["cells"] = others[:4] + solutions[::-1] + others[4:][::-1]


@changed()
def grade_ids_changed(notebook):
    for number, one in enumerate(notebook["cells"]):
        if "nbgrader" in one["metadata"]:
            one["metadata"]["nbgrader"]["grade_id"] = f"cell-{number}"
            one["id"] = f"c{number}"


@changed()
def grade_ids_swapped(notebook):
    one, other = cell(notebook, "softmax-solution"), cell(notebook, "attention")
    one["metadata"], other["metadata"] = other["metadata"], one["metadata"]


@changed()
def points_and_checksums_changed(notebook):
    for one in notebook["cells"]:
        if "nbgrader" in one["metadata"]:
            one["metadata"]["nbgrader"] |= {"points": 1e9, "checksum": "0" * 32, "locked": False, "grade": True, "solution": True}


@changed()
def broken_nbgrader_metadata(notebook):
    for one, value in zip([one for one in notebook["cells"] if "nbgrader" in one["metadata"]], (None, [], "x", {}, {"grade_id": 7}, 3, {"grade": True}) * 3):
        one["metadata"]["nbgrader"] = value


@changed()
def schema_of_the_future(notebook):
    for one in notebook["cells"]:
        if "nbgrader" in one["metadata"]:
            one["metadata"]["nbgrader"]["schema_version"] = 99


@changed()
def schema_of_the_past(notebook):
    for one in notebook["cells"]:
        if "nbgrader" in one["metadata"]:
            del one["metadata"]["nbgrader"]["schema_version"], one["metadata"]["nbgrader"]["task"]


@changed(ALL | {"softmax": 0.0, "attention": 0.0})
def solution_became_text(notebook):
    one = cell(notebook, "softmax-solution")
    one["cell_type"] = "markdown"
    del one["outputs"], one["execution_count"]


@changed()
def test_became_text(notebook):
    one = cell(notebook, "softmax")
    one["cell_type"] = "markdown"
    del one["outputs"], one["execution_count"]


@changed()
def locked_cells_edited(notebook):
    cell(notebook, "softmax")["source"] = "10"
    cell(notebook, "setup")["source"] += "\nassert np"


@changed()
def odd_cells(notebook):
    notebook["cells"] += [None, 7, "x", [], {}, {"cell_type": "code"}, {"cell_type": "surprise", "source": "?"}, {"cell_type": "code", "source": None, "metadata": None},
                          {"cell_type": "raw", "metadata": {}, "source": "<script>"}, {"cell_type": "heading", "level": 1, "source": "x"}]


# what stands in cells

@changed()
def warnings_on_stderr(notebook):
    notebook["cells"].append(code("import sys, warnings\nwarnings.warn('careful')\nprint('to stderr', file=sys.stderr)"))
    cell(notebook, "softmax-solution")["source"] += "\nimport warnings; warnings.warn('here too')"


@changed()
def stored_outputs_claim_points(notebook):
    cell(notebook, "causal_mask")["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": "1.0"}, "metadata": {}, "execution_count": 1}]
    cell(notebook, "softmax")["outputs"] = [{"output_type": "error", "ename": "E", "evalue": "e", "traceback": ["t"]}]


@changed()
def fifty_megabytes_of_outputs(notebook):
    for one in notebook["cells"]:
        if one["cell_type"] == "code":
            one["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "[x] " * 1_100_000}]


@changed()
def huge_metadata_and_attachments(notebook):
    notebook["metadata"]["widgets"] = {"state": "w" * 5_000_000}
    notebook["cells"][0]["attachments"] = {"a.png": {"image/png": "A" * 10_000_000}}
    cell(notebook, "softmax")["metadata"]["x"] = ["y" * 1_000_000] * 5


@changed()
def half_a_character(notebook):
    return text(notebook).replace("# Exercise", "\\ud800\\u0000\\u202e # Exercise", 1)


# the file

@changed(NOTHING, note=True)
def cut_off(notebook):
    return text(notebook)[:-200]


@changed(NOTHING, note=True)
def empty_file(notebook):
    return b""


@changed(NOTHING, note=True)
def not_json(notebook):
    return "<!DOCTYPE html><title>Sign in</title>"


@changed(NOTHING, note=True)
def json_but_no_notebook(notebook):
    return "[1, 2]"


@changed(NOTHING, note=True)
def too_deep(notebook):
    return '{"cells": ' + "[" * 200_000


@changed(NOTHING, note=True)
def too_many_lists(notebook):
    return '{"cells": [' + "[]," * 3_000_000 + "[]]}"


@changed(NOTHING, note=True)
def no_cells(notebook):
    return {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@changed(NOTHING, note=True)
def not_utf8(notebook):
    return text(good("sv")).encode("latin-1", "replace")


@changed()
def byte_order_mark(notebook):
    return b"\xef\xbb\xbf" + text(notebook).encode()


@changed(language="zh-CN")
def utf16(notebook):
    return text(notebook).encode("utf-16")


@changed(language="ru")
def utf16_without_mark(notebook):
    return text(notebook).encode("utf-16-le")


@changed()
def carriage_returns(notebook):
    return text(notebook).replace("\\n", "\\r\\n").replace("\n", "\r\n")


@changed()
def not_a_number(notebook):
    notebook["metadata"]["x"] = [float("nan"), float("inf")]
    notebook["cells"][0]["metadata"]["y"] = float("-inf")


@changed()
def nbformat_3(notebook):
    cells = [{"cell_type": "code", "language": "python", "input": one["source"], "outputs": [], "collapsed": False, "prompt_number": 1, "metadata": one["metadata"]}
             if one["cell_type"] == "code" else one for one in notebook["cells"]]
    return {"metadata": {"name": "x"}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": cells[:9]}, {"cells": cells[9:]}]}


@changed()
def nbformat_of_the_future(notebook):
    notebook |= {"nbformat": 6, "nbformat_minor": 3, "news": True}


@changed()
def minor_of_the_future(notebook):
    notebook["nbformat_minor"] = 99


@changed()
def nbformat_is_a_text(notebook):
    notebook |= {"nbformat": "four", "nbformat_minor": None}


@changed()
def no_nbformat(notebook):
    del notebook["nbformat"], notebook["nbformat_minor"]


@changed(language="sv")
def no_ids(notebook):
    notebook["nbformat_minor"] = 4
    for one in notebook["cells"]:
        del one["id"]


@changed()
def ids_alike(notebook):
    for one in notebook["cells"]:
        one["id"] = "same"


@changed()
def ids_not_allowed(notebook):
    for number, one in enumerate(notebook["cells"]):
        one["id"] = [None, 5, "a b", "x" * 100, ""][number % 5]


@changed()
def no_kernelspec(notebook):
    notebook["metadata"] = {}


@changed()
def kernelspec_of_another_language(notebook):
    notebook["metadata"] |= {"kernelspec": {"display_name": "R", "language": "R", "name": "ir"}, "language_info": {"name": "R"}}


@changed()
def metadata_is_a_list(notebook):
    notebook["metadata"] = []


@changed(language="ru")
def saved_by_vs_code(notebook):
    notebook["metadata"] = {"language_info": {"name": "python", "version": "3.11.7"}, "kernelspec": {"name": "python3", "display_name": ".venv", "language": "python"}}
    notebook["nbformat_minor"] = 2
    for one in notebook["cells"]:
        del one["id"]
        one["metadata"] |= {"vscode": {"languageId": "python"}}
        one["source"] = one["source"] if isinstance(one["source"], list) else one["source"].splitlines(keepends=True)


@changed(language="sv")
def saved_by_colab(notebook):
    """Colab keeps no nbgrader metadata, and gives the cells ids of its own."""
    notebook |= {"nbformat_minor": 0, "metadata": {"colab": {"provenance": [], "toc_visible": True}, "kernelspec": {"name": "python3", "display_name": "Python 3"}}}
    for number, one in enumerate(notebook["cells"]):
        del one["id"]
        one["metadata"] = {"id": f"aBcD{number}", "colab": {"base_uri": "https://localhost:8080/"}, "outputId": "x"}


# the folder

@case()
def renamed(folder):
    (folder / "My answer (final) [2].ipynb").write_text(text(good()), encoding="utf-8")


@case()
def renamed_by_a_browser(folder):
    (folder / "single-head.ipynb.txt").write_text(text(good()), encoding="utf-8")
    (folder / "._single-head.ipynb").write_bytes(b"\0\5\26\7Mac OS X")


@case()
def capital_letters(folder):
    (folder / "SINGLE-HEAD.IPYNB").write_text(text(good()), encoding="utf-8")


@case()
def several_and_one_named_right(folder):
    (folder / FILE).write_text(text(good()), encoding="utf-8")
    (folder / "scratch.ipynb").write_text("{}", encoding="utf-8")


@case(NOTHING, note=True)
def several_and_none_named_right(folder):
    for name in ("a.ipynb", "b.ipynb"):
        (folder / name).write_text(text(good()), encoding="utf-8")


@case()
def python_file(folder):
    notebook = good()
    (folder / "single-head.py").write_text("\n\n".join("".join(one["source"]) for one in notebook["cells"] if one["cell_type"] == "code"), encoding="utf-8")


@case(NOTHING, note=True)
def empty_folder(folder):
    pass


@case(NOTHING, note=True)
def another_kind_of_file(folder):
    (folder / "single-head.pdf").write_bytes(b"%PDF-1.7")


@case(NOTHING, note=True)
def notebook_is_a_folder(folder):
    (folder / FILE).mkdir()


@case(NOTHING, note=True)
def notebook_is_a_link(folder):
    (folder / FILE).symlink_to("/etc/passwd")


@case(NOTHING, note=True)
def notebook_is_a_pipe(folder):
    os.mkfifo(folder / FILE)


@case(NOTHING, note=True)
def folder_is_a_file(folder):
    folder.rmdir()
    folder.write_text(text(good()), encoding="utf-8")


@case(NOTHING, note=True)
def too_large(folder):
    with (folder / FILE).open("wb") as file:
        file.truncate(70 << 20)


@case()
def other_files_about(folder):
    (folder / FILE).write_text(text(good()), encoding="utf-8")
    (folder / "timestamp.txt").write_text("the day before yesterday", encoding="utf-8")
    (folder / "evil.html").write_text("<script>alert(1)</script>", encoding="utf-8")
    (folder / "gradebook.db").symlink_to("../../../gradebook.db")
    (folder / "course").mkdir()
    (folder / "course" / "__init__.py").write_text("def check(*names): return 'full points'", encoding="utf-8")
    os.mkfifo(folder / "pipe")


@case()
def timestamp_is_a_folder(folder):
    (folder / FILE).write_text(text(good()), encoding="utf-8")
    (folder / "timestamp.txt").mkdir()
