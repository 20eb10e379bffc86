"""One departure from what a layer declares, to learn what would happen if it were permitted.

With trials on, each layer may once in a run, at any row that it reaches, take another action than the
declared one; then the run goes on as declared. Asking for the status first changes nothing by
itself, so one more departure may follow it.
"""

from collections.abc import Sequence

from simkit.chance import Chance
from simkit.terms import Action, Knowledge, LayerName

__all__ = ["Decision", "Trials"]

Decision = tuple[LayerName, Knowledge, Action]


class Trials:
    """Asks chance whether to depart, and remembers every decision.

    Attributes
    ----------
    departure
        The last decision that departed from the declaration, or None.
    declared
        The decisions taken as declared before any departure.
    """

    def __init__(self, chance: Chance, *, is_on: bool) -> None:
        self._chance = chance
        self._may_depart = is_on
        self.departure: Decision | None = None
        self.declared: list[Decision] = []

    def action(
        self, layer: LayerName, known: Knowledge, path: str, declared: Action, others: Sequence[Action]
    ) -> Action:
        """The declared action, or, as a pick, one of the others."""
        if self._may_depart:
            options = [declared, *(action for action in others if action is not declared)]
            chosen = options[self._chance.pick(f"{layer}.action@{path}", len(options))]
            if chosen is not declared:
                self.departure = (layer, known, chosen)
                self._may_depart = chosen is Action.STATUS_FIRST
                return chosen
        if self.departure is None:
            self.declared.append((layer, known, declared))
        return declared
