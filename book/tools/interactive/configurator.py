"""The configurator of chapter 11 as a figure: `book.configurator.configure`, whose code the chapter shows, in the reader's browser."""

from sphinx.locale import _

from book.configurator import configure as module
from book.tools.interactive.cache import units
from book.tools.interactive.markup import decimal, table

START = {"parameters": 8_000_000_000, "context": 8192, "target": "gpu"}
STEPS = (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)  # times powers of ten: budgets that the slider stops at
POWERS = range(6, 12)


def data(cells, language: str) -> dict:
    """The machines, the constants and the budgets to choose from. Sizes end with GiB, as the chapter's do."""
    named = {"phone": _("a phone"), "laptop": _("a laptop"), "gpu": _("one consumer card"), "server": _("one card of a data centre"),
             "node": _("eight large cards")}
    targets = [{"name": name, "label": named[name], "memory": each.memory, "bytes_per_weight": each.bytes_per_weight,
                "sequences": each.sequences}
               for name, each in module.TARGETS.items()]
    budgets = [round(step * 10**power) for power in POWERS for step in STEPS] + [10**12]
    return {"targets": targets, "cache_bytes": module.CACHE_BYTES, "spare": module.SPARE, "budgets": budgets, "start": START,
            "units": units()[:-1], "language": language, "text": words()}


def still(data: dict) -> str:
    """What is chosen in the beginning: the matrices of one layer's attention."""
    text, code = data["text"], data["language"]
    found = module.configure(**data["start"])
    rows = [[name, decimal(inside, 0, code), decimal(outside, 0, code)] for name, (inside, outside) in found.projections.items()]
    heading = text["chosen"].format(kind=found.kind, layers=found.n_layers, heads=found.n_heads, d_head=found.d_head)
    if found.kind == "GQA":
        heading = heading.replace(found.kind, text["gqa"].format(groups=found.n_kv_heads), 1)
    return f'<p class="interactive-strong">{heading}</p>' + table([text["matrix"], text["in"], text["out"]], rows, "interactive-numbers",
                                                                  text["caption"])


def words() -> dict:
    """What the figure says, in the page's language."""
    return {
        "title": _("Try it: the configurator"),
        "caption": _("The matrices of one layer's attention"),
        "matrix": _("matrix"),
        "in": _("numbers in"),
        "out": _("numbers out"),
        "parameters": _("Parameters, without embeddings"),
        "context": _("Context in tokens"),
        "target": _("Machine"),
        "machine": _("{machine}, {memory}"),
        "room": _("room"),
        "gqa": _("GQA with {groups} KV heads"),
        "chosen": _("{kind}: {layers} layers, {heads} heads of {d_head}"),
        "bars": _("The room that the weights leave, and the cache with each kind that was tried"),
        "reasons": _("Why"),
        "stack": _("{layers} layers of width {width}: {ratio} wide per layer, and 128 is the aim."),
        "heads": _("{heads} heads of {d_head}: nearly all models take 64 or 128."),
        "passed": _("{name} would keep {cache}, and there is room for {room}."),
        "fits": _("{name}: {token} a token, {cache} for {sequences} × {context} tokens. It fits, and it is the first that does."),
        "absorbed": _("MLA decodes with absorbed matrices, or the cache saves no work."),
        "last": _("One KV head is the last resort: measure what it costs in quality."),
        "weights": _("{parameters} parameters do not fit: at most {most} have room at {bytes} bytes each"),
        "cache": _("a context of {context} tokens does not fit even with one KV head: at most {most} do"),
    }
