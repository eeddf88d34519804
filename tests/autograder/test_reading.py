"""Whatever a student hands in is read, or answered with a note that says what to do."""

import json
import tracemalloc

import pytest

from autograder.notebook import Unreadable, guess_language, read


def notebook(*sources, **more):
    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in sources]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5} | more


def as_bytes(content):
    return json.dumps(content).encode()


@pytest.mark.parametrize("data, cells", [
    (as_bytes(notebook("a = 1", ["b = 2\n", "c = 3"])), ("a = 1", "b = 2\nc = 3")),
    (b"\xef\xbb\xbf" + as_bytes(notebook("a = 1")), ("a = 1",)),
    (json.dumps(notebook("a = 1")).encode("utf-16"), ("a = 1",)),
    (as_bytes({"worksheets": [{"cells": [{"cell_type": "code", "input": ["a = 1"], "language": "python"}]}], "nbformat": 3}), ("a = 1",)),
    (as_bytes(notebook("a = 1", nbformat=99, metadata=None)), ("a = 1",)),
    (as_bytes({"cells": [None, 3, {"cell_type": "markdown", "source": "x"}, {"cell_type": "code"}, {"cell_type": "code", "source": 7}]}), ("", "")),
])
def test_odd_notebooks_are_read(data, cells):
    assert read(data, "x.ipynb").cells == cells


@pytest.mark.parametrize("data, says", [
    (b"", "empty"), (b"  \n", "empty"), (b'{"cells": [', "no valid JSON"), (b"[1, 2]", "no list of cells"), (b'{"cells": 3}', "no list of cells"),
    (b'"text"', "no list of cells"), (b"null", "no list of cells"), (b"\xff\x00\x81", "not text"), (as_bytes({"cells": []}), "no code cell"),
    (b"[" * 200_000, "no valid JSON"), (b"PK\x03\x04\xff\xfe", "not text"),
])
@pytest.mark.usefixtures("tidy")
def test_unreadable_files_get_a_note(data, says):
    with pytest.raises(Unreadable) as error:
        read(data, "x.ipynb")
    assert says in error.value.note.say("en")


@pytest.mark.parametrize("data, name, says", [
    (as_bytes(notebook("x = 1")).replace(b'"outputs": []', b'"outputs": [' + b'"x",' * 7_000_000 + b'""]'), "x.ipynb", "holds too much"),
    (as_bytes(notebook("x = 1", "'" + "ы" * 1_400_000 + "'")), "x.ipynb", "The code takes 9 MB, and at most 7 MB are read"),
    (b"#" * (8 << 20), "x.py", "The code takes 9 MB, and at most 7 MB are read"),
], ids=["short texts without number", "long code", "a long file"])
@pytest.mark.usefixtures("tidy")
def test_what_would_take_too_much_gets_a_note(data, name, says):
    with pytest.raises(Unreadable) as error:
        read(data, name)
    assert says in error.value.note.say("en")


def test_commas_in_texts_do_not_count():
    work = read(as_bytes(notebook("x = 1", metadata={"printed": "," * 7_000_000})), "x.ipynb")
    assert work.cells == ("x = 1",)


def test_a_guess_takes_little_memory():
    text = "ы" * (4 << 20)
    tracemalloc.start()
    assert guess_language(text) == "ru"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 << 20  # of 350 MB for all letters


def test_python_files_are_one_cell():
    assert read("x = 'å'".encode(), "x.py").cells == ("x = 'å'",)


@pytest.mark.parametrize("language", ["en", "sv", "zh-CN", "ru"])
def test_the_language_comes_from_the_metadata(language):
    assert read(as_bytes(notebook("a", metadata={"course": {"language": language}})), "x.ipynb").language == language


@pytest.mark.parametrize("text, language", [
    ("# Räkna ut poängen; lägg på masken före softmax, så att åtta rader återstår även här", "sv"),
    ("# 计算注意力分数，然后对每一行做归一化处理", "zh-CN"),
    ("# вычисляем веса внимания", "ru"),
    ("# naïve façade", "en"),
    ("", "en"),
])
def test_or_from_the_letters(text, language):
    assert guess_language(text) == language
    assert read(as_bytes(notebook(text, metadata={"course": {"language": "tlh"}})), "x.ipynb").language == language


def test_a_notebook_tells_the_exercise_it_was_handed_out_for():
    of = lambda metadata: read(as_bytes(notebook("a = 1", metadata=metadata)), "x.ipynb").exercise  # noqa: E731
    assert of({"course": {"assignment": "gqa", "language": "sv"}}) == "gqa"
    assert [of(metadata) for metadata in ({}, None, {"course": 3}, {"course": {}}, {"course": {"assignment": ["gqa"]}})] == [None] * 5
    assert read(b"a = 1", "x.py").exercise is None and read(b"a = 1", "x.py").is_file
