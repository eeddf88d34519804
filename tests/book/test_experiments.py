"""Literals of experiments: they hold what their files hold, and the tool writes them so."""

import ast
import json

import pytest

from book.tools import experiments

PAGE = """# Title

```{code-cell} ipython3
:tags: [hide-input]

# book/experiments/heads.json
results = {}
print(results)
```

```{code-cell} ipython3
x = 1
```
"""
DATA = {"loss": {"1": [1.0625 + n / 7 for n in range(12)], "16": [1.5, None, True]}, "seeds": [0, 1], "names": ["ett \\ två", "“注意”"], "empty": [],
        "table": [[1, 2], [3, 4]] * 12, "rate": 1e-05}


@pytest.fixture
def project(tmp_path):
    """A small project with one experiment, in two languages."""
    for code in ("en", "sv"):
        (tmp_path / "book" / code).mkdir(parents=True)
        (tmp_path / "book" / code / "03-page.md").write_text(PAGE, encoding="utf-8")
    folder = tmp_path / "book" / "experiments"
    folder.mkdir()
    (folder / "heads.json").write_text(json.dumps(DATA), encoding="utf-8")
    (folder / "heads.py").touch()
    return tmp_path


def test_every_literal_holds_what_its_file_holds():
    assert experiments.problems() == []


def test_literals_are_rewritten_in_all_languages(project):
    assert len(experiments.problems(project)) == 2 and "line 7: results is not what" in experiments.problems(project)[0]
    assert len(experiments.rewrite(project)) == 2
    assert experiments.problems(project) == []
    text = (project / "book" / "sv" / "03-page.md").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 88 and "\nprint(results)\n```\n" in text
    assert experiments.rewrite(project) == [], "a second run changes nothing"


@pytest.mark.parametrize("width", [20, 40, 88])
def test_what_is_laid_out_is_the_value(monkeypatch, width):
    monkeypatch.setattr(experiments, "WIDTH", width)
    assert ast.literal_eval(experiments.layout(DATA).strip()) == DATA


def test_a_changed_number_is_found(project):
    experiments.rewrite(project)
    page = project / "book" / "en" / "03-page.md"
    page.write_text(page.read_text(encoding="utf-8").replace("1.0625", "1.0626", 1), encoding="utf-8")
    assert experiments.problems(project) == ["en/03-page.md, line 7: results is not what book/experiments/heads.json holds: "
                                             "run `python -m book.tools.experiments`"]


@pytest.mark.parametrize("was, becomes, says", [
    ("heads.json", "tails.json", "there is no book/experiments/tails.json"),
    ("heads.json", "heads.txt", "not of the form"),
    ("results = {}", "print(1)", "has to assign the literal"),
    ("results = {}", "results = load()", "has to assign the literal"),
    ("results = {}", "results = {", "has to assign the literal"),
    ("# book/experiments/heads.json", "# the experiment", "no chapter holds it"),
])
def test_a_cell_that_does_not_fit_is_named(project, was, becomes, says):
    for code in ("en", "sv"):
        (project / "book" / code / "03-page.md").write_text(PAGE.replace(was, becomes), encoding="utf-8")
    assert any(says in problem for problem in experiments.problems(project)), experiments.problems(project)


def test_a_file_without_its_script_is_named(project):
    (project / "book" / "experiments" / "heads.py").unlink()
    assert any("heads.py, is not beside it" in problem for problem in experiments.problems(project))
