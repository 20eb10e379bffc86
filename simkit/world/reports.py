"""What the user is told, and who hears of it: the reconciler, and the paths that send again."""

from collections.abc import Callable
from dataclasses import dataclass

from simkit.journal import Journal
from simkit.policy import Stages
from simkit.records import Report
from simkit.scenario import Conditions
from simkit.terms import LayerName, Outcome, State
from simkit.world.messages import ToolCall
from simkit.world.timeline import Timeline

__all__ = ["Reports", "Told"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the agent told about one call, for whoever goes on with it.

    Parameters
    ----------
    operation
        Label from which operation IDs are made.
    calls
        What the agent remembers to have sent, in order, the first with each operation ID.
    """

    operation: str
    prefix: str
    calls: tuple[ToolCall, ...]
    report: Report


class Reports:
    """Writes reports down and passes them on.

    Attributes
    ----------
    listeners
        Called with what the agent told; each starts its own steps, or none.
    """

    def __init__(self, conditions: Conditions, timeline: Timeline, journal: Journal) -> None:
        self._conditions = conditions
        self._timeline = timeline
        self._journal = journal
        self._held: set[str] = set()
        self.listeners: tuple[Callable[[Told], None], ...] = ()

    def tell(self, intent: str, state: State, outcome: Outcome, stages: Stages = ()) -> Report:
        """Tell the user how it stands; an owner is named where it is open, and holds it from then on."""
        is_open = outcome is Outcome.UNKNOWN
        report = Report(
            at_s=self._timeline.now_s,
            layer=LayerName.AGENT,
            intent=intent,
            state=state,
            outcome=outcome,
            owner=self._conditions.owner if is_open else "",
            deadline_s=self._conditions.deadline_s if is_open else 0.0,
            stages=stages,
        )
        self._journal.append(report)
        (self._held.add if report.owner else self._held.discard)(intent)
        return report

    def pass_on(self, told: Told) -> None:
        """Let everybody hear what the agent told."""
        for listener in self.listeners:
            listener(told)

    def is_held(self, intent: str) -> bool:
        """Whether an owner holds the intent, by the last report."""
        return intent in self._held
