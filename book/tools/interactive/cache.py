"""The calculator of the KV cache in chapter 11: what MHA, GQA, MQA and MLA would keep, with the chapter's models to begin from."""

from sphinx.locale import _

from book.tools.interactive.markup import size, table

KINDS = ("MHA", "GQA", "MQA", "MLA")
START = {"model": "Llama 3 8B", "context": 8192, "sequences": 1, "bytes": 2}
HABIT = 8  # KV heads that a model without groups is offered


def data(cells, language: str) -> dict:
    """The chapter's models, each with what the other three kinds would need to be known."""
    models = [settings(*model) for model in cells.run("MODELS")["MODELS"]]
    return {"models": models, "start": START, "units": units(), "language": language, "text": words()}


def settings(name: str, layers: int, heads: int, d_head: int, kv) -> dict:
    """A line of the chapter's table, filled up: groups for a model that has none, a latent in the usual proportions for one without."""
    latent = kv if isinstance(kv, dict) else {"latent": 4 * d_head, "rope": d_head // 2}
    kind = "MLA" if isinstance(kv, dict) else {heads: "MHA", 1: "MQA"}.get(kv, "GQA")
    groups = kv if kind == "GQA" else max(g for g in range(1, HABIT + 1) if heads % g == 0)
    return {"name": name, "kind": kind, "layers": layers, "heads": heads, "d_head": d_head, "groups": groups, **latent}


def kept(model: dict, kind: str):
    """What the chapter's function `kept` takes for one of the four kinds."""
    latent = {"latent": model["latent"], "rope": model["rope"]}
    return {"MHA": model["heads"], "GQA": model["groups"], "MQA": 1, "MLA": latent}[kind]


def formula(model: dict, kind: str) -> tuple[str, int]:
    """How many numbers a layer keeps of a token, as a sum or product and as a number."""
    found = kept(model, kind)
    if kind == "MLA":
        return f"{found['latent']} + {found['rope']}", found["latent"] + found["rope"]
    return f"2 · {found} · {model['d_head']}", 2 * found * model["d_head"]


def still(data: dict) -> str:
    """The four kinds for the first model, as a table."""
    start, text, rows = data["start"], data["text"], []
    model = next(each for each in data["models"] if each["name"] == start["model"])
    for kind in KINDS:
        product, numbers = formula(model, kind)
        token = model["layers"] * numbers * start["bytes"]
        rows.append([kind, product,
                     *(size(each, data["units"], data["language"]) for each in (token, token * start["context"] * start["sequences"]))])
    return table([text["kind"], text["numbers"], text["token"], text["all"]], rows, "interactive-numbers", text["caption"])


def units() -> list[str]:
    """Units of memory in the page's language."""
    return [_("bytes"), _("KiB"), _("MiB"), _("GiB"), _("TiB")]


def words() -> dict:
    """What the figure says, in the page's language."""
    return {
        "title": _("Try it: what a cache costs"),
        "caption": _("The cache of one model with four kinds of attention"),
        "kind": _("kind"),
        "numbers": _("numbers in a layer"),
        "token": _("one token"),
        "all": _("all tokens"),
        "model": _("Model"),
        "own": _("numbers of your own"),
        "layers": _("Layers"),
        "heads": _("Query heads"),
        "d_head": _("Width of a head"),
        "groups": _("KV heads with GQA"),
        "latent": _("Latent of MLA"),
        "rope": _("Rotary channels of MLA"),
        "allowed": _("a whole number from {min} to {max}"),
        "context": _("Context in tokens"),
        "sequences": _("Sequences at once"),
        "bits": _("Bits a number"),
        "said": _("{model}, {kind}: {token} for a token, {all} in all. MHA would take {times} × that."),
        "reset": _("Back to the beginning"),
    }
