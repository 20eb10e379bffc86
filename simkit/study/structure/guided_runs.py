"""Every guided run of a world at one value, and what may become possible when the value moves."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from simkit.errors import OutOfReach
from simkit.study.structure.claims import Claimed
from simkit.study.structure.guided import Choice, Guide, GuidedZone, Other
from simkit.study.structure.measured import Scale
from simkit.world import run_intervals

__all__ = ["Branch", "Explored", "Played", "branches", "every_run", "play"]

Trace = tuple[Choice, ...]


class Played(NamedTuple):
    """One guided run."""

    trace: Trace
    others: list[Other]
    fault_count: int
    is_refuting: bool


class Branch(NamedTuple):
    """What may become possible of a run that was seen."""

    trace: Trace
    other: Other

    @property
    def script(self) -> Trace:
        """What leads there."""
        at, choice, _ = self.other
        return self.trace[:at] if choice is None else (*self.trace[:at], choice)


@dataclass(slots=True)
class Explored:
    """What all runs of a world at one value came to.

    Attributes
    ----------
    witness
        A run that speaks against what is claimed, one of those with the fewest faults; nothing more was looked for.
    later
        What was not possible.
    is_complete
        Whether all runs were seen, or a witness was found.
    """

    witness: Trace | None = None
    later: list[Branch] = field(default_factory=list)
    is_complete: bool = True


def play(world: Claimed, script: Trace, fault_budget: int, scale: Scale) -> Played:
    """Run a world along a script, and on along the first possible options.

    All steps that several parties can touch are put into one order: where some orders are tried for others, which
    those are depends on what is possible at a value, and here a run stands for all values at which it is.

    Raises
    ------
    OutOfReach
        If the script is not possible at the value that the world was made with.
    """
    guide, is_refuting = Guide(script, fault_budget, scale), False
    try:
        scale.watcher = guide.compare
        run = run_intervals(replace(world.plan, is_divided=False), guide, zone=GuidedZone(scale, guide))
        guide.assert_script_used()
        scale.watcher = guide.reconsider
        is_refuting = world.is_refuted_by(run.journal)
    except OutOfReach as missing:
        if len(guide.trace) < len(script):
            raise
        guide.others.append(Other(len(guide.trace), None, missing.lacking))
    finally:
        scale.watcher = None
    return Played(tuple(guide.trace), guide.others, guide.fault_count, is_refuting)


def every_run(world: Claimed, fault_budget: int, scale: Scale, is_over: Callable[[], bool]) -> Explored:
    """See all runs within the budget, those with fewer faults first, up to the first that speaks against the claim."""
    explored = Explored()
    waiting: dict[int, list[Trace]] = {0: [()]}
    while waiting:
        level = min(waiting)
        script = waiting[level].pop()
        if not waiting[level]:
            del waiting[level]
        if is_over():
            explored.is_complete = False
            return explored
        played = play(world, script, fault_budget, scale)
        if played.is_refuting:
            explored.witness = played.trace
            return explored
        for branch in branches(played):
            choice = branch.other.choice
            if choice is None or branch.other.lacking:
                explored.later.append(branch)
            else:
                waiting.setdefault(level + choice.fault_cost, []).append(branch.script)
    return explored


def branches(played: Played) -> Iterator[Branch]:
    """What else a run could have come to."""
    return (Branch(played.trace, other) for other in played.others)
