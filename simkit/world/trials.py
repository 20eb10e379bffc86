"""One departure from what a layer declares, to learn what would happen if it were permitted.

With trials on, a layer may once in a run, where it reaches a row for the first time, take another
action than the declared one; then the run goes on as declared. Asking for the status first changes
nothing by itself, so the decision that follows it may depart as well.
"""

from collections.abc import Sequence
from typing import NamedTuple

from simkit.chance import Chance
from simkit.terms import Action, Knowledge, LayerName

__all__ = ["Decision", "Decisions", "Trials"]


class Decision(NamedTuple):
    """What a layer did at a row of the permission table."""

    layer: LayerName
    known: Knowledge
    action: Action
    is_departure: bool


class Decisions:
    """The decisions of a run, in order. No party reads them."""

    def __init__(self) -> None:
        self.taken: list[Decision] = []


class Trials:
    """Asks chance whether to depart, and writes every decision down."""

    def __init__(self, chance: Chance, decisions: Decisions, *, is_on: bool) -> None:
        self._chance = chance
        self._decisions = decisions
        self._may_depart = is_on
        self._is_after_status = False
        self._met: set[tuple[LayerName, Knowledge]] = set()

    def action(
        self, layer: LayerName, known: Knowledge, path: str, declared: Action, others: Sequence[Action]
    ) -> Action:
        """The declared action, or, as a pick, one of the others."""
        chosen = declared
        may_depart = self._may_depart or self._is_after_status
        self._is_after_status = False
        if may_depart and others and (layer, known) not in self._met:
            self._met.add((layer, known))
            options = [declared, *(action for action in others if action is not declared)]
            chosen = options[self._chance.pick(f"{layer}.action@{path}", len(options))]
            if chosen is not declared:
                self._may_depart = False
                self._is_after_status = chosen is Action.STATUS_FIRST
        self._decisions.taken.append(
            Decision(layer=layer, known=known, action=chosen, is_departure=chosen is not declared)
        )
        return chosen
