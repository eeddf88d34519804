"""What check() compares with: each public check's outcome for the reference, and for every wrong solution that differs there."""

import importlib.util
import json

from autograder.learner import outcome, recorded, running
from autograder.learner.compare import difference
from autograder.learner.stage import stages


def public_module(path):
    """A file of public checks, loaded as if it lay in the learner's package, as it does in an exercise."""
    spec = importlib.util.spec_from_file_location("autograder.learner.public", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def record(assignment):
    """The JSON of recorded.Recorded. Raises ValueError where the reference fails a public check of its own."""
    checks = stages(public_module(assignment.public_checks))
    reference = assignment.namespace()
    expected = {stage.name: running.outcome_of(stage, reference)[0] for stage in checks}
    for stage in checks:
        _accept(assignment, stage, expected[stage.name])
    differing = {stage.name: {} for stage in checks}
    for name, wrong in assignment.wrong.items():
        for stage_name, result in _differences(checks, expected, wrong.namespace()).items():
            differing[stage_name][name] = result
    told = sorted({name for mistakes in differing.values() for name in mistakes})
    return {
        "assignment": assignment.name,
        "parts": list(assignment.parts),
        "own_work": assignment.own_work,
        "stages": {name: {"expected": outcome.to_json(expected[name]), "mistakes": _grouped(differing[name])} for name in expected},
        "explanations": {name: assignment.wrong[name].explanation for name in told},
    }


def _accept(assignment, stage, expected):
    raised = isinstance(expected, outcome.Raised)
    if stage.part not in assignment.points:
        raise ValueError(f"{assignment.name}: the public check {stage.name!r} is of part {stage.part!r}, which there is not")
    if raised != bool(stage.raises) or running.judge(stage, expected, expected):
        raise ValueError(f"{assignment.name}: the reference fails the public check {stage.name!r}: {expected}")


def _differences(checks, expected, namespace):
    outcomes = {stage.name: (stage, running.outcome_of(stage, namespace)[0]) for stage in checks}
    return {name: result for name, (stage, result) in outcomes.items() if running.judge(stage, expected[name], result)}


def _grouped(mistakes):
    """Mistakes with equal outcomes together: [{"of": [names], "outcome": …}]."""
    groups = {}
    for name, result in mistakes.items():
        data = outcome.to_json(result)
        groups.setdefault(json.dumps(data), {"of": [], "outcome": data})["of"].append(name)
    return list(groups.values())


def agree(one, other):
    """Whether two records say the same. The last digits of their numbers may differ, since processors round them differently."""
    if {key: value for key, value in one.items() if key != "stages"} != {key: value for key, value in other.items() if key != "stages"}:
        return False
    if list(one["stages"]) != list(other["stages"]):
        return False
    one, other = recorded.decode(one), recorded.decode(other)
    pairs = [(one.expected[stage], other.expected[stage]) for stage in one.expected]
    for stage, mistakes in one.mistakes.items():
        if set(mistakes) != set(other.mistakes[stage]):
            return False
        pairs += [(mistakes[name], other.mistakes[stage][name]) for name in mistakes]
    return all(difference(*pair) is None for pair in pairs)


def dumps(data):
    """The recorded data as JSON text with one check a line."""
    head = {key: value for key, value in data.items() if key != "stages"}
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in data["stages"].items())
    text = json.dumps(head, ensure_ascii=False, indent=1)
    return text[: text.rindex("}")].rstrip() + ',\n "stages": {\n' + lines + "\n }\n}\n"
