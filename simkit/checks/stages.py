"""Of which stages a reply or a report says something: of those that it names, or of all."""

from collections.abc import Collection

from simkit.records import Reply, Report
from simkit.terms import Outcome, State

__all__ = ["COMPLETED", "REJECTED", "done_stages", "stages_in"]

COMPLETED = frozenset({State.COMPLETED})
REJECTED = frozenset({State.REJECTED})


def stages_in(said: Reply | Report, states: Collection[State], stages: tuple[str, ...]) -> tuple[str, ...]:
    """Stages that are said to be in one of these states, out of the promised ones.

    A partial outcome that names no stage says nothing about any single one.
    """
    if said.stages:
        return tuple(stage for stage, state in said.stages if state in states)
    if said.state not in states or (isinstance(said, Report) and said.outcome is Outcome.PARTIAL):
        return ()
    return (said.stage,) if isinstance(said, Reply) and said.stage else stages


def done_stages(report: Report, stages: tuple[str, ...]) -> tuple[str, ...]:
    """Stages that a report calls completed, by its word or by its outcome."""
    return stages if report.outcome is Outcome.OK else stages_in(report, COMPLETED, stages)
