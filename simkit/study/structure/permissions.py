"""The permission table: which action may follow at which row, as far as runs have shown.

An action is refused as soon as one run in which it was taken, and which went on as declared, broke an
effect promise. It is permitted if all such runs within the fault budget were seen and none did.
Holding and stopping send nothing, so they are permitted everywhere; what else was never tried
stays unexplored, which the page prints as hold.
"""

from simkit.study.results import Cell
from simkit.study.story import site_in_words
from simkit.study.tree import Leaf, Script, departing_indices
from simkit.terms import Action, Knowledge, LayerName
from simkit.world import Decision

__all__ = ["PermissionLedger"]

Pair = tuple[LayerName, Knowledge, Action]

SENDS_NOTHING = frozenset({Action.HOLD, Action.STOP})


class PermissionLedger:
    """What the runs so far say about each action at each row."""

    def __init__(self) -> None:
        self._declared: dict[Pair, None] = {}
        self._tried: dict[Pair, None] = {}
        self._refused: dict[Pair, str] = {}
        self._pair_of: dict[Script, Pair] = {}

    def is_settled(self, script: Script) -> bool:
        """Whether the last departure of a script is refused already, so that its runs tell nothing new."""
        last = departing_indices(script)[-1]
        pair = self._pair_of.get(script[: last + 1])
        return pair in self._refused

    def add(self, leaf: Leaf, *, is_broken: bool) -> None:
        """Take one run into account; `is_broken` says whether it broke an effect promise."""
        decisions = leaf.run.decisions.taken
        departures = [index for index, decision in enumerate(decisions) if decision.is_departure]
        for question, departure in zip(departing_indices(leaf.trace), departures, strict=True):
            self._pair_of[leaf.trace[: question + 1]] = _pair(decisions[departure])
        if not departures:
            answerable = decisions
            self._declared.update(dict.fromkeys(_pair(decision) for decision in decisions))
        else:
            last = departures[-1]
            is_question = decisions[last].action is Action.STATUS_FIRST
            answerable = decisions[last : last + 2] if is_question else decisions[last : last + 1]
        for decision in answerable:
            self._tried[_pair(decision)] = None
            if is_broken:
                self._refused.setdefault(_pair(decision), _reason(leaf))

    def cells(self, *, is_complete: bool) -> tuple[Cell, ...]:
        """Every action at every row that was reached; rows and actions in the order of their words."""
        rows = {(layer, known) for layer, known, _ in self._tried}
        return tuple(
            self._cell((layer, known, action), is_complete=is_complete)
            for layer in LayerName
            for known in Knowledge
            if (layer, known) in rows
            for action in Action
        )

    def _cell(self, pair: Pair, *, is_complete: bool) -> Cell:
        layer, known, action = pair
        is_permitted: bool | None = None
        if action in SENDS_NOTHING:
            is_permitted = True
        elif pair in self._refused:
            is_permitted = False
        elif pair in self._tried and is_complete:
            is_permitted = True
        return Cell(
            layer=layer,
            known=known,
            action=action,
            is_declared=pair in self._declared,
            is_permitted=is_permitted,
            reason=self._refused.get(pair, "") if is_permitted is False else "",
        )


def _pair(decision: Decision) -> Pair:
    return decision.layer, decision.known, decision.action


def _reason(leaf: Leaf) -> str:
    faults = [site_in_words(answered.site) for answered in leaf.trace if answered.fault_cost]
    how = f"with {' and '.join(faults)}" if faults else "although nothing fails"
    return f"breaks an effect promise {how}"
