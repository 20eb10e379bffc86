"""The permission table: which action may follow at which row, as far as runs have shown.

=========  =============================================================================================
a cell is  when
=========  =============================================================================================
refused    one run in which the action was taken, and which went on as declared, broke an effect promise
withdrawn  every layer took freely what is permitted, a run of more than one departure broke one, and of
           the departures this is the outermost layer's; of that layer's the most far-reaching
permitted  all runs within the fault budget were seen, and it is neither
unknown    anything else; the page prints that as hold
=========  =============================================================================================

The whole table needs no exploration of its own. Runs with one departure try each action; those with more are
the table as a whole, but for the runs without any, which are what is declared. A run that makes use
of what was refused or withdrawn is left out, and when all are seen no run that is left breaks anything:
leaving runs out never adds one. What every layer declares is proved together, so only departures are
withdrawn.

Holding and stopping are not tried, and never refused: they are what is left where all else is. What an
owner may do then is judged by the policy of one attempt. To resume a stage is to send the same ID again to
a server that goes on by its receipts, so the runs with that ID speak for it.
"""

from simkit.choices import Resume
from simkit.scenario import Scenario
from simkit.study.results import Cell
from simkit.study.story import site_in_words
from simkit.study.tree import Leaf, Script, has_final_departure, is_decision
from simkit.terms import Action, ClaimKind, Knowledge, LayerName
from simkit.world import CellKey, Decision

__all__ = ["PermissionLedger", "resumes_by_receipts"]

SENDS_NOTHING = frozenset({Action.HOLD, Action.STOP})
SETTLED = frozenset({Knowledge.FOUND, Knowledge.REJECTED})

FAR_REACHING = (Action.NEW_OPERATION, Action.SAME_ID, Action.POLL, Action.STATUS_FIRST, Action.HOLD, Action.STOP)
"""Which action of a layer is withdrawn first: what makes an operation, what sends one again, what asks."""

Keys = tuple[CellKey, ...]


class PermissionLedger:
    """What the runs so far say about each action at each row.

    Parameters
    ----------
    stages
        Names of the effects of one operation, in order.
    can_resume
        Whether the server makes the stages without a receipt alone when it gets the same ID again.
    """

    def __init__(self, stages: tuple[str, ...], *, can_resume: bool) -> None:
        self._stages = stages
        self._can_resume = can_resume
        self._declared: dict[CellKey, None] = {}
        self._tried: dict[CellKey, None] = {}
        self._refused: dict[CellKey, str] = {}
        self._withdrawn: dict[CellKey, str] = {}
        self._cells_by_site: dict[str, tuple[Keys, ...]] = {}

    def is_settled(self, script: Script, *, departure_count: int) -> bool:
        """Whether the runs of a script that departs so often tell nothing new: it departs to what is not permitted.

        A single departure is still tried where another stage's cell is not refused yet. To ask where nothing can be
        sent any more changes no effect: it is tried only where it could not be tried otherwise.
        """
        departed = [
            self._cells_by_site[answered.site][answered.answer]
            for answered in script
            if answered.answer and is_decision(answered.site)
        ]
        if departure_count > 1:
            return has_final_departure(script) or any(self._is_refused(key) for keys in departed for key in keys)
        if has_final_departure(script) and self._tried.keys() >= set(departed[-1]):
            return True
        return any(all(self._is_refused(key) for key in keys) for keys in departed)

    def add(self, leaf: Leaf, *, is_broken: bool) -> None:
        """Take one run into account; `is_broken` says whether it broke an effect promise."""
        decisions = leaf.run.decisions.taken
        asked = (decision for decision in decisions if decision.options)
        sites = (answered.site for answered in leaf.trace if is_decision(answered.site))
        for site, decision in zip(sites, asked, strict=True):
            if site not in self._cells_by_site:
                self._cells_by_site[site] = tuple(decision.place.cells(action) for action in decision.options)
        if leaf.departure_count > 1:
            if is_broken:
                self._withdraw(leaf)
            return
        answerable = _tried(decisions) if leaf.departure_count else decisions
        for key in (key for decision in answerable for key in decision.cells):
            self._tried[key] = None
            if is_broken:
                self._refused.setdefault(key, f"breaks an effect promise {_how_it_broke(leaf)}")
            if not leaf.departure_count:
                self._declared[key] = None

    def cells(self, *, is_complete: bool) -> tuple[Cell, ...]:
        """Every action at every row that was reached; rows and actions in the order of their words."""
        rows = {key[:4] for key in self._tried}
        return tuple(
            self._cell(CellKey(layer, stage, known, is_id_persisted, action), is_complete=is_complete)
            for layer in LayerName
            for stage in self._stages
            for known in Knowledge
            for is_id_persisted in (True, False)
            if (layer, stage, known, is_id_persisted) in rows
            for action in Action
        )

    def _is_refused(self, key: CellKey) -> bool:
        return key in self._refused or key in self._withdrawn

    def _withdraw(self, leaf: Leaf) -> None:
        """Withdraw a permission that a run made use of."""
        departures = [decision for decision in leaf.run.decisions.taken if decision.is_departure]
        first = min(departures, key=_rank)
        others = {_in_words(decision): None for decision in departures if decision.cells != first.cells}
        beside = f"together with {' and '.join(others)} it" if others else "taken more than once it"
        for key in first.cells:
            self._withdrawn[key] = f"alone harmless, but {beside} breaks an effect promise {_how_it_broke(leaf)}"

    def _cell(self, key: CellKey, *, is_complete: bool) -> Cell:
        seen = key
        if key.action is Action.RESUME_STAGE and self._can_resume and key.known not in SETTLED:
            seen = key._replace(action=Action.SAME_ID)
        is_permitted: bool | None = None
        reason = ""
        if key.action in SENDS_NOTHING:
            is_permitted = True
        elif self._is_refused(seen):
            is_permitted, reason = False, self._refused.get(seen) or self._withdrawn[seen]
        elif seen in self._tried and is_complete:
            is_permitted = True
        return Cell(
            layer=key.layer,
            stage=key.stage,
            known=key.known,
            is_id_persisted=key.is_id_persisted,
            action=key.action,
            is_declared=seen in self._declared,
            is_permitted=is_permitted,
            reason=reason,
            is_withdrawn=is_permitted is False and seen not in self._refused,
        )


def resumes_by_receipts(scenario: Scenario) -> bool:
    """Whether the same ID sent again makes the open stages alone, of several."""
    server = scenario.server
    return len(scenario.stages) > 1 and server.claim is not ClaimKind.NONE and server.resume is Resume.OPEN_STAGES


def _tried(decisions: list[Decision]) -> list[Decision]:
    """The decision after which the run went on as declared: where it was to ask, what it led to as well."""
    departures = [decision for decision in decisions if decision.is_departure]
    if departures[-1].is_follow_up:
        return departures[-1:]
    return departures + [decision for decision in decisions if decision.is_follow_up]


def _how_it_broke(leaf: Leaf) -> str:
    faults = [site_in_words(answered.site) for answered in leaf.trace if answered.fault_cost]
    return f"with {' and '.join(faults)}" if faults else "although nothing fails"


def _rank(decision: Decision) -> tuple[int, int]:
    return tuple(LayerName).index(decision.place.layer), FAR_REACHING.index(decision.action)


def _in_words(decision: Decision) -> str:
    known = ", ".join(dict.fromkeys(str(known) for _, known in decision.place.rows))
    return f"'{decision.action}' of the {decision.place.layer.replace('_', ' ')} ({known})"
