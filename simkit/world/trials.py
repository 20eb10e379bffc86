"""What a layer does where a review leaves it a choice: as declared, or, with trials on, any other action as a pick.

With trials on, every decision of every layer is asked. Asking the system of record changes nothing by
itself, so the decision that follows it belongs to it: an exploration counts the two as one departure.
"""

from collections.abc import Sequence
from typing import NamedTuple

from simkit.chance import Chance
from simkit.terms import Action, Knowledge, LayerName

__all__ = ["ASKING", "CellKey", "Decision", "Decisions", "Place", "Trials"]

ASKING = frozenset({Action.STATUS_FIRST, Action.POLL})


class Place(NamedTuple):
    """Where a layer stands when it decides.

    Parameters
    ----------
    rows
        What it knows of each stage, by the stage's name.
    is_id_persisted
        False where a restart lost the ID of something that was sent.
    """

    layer: LayerName
    rows: tuple[tuple[str, Knowledge], ...]
    is_id_persisted: bool = True

    def cells(self, action: Action) -> tuple["CellKey", ...]:
        """The cells of the permission table that an action here makes use of: one for each stage."""
        return tuple(CellKey(self.layer, stage, known, self.is_id_persisted, action) for stage, known in self.rows)


class CellKey(NamedTuple):
    """One cell of the permission table."""

    layer: LayerName
    stage: str
    known: Knowledge
    is_id_persisted: bool
    action: Action


class Decision(NamedTuple):
    """What a layer did at its place.

    Parameters
    ----------
    options
        What it picked from, the declared action first; none where there was no choice.
    is_follow_up
        Whether it had just asked the system of record.
    """

    place: Place
    action: Action
    options: tuple[Action, ...]
    is_follow_up: bool

    @property
    def is_departure(self) -> bool:
        """Whether the layer had declared something else."""
        return bool(self.options) and self.action is not self.options[0]

    @property
    def cells(self) -> tuple[CellKey, ...]:
        """The cells of the permission table that it makes use of."""
        return self.place.cells(self.action)


class Decisions:
    """The decisions of a run, in order. No party reads them."""

    def __init__(self) -> None:
        self.taken: list[Decision] = []


class Trials:
    """Asks chance what a layer does, and writes every decision down; switched off, it does neither.

    Parameters
    ----------
    stages
        Names of the effects of one operation, in order.
    """

    def __init__(self, chance: Chance, decisions: Decisions, *, is_on: bool, stages: tuple[str, ...] = ()) -> None:
        self.is_on = is_on
        self.stages = stages
        self._chance = chance
        self._decisions = decisions

    def action(
        self,
        place: Place,
        path: str,
        declared: Action,
        others: Sequence[Action],
        *,
        is_follow_up: bool = False,
        is_last: bool = False,
    ) -> Action:
        """The declared action, or one of the others. `is_last` says that none of them can send anything more."""
        if not self.is_on:
            return declared
        options: tuple[Action, ...] = (declared, *(action for action in others if action is not declared))
        if len(options) == 1:
            chosen, options = declared, ()
        else:
            word = "next" if is_follow_up else "last" if is_last else "action"
            chosen = options[self._chance.pick(_site(place, word, path, options), len(options))]
        self._decisions.taken.append(Decision(place, chosen, options, is_follow_up))
        return chosen


def _site(place: Place, word: str, path: str, options: tuple[Action, ...]) -> str:
    """Where it is asked; the name says all that an answer can mean."""
    known = ", ".join(f"{stage} {known}" for stage, known in place.rows)
    lost = "" if place.is_id_persisted else ", ID lost"
    return f"{place.layer}.{word}@{path} ({known}{lost}: {', '.join(options)})"
