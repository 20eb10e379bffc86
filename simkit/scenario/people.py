"""Who else calls: the reconciler, and the paths that nobody calls a retry."""

import re
from dataclasses import dataclass

from simkit.choices import OnNotSeen
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario.ranges import insist_on_count
from simkit.terms import Outcome

__all__ = ["Reconciler", "Reissue"]


_NAME = re.compile(r"(?!(agent|reconciler|[cr]\d+)$)[A-Za-z][\w -]*")
"""It stands in the paths of attempts, `sweep:1/1`, where a number is a call, `r1` a restart, `c1` a copy of a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciler:
    """Takes what was left unknown, asks the system of record, and decides.

    Parameters
    ----------
    delay
        From the report that names an owner until the question.
    on_not_seen
        What follows where nothing is seen.
    waits_for_landing
        Whether *not seen* counts only after the last possible landing plus the lag; otherwise at once.
    """

    delay: Wait
    on_not_seen: OnNotSeen
    waits_for_landing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reissue:
    """A path that sends the call again, and that nobody calls a retry: a sweep, a batch, a re-plan, a second agent.

    Parameters
    ----------
    after
        From the report of the agent until the path sends.
    reported
        It sends what was reported so.
    carries_id
        Whether it sends the operation ID of the agent's first attempt; otherwise a new one.
    is_blocked_by_hold
        Whether an intent that an owner holds is left alone.
    """

    name: str
    after: Wait
    reported: tuple[Outcome, ...]
    carries_id: bool
    is_blocked_by_hold: bool
    count: int = 1

    def __post_init__(self) -> None:
        insist_on_count(f"reissues, {self.name}: count", self.count, 1)
        if not _NAME.fullmatch(self.name):
            message = (
                f"reissues: name {self.name!r} would be taken for another caller; allowed: letters, digits, blanks "
                "and -, a letter first, not agent, reconciler, or c or r with a number"
            )
            raise ScenarioError(message)
        if not self.reported:
            message = f"reissues, {self.name}: reported is empty, so it never sends; name at least one outcome"
            raise ScenarioError(message)
