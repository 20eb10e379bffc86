"""The scenario that a review file amounts to, one for each effect.

A declaration says more than the world can act out, and less. Where it names something that this
world does not know, the nearest worse thing stands in, and a note says so. What has no worse thing that could
stand in is listed as not judged; while there is any of that, nothing is allowed.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from simkit.contract.effects import Effect
from simkit.contract.review import Review
from simkit.contract.translated_conditions import conditions_of, hops_of
from simkit.contract.translated_layers import layers_of
from simkit.contract.translated_server import agent_of, server_of, stage_of
from simkit.contract.unjudged import unjudged_in
from simkit.errors import ScenarioError
from simkit.scenario import PlannedCall, Scenario
from simkit.terms import OnExpired

__all__ = ["Translation", "scenario_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """A scenario, and how it differs from what was declared.

    Parameters
    ----------
    notes
        What stands in for what was declared, always something worse, in words.
    unjudged
        What was declared and is not acted out, although it could break a promise, in words.
    """

    scenario: Scenario
    notes: tuple[str, ...]
    unjudged: tuple[str, ...]


def scenario_of(review: Review, effect: Effect) -> Translation:
    """The world of one effect of a fully answered review.

    Raises
    ------
    ScenarioError
        If answers are missing that a world needs, or exclude each other.
    """
    missing = review.unknown_fields()
    if missing:
        message = f"no scenario without {', '.join(missing)}: unknown"
        raise ScenarioError(message)
    notes: list[str] = []
    agent = agent_of(review, effect, notes)
    server = server_of(review, effect, agent.identity, notes)
    stage = stage_of(review, effect, agent.identity, notes)
    scenario = Scenario(
        name=f"{review.tool.name}/{effect.name}",
        calls=(PlannedCall(intent="intent-1", operation="op-1", tenant="tenant-1", inputs="inputs-1", start_s=0.0),),
        agent=agent,
        layers=layers_of(review, notes),
        hops=hops_of(review),
        server=server,
        stages=(stage,),
        conditions=conditions_of(review, server, stage),
    )
    notes.extend(_refusals(review, effect))
    return Translation(scenario=scenario, notes=tuple(notes), unjudged=tuple(unjudged_in(review, effect, server)))


def _refusals(review: Review, effect: Effect) -> Iterator[str]:
    for name, part in (("record", review.record), ("downstream key", effect.downstream_key)):
        after = getattr(getattr(part, "retention", None), "after_expiry", None)
        if after in (OnExpired.REFUSE, OnExpired.HOLD):
            doing = "refusing" if after is OnExpired.REFUSE else "holding"
            yield f"{name}: {doing} an expired ID needs a tombstone, which a file cannot declare: judged as run as new"
