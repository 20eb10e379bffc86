"""Frozen facts that a journal holds: what was wanted, tried, answered, done and reported.

Instants are seconds from the start of the run. In a structure exploration, where only an interval is
known, `at_s` is the earliest possible instant; the order of the facts is then what counts.

They are tuples, written with keywords all the same: an exploration makes millions of them, and a frozen
dataclass costs three times as much to make.
"""

from typing import NamedTuple

from simkit.terms import LayerName, Outcome, ReadbackAnswer, Settled, State

__all__ = [
    "Approval",
    "Attempt",
    "CleanUp",
    "Deleted",
    "Effect",
    "End",
    "Fact",
    "Fault",
    "Intent",
    "Promised",
    "Readback",
    "Receipt",
    "Reply",
    "Report",
    "Settlement",
    "Start",
    "StateChange",
]


class Intent(NamedTuple):
    """What somebody wanted once. Ground truth: no party sees it.

    Parameters
    ----------
    inputs
        The consequential inputs.
    audience
        To whom it was meant to go; empty where that does not apply.
    wants_effect
        False for a question or a dry run: any effect is one too many.
    approval
        Name of the approval under which it is sent; empty where none is named.
    """

    intent: str
    tenant: str
    inputs: str
    audience: str = ""
    wants_effect: bool = True
    approval: str = ""


class Approval(NamedTuple):
    """What somebody approved: this content, for this audience, until it expires.

    Parameters
    ----------
    approval
        Its name.
    intent
        The intent that it was given for; another one that uses it has none.
    expires_at_s
        No effect may begin at or after this instant; None where it does not expire.
    is_single_use
        Whether it is good for that intent alone.
    """

    approval: str
    intent: str
    inputs: str
    audience: str
    expires_at_s: float | None
    is_single_use: bool


class Promised(NamedTuple):
    """What the contract promises, as far as a check needs it.

    Parameters
    ----------
    record_retention_s
        Seconds for which an operation ID is guaranteed to be remembered, by the server's record or by
        the system of record's key, whichever is longer; 0 where nothing is guaranteed.
    latest_landing_s
        Seconds after sending beyond which no copy of a request lands on any link.
    owner
        Who settles an unknown outcome; empty where nobody is named.
    deadline_s
        Seconds within which the owner settles it; 0 where none is stated.
    stages
        Names of the effects of one completed operation.
    handover_completes
        Whether `accepted` is the evidence of completion that the review names.
    audience_may_change
        Whether the policy is to work out the audience anew for each delivery.
    attempt_count_max
        Most attempts that any layer may make for one intent; None where no budget is stated.
    time_s_max
        Seconds from the first attempt of an intent to its last; None where no budget is stated.
    """

    record_retention_s: float
    latest_landing_s: float
    owner: str
    deadline_s: float
    stages: tuple[str, ...]
    handover_completes: bool = False
    audience_may_change: bool = False
    attempt_count_max: int | None = None
    time_s_max: float | None = None


class Attempt(NamedTuple):
    """One try by one layer, sent to the layer below. `path` names it: agent 2 / gateway 1.

    `stage` names the effect that it is to make, below a server that makes several.
    """

    at_s: float
    layer: LayerName
    path: str
    attempt_number: int
    intent: str
    operation_id: str
    inputs: str
    stage: str = ""


class Reply(NamedTuple):
    """What one attempt of a layer got back; `detail` says how, for instance `timeout`.

    Parameters
    ----------
    origin
        The intent whose record or effect the reply speaks of; empty where it speaks of none.
    result
        Name of the recorded result that it carries, for instance `ticket 1`; empty where it carries none.
    stages
        State of each stage, where it speaks of several.
    """

    at_s: float
    layer: LayerName
    path: str
    intent: str
    operation_id: str
    inputs: str
    state: State
    detail: str
    stage: str = ""
    origin: str = ""
    result: str = ""
    stages: tuple[tuple[str, State], ...] = ()


class Start(NamedTuple):
    """A party began to make the effect of a stage: from here on nothing that it checked before is checked again."""

    at_s: float
    party: str
    stage: str
    intent: str
    operation_id: str
    inputs: str
    approval: str


class Effect(NamedTuple):
    """One durable change in a system of record, counted there.

    Parameters
    ----------
    audience
        Who gets it; empty where that does not apply.
    result
        Name of what was made, for instance `ticket 1`.
    state
        How its target looks afterwards, in words; empty where nobody can tell.
    """

    at_s: float
    stage: str
    intent: str
    operation_id: str
    inputs: str
    audience: str = ""
    result: str = ""
    state: str = ""


class CleanUp(NamedTuple):
    """A party began to undo the effect of an intent in a stage, by compensation or deletion."""

    at_s: float
    party: str
    stage: str
    intent: str
    operation_id: str


class Deleted(NamedTuple):
    """Somebody took away, on purpose and for good, what an intent had made in a stage."""

    at_s: float
    stage: str
    intent: str


class Settlement(NamedTuple):
    """A party settled an operation without an effect: from here on none may land."""

    at_s: float
    party: str
    intent: str
    operation_id: str
    settled: Settled


class Receipt(NamedTuple):
    """Durable evidence of one effect, written by a party that replays it to later attempts."""

    at_s: float
    party: str
    stage: str
    operation_id: str


class StateChange(NamedTuple):
    """A party's durable record of an operation took another state; `tenant` says whose, empty where nobody knows."""

    at_s: float
    party: str
    operation_id: str
    state: State
    tenant: str = ""


class Readback(NamedTuple):
    """An answer of the system of record to one question about one operation."""

    at_s: float
    party: str
    intent: str
    operation_id: str
    answer: ReadbackAnswer
    stage: str = ""


class Report(NamedTuple):
    """What a layer finally told the user about an intent, and who settles it where it is open.

    `stages` gives the state of each stage, where there are several.
    """

    at_s: float
    layer: LayerName
    intent: str
    state: State
    outcome: Outcome
    owner: str
    deadline_s: float
    stages: tuple[tuple[str, State], ...] = ()


class Fault(NamedTuple):
    """Something went wrong at a named site."""

    at_s: float
    site: str


class End(NamedTuple):
    """The run ended: at quiescence, or cut with `waiting_for` naming the next step."""

    at_s: float
    is_quiescent: bool
    waiting_for: str


Fact = (
    Intent
    | Approval
    | Promised
    | Attempt
    | Reply
    | Start
    | Effect
    | CleanUp
    | Deleted
    | Settlement
    | Receipt
    | StateChange
    | Readback
    | Report
    | Fault
    | End
)
