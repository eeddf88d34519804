"""The release notebook in a real Jupyter kernel, once in each language: as it is, with the solutions, with a mistake in each part."""

import nbclient
import pytest
from nbformat.v4 import new_code_cell

from autograder import messages
from book.tools.kernels import SocketKernelManager

ONLY = ["single-head"]
MISTAKES = {
    "softmax": "softmax-overflow",
    "attention": "mask-multiplied",
    "causal_mask": "causal-inverted",
    "padding_mask": "padding-inverted",
}
FIRST_TIME = "Matplotlib is building the font cache; this may take a moment."  # on a machine that has never drawn
BROKEN = "def softmax(x, axis=-1):\n    return x / [1, 2, 3, 4, 5]"


@pytest.fixture
def executed(exercise, language, released, notebook_of, solved):
    """The notebook with its solutions and mistakes put in below, executed in its folder; its cells by id."""
    cells = notebook_of.cells
    cells += [new_code_cell(solved[f"{part}-solution"], id=f"solve-{part}") for part in exercise.parts]
    cells += [new_code_cell(f'result = check("{part}")\nprint(result.passed)', id=f"solved-{part}") for part in exercise.parts]
    for part, mistake in MISTAKES.items():
        wrong = exercise.wrong[mistake].override
        cells += [new_code_cell(wrong, id=f"spoil-{part}"), new_code_cell(f'check("{part}")', id=f"spoilt-{part}")]
        cells += [new_code_cell(solved[f"{part}-solution"], id=f"mend-{part}")]
    cells += [new_code_cell(BROKEN, id="break"), new_code_cell('check("softmax")', id="broken")]
    client = nbclient.NotebookClient(notebook_of, timeout=900, kernel_name="python3", kernel_manager_class=SocketKernelManager,
        resources={"metadata": {"path": str(released)}})
    client.execute()
    return {cell.id: cell for cell in cells}


def shown(cell):
    """The HTML and the text that a cell shows."""
    data = [output.data for output in cell.outputs if output.output_type == "display_data"]
    return "".join(one.get("text/html", "") for one in data), "".join(one.get("text/plain", "") for one in data)


def test_a_student_sees_it_all_in_the_language(executed, exercise, language):
    say = messages.translations(language).gettext
    for part in exercise.parts:
        assert say("`{part}` is not written yet.").format(part=part) in shown(executed[part])[1]
        assert [output.output_type for output in executed[part].outputs] == ["display_data"]
        assert executed[f"solved-{part}"].outputs[-1].text == "True\n"
        html, text = shown(executed[f"spoilt-{part}"])
        explanation = say(exercise.wrong[MISTAKES[part]].explanation)
        assert "".join(explanation.split()) in "".join(text.split())  # wherever the lines break
        assert say("The likely reason:") in html
    line = say("It happened in your line {number}: `{line}`").format(number=2, line="return x / [1, 2, 3, 4, 5]")
    assert line in shown(executed["broken"])[1]
    assert "data:image/png" in shown(executed["spoilt-attention"])[0]
    said = [output.text for cell in executed.values() for output in cell.get("outputs", []) if output.get("name") == "stderr"]
    assert not "".join(said).replace(FIRST_TIME, "").strip()
