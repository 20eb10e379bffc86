"""Protocols of a few questions, written as plain functions, whose trees are enumerated by hand."""

from collections.abc import Callable

from simkit.chance import Chance
from simkit.journal import Journal
from simkit.records import Effect
from simkit.study import Leaf
from simkit.world import Run
from simkit.world.trials import Decisions

__all__ = ["Play", "has_two_effects", "run_with", "three_steps"]

Play = Callable[[Chance], Run]


def run_with(effect_count: int) -> Run:
    """A run of which nothing is known but how many effects it had."""
    effect = Effect(at_s=0.0, stage="ticket", intent="intent-1", operation_id="op-1", inputs="inputs-1")
    return Run(journal=Journal([effect] * effect_count), decisions=Decisions())


def has_two_effects(leaf: Leaf) -> bool:
    """Whether a leaf is a duplicate."""
    return len(leaf.run.journal.of(Effect)) > 1


def three_steps(chance: Chance) -> Run:
    """The request is lost (0.1), or the server crashes after the effect (0.2), and then the look-up is lost (0.3)."""
    if chance.flip("link.request_lost@1", 0.1):
        return run_with(0)
    if not chance.flip("server.after_effect@1", 0.2):
        return run_with(1)
    return run_with(2 if chance.flip("readback.cannot_tell@2", 0.3) else 1)
