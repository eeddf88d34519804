"""The configurator: what it chooses fits, is the first that does, and is what its instruction file and chapter 11 say."""

import ast
import dataclasses
import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from autograder.assignment import load
from book.configurator import configure as module
from book.configurator.configure import CACHE_BYTES, SPARE, TARGETS, Target, candidates, configure, stack
from book.tools.interactive import configurator
from book.tools.languages import CODES
from book.tools.paths import BOOK, LOCALE

FOLDER = Path(module.__file__).parent
INSTRUCTIONS = (FOLDER / "ASSISTANT.md").read_text(encoding="utf-8")
CASES = [
    (1_000_000, 512, "laptop"), (124_000_000, 1024, "laptop"), (3_000_000_000, 8192, "phone"), (3_000_000_000, 131_072, "phone"),
    (8_000_000_000, 8192, "gpu"), (8_000_000_000, 32_768, "server"), (70_000_000_000, 8192, "node"), (500_000_000_000, 131_072, "node"),
]


def room(parameters, target):
    target = TARGETS[target]
    return target.memory * (1 - SPARE) - parameters * target.bytes_per_weight


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_choice_fits_and_adds_up(case):
    parameters, context, target = case
    found = configure(*case)
    assert found.cache_bytes <= room(parameters, target)
    assert found.cache_bytes == found.cache_bytes_per_token * context * TARGETS[target].sequences
    assert found.d_model == found.n_heads * found.d_head
    assert 0.6 * parameters < found.parameters < 1.4 * parameters
    assert (found.n_kv_heads is None) == (found.kind == "MLA") == (found.d_latent is not None)
    assert {"MHA": found.n_heads, "MQA": 1}.get(found.kind, found.n_kv_heads) == found.n_kv_heads


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_was_passed_over_would_not_have_fitted(case):
    parameters, context, target = case
    found = configure(*case)
    order = candidates(found.n_heads)
    for kind, n_kv_heads in order[: order.index((found.kind, found.n_kv_heads))]:
        cache = CACHE_BYTES * found.n_layers * module.cached_numbers(kind, n_kv_heads, found.d_head) * context * TARGETS[target].sequences
        assert cache > room(parameters, target)
        assert any(reason.startswith(kind) for reason in found.reasons)


def test_every_kind_is_chosen_somewhere():
    assert {configure(*case).kind for case in CASES} == {"MHA", "GQA", "MLA", "MQA"}


def test_bytes_and_parameters_are_those_of_the_courses_own_functions():
    cache = load("kv-cache").namespace()["kv_cache_bytes"]
    attention = load("mqa").namespace()["attention_parameters"]
    latent = load("mla").namespace()
    for parameters, context, target in CASES:
        found, n = configure(parameters, context, target), TARGETS[target].sequences
        of_attention = found.parameters // found.n_layers - 8 * found.d_model**2
        if found.kind == "MLA":
            assert found.cache_bytes == latent["mla_cache_bytes"](found.n_layers, found.d_latent, found.d_rope, context, n)
            small = latent["MultiHeadLatentAttention"](64, 4, 16, 64, 8)
            shapes = module.projections("MLA", 64, 4, 16, None)
            assert {name: tuple(getattr(small, name).weight.shape)[::-1] for name in shapes} == shapes
        else:
            assert found.cache_bytes == cache(found.n_layers, found.n_kv_heads, found.d_head, context, n)
            assert of_attention == attention(found.d_model, found.n_heads, found.n_kv_heads)


def test_longer_contexts_never_get_larger_caches_a_token():
    for parameters, target in ((3_000_000_000, "phone"), (70_000_000_000, "node")):
        found = [configure(parameters, context, target) for context in (1024, 4096, 16_384, 65_536, 131_072)]
        assert found == sorted(found, key=lambda one: -one.cache_bytes_per_token)


@pytest.mark.parametrize("arguments, said", [
    ((8_000_000_000, 8192, "toaster"), "no target 'toaster'; there are phone, laptop, gpu, server, node"),
    ((70_000_000_000, 8192, "gpu"), "70000000000 parameters do not fit: at most 11596411699"),
    ((8_000_000_000, 10_000_000, "gpu"), "10000000 tokens does not fit even with one KV head"),
    ((10, 8192, "gpu"), "10 parameters"),
    ((1_000_000, 0, "gpu"), "0 tokens"),
])
def test_what_cannot_be_is_said(arguments, said):
    with pytest.raises(ValueError, match=said):
        configure(*arguments)


def test_the_context_that_is_offered_fits():
    with pytest.raises(ValueError) as caught:
        configure(8_000_000_000, 10_000_000, "gpu")
    most = int(re.search(r"at most (\d+) do", str(caught.value))[1])
    assert configure(8_000_000_000, most, "gpu").kind == "MQA"


def test_a_target_of_ones_own():
    assert configure(1_000_000_000, 4096, Target(10**12, 1, 1)).kind == "MHA"


def rows(head):
    """The rows of the instructions' table whose first heading that is."""
    lines = INSTRUCTIONS.splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip().startswith(f"| {head} "))
    table = [line.strip() for line in lines[at + 2 :]]
    table = table[: next((i for i, line in enumerate(table) if not line.startswith("|")), None)]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table]


def test_the_instructions_examples_are_what_it_returns():
    found = rows("parameters")
    assert len(found) == len(CASES)
    for parameters, context, target, *said in found:
        got = configure(int(parameters), int(context), target)
        assert said == [str(x) for x in (got.kind, got.n_layers, got.n_heads, got.d_head, got.n_kv_heads or "–", got.cache_bytes)]


def test_the_instructions_targets_are_the_functions():
    said = {target: (int(memory.removesuffix(" GiB")) * module.GIB, float(weight), int(n)) for target, memory, weight, n in rows("target")}
    assert said == {name: dataclasses.astuple(target) for name, target in TARGETS.items()}


def test_the_instructions_steps_give_the_stack():
    for parameters, _, _ in CASES:
        width = 128 * (parameters / (12 * 128**2)) ** (1 / 3)
        d_head = 128 if width >= 2048 else 64
        step = 8 if width >= 512 else 2
        n_heads = max(2, round(width / d_head / step) * step)
        assert stack(parameters) == (max(1, round(parameters / (12 * (n_heads * d_head) ** 2))), n_heads, d_head)


def test_the_chapter_shows_this_very_code():
    text = (BOOK / "en" / "11-choosing.md").read_text(encoding="utf-8")
    cells = [cell for cell in re.findall(r"```\{code-cell\}.*?\n(.*?)```", text, re.DOTALL) if "# book/configurator/configure.py\n" in cell]
    assert len(cells) == 1
    code = cells[0].split("# book/configurator/configure.py\n")[1]
    assert ast.dump(ast.parse(code)) == ast.dump(ast.parse((FOLDER / "configure.py").read_text(encoding="utf-8").split('"""\n', 1)[1]))




REASONS = ("stack", "heads", "passed", "fits", "absorbed", "last")


def templates(code):
    """The texts of the code that gives the reasons in a chapter, with {} where a value stands."""
    text = (BOOK / code / "11-choosing.md").read_text(encoding="utf-8")
    (cell,) = [cell for cell in re.findall(r"```\{code-cell\}.*?\n(.*?)```", text, re.DOTALL) if "def finished(" in cell]
    tree = ast.parse(re.sub(r"^:.*$", "", cell, flags=re.MULTILINE))
    joined = {"".join("{}" if isinstance(part, ast.FormattedValue) else part.value for part in node.values)
              for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)}
    return joined | {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.mark.parametrize("code", CODES)
def test_the_figure_gives_its_reasons_in_the_chapters_words(code):
    path = LOCALE / f"{code}.po"
    said = {each.id: each.string for each in read_po(path.open("rb"))} if path.exists() else {}
    english = configurator.words()
    sentences = {said.get(english[name], english[name]).replace("\u00a0", " ") for name in REASONS}
    assert {re.sub(r"\{\w+\}", "{}", each) for each in sentences} - templates(code) == set()
