"""The likely reason of a failure: the typical mistakes whose recorded outcomes are those that the student's functions gave."""

from .compare import difference
from .outcome import Raised


def likely(first, results, recorded):
    """The mistakes that explain a part's first failure, best ones alone.

    `first`: the failed Result. `results`: {stage: Result} of everything that ran, without skips. A mistake is a candidate when it
    gave the first failure's outcome; of several, those count that agree with most stages. Exceptions alone are no evidence, save
    where the stage says that they are telling: many things raise a ValueError.
    """
    candidates = [name for name, outcome in recorded.mistakes[first.stage.name].items() if difference(outcome, first.outcome) is None]
    candidates = [name for name in candidates if _evidence(name, results, recorded)]
    agreement = {name: sum(_agrees(name, result, recorded) for result in results.values()) for name in candidates}
    return [name for name in candidates if agreement[name] == max(agreement.values())]


def _agrees(mistake, result, recorded):
    outcome = recorded.mistakes[result.stage.name].get(mistake)
    if outcome is None:
        return result.status == "passed"
    return result.status == "failed" and difference(outcome, result.outcome) is None


def _evidence(mistake, results, recorded):
    """Whether a failed stage gave the very value that the mistake gives, or the kind of exception where that is telling."""
    return any(
        mistake in recorded.mistakes[name] and (result.stage.telling or not isinstance(result.outcome, Raised)) and _agrees(mistake, result, recorded)
        for name, result in results.items()
    )
