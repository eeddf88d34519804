"""What was recorded when the exercise was made: each stage's expected outcome, and the outcomes of typical mistakes."""

import json
from dataclasses import dataclass
from pathlib import Path

from .outcome import from_json


@dataclass(frozen=True)
class Recorded:
    """`parts` in the notebook's order; `expected` {stage: outcome}; `mistakes` {stage: {mistake: outcome}}, where it differs
    from the expected one; `explanations` {mistake: its text in English}. `own_work`: a library's attention is not allowed."""

    parts: list
    expected: dict
    mistakes: dict
    explanations: dict
    own_work: bool = False


def read(path=Path(__file__).with_name("data.json")):
    """The recorded outcomes that lie beside this file."""
    return decode(json.loads(path.read_text(encoding="utf-8")))


def decode(data):
    """The recorded outcomes from their JSON."""
    expected = {name: from_json(entry["expected"]) for name, entry in data["stages"].items()}
    mistakes = {
        name: {mistake: from_json(group["outcome"]) for group in entry["mistakes"] for mistake in group["of"]}
        for name, entry in data["stages"].items()
    }
    return Recorded(data["parts"], expected, mistakes, data["explanations"], data["own_work"])
