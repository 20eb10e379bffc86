"""Frozen facts that a journal holds: what was wanted, tried, answered, done and reported.

Instants are seconds from the start of the run. In a structure exploration, where only an interval is
known, `at_s` is the earliest possible instant; the order of the facts is then what counts.
"""

from dataclasses import dataclass

from simkit.terms import LayerName, Outcome, ReadbackAnswer, State

__all__ = [
    "Attempt",
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
    "StateChange",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What somebody wanted once. Ground truth: no party sees it."""

    intent: str
    tenant: str
    inputs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Promised:
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
    """

    record_retention_s: float
    latest_landing_s: float
    owner: str
    deadline_s: float
    stages: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try by one layer, sent to the layer below. `path` names it: agent 2 / gateway 1."""

    at_s: float
    layer: LayerName
    path: str
    attempt_number: int
    intent: str
    operation_id: str
    inputs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one attempt of a layer got back; `detail` says how, for instance `timeout`."""

    at_s: float
    layer: LayerName
    path: str
    intent: str
    operation_id: str
    inputs: str
    state: State
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One durable change in a system of record, counted there."""

    at_s: float
    stage: str
    intent: str
    operation_id: str
    inputs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Durable evidence of one effect, written by a party that replays it to later attempts."""

    at_s: float
    party: str
    stage: str
    operation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChange:
    """A party's durable record of an operation took another state."""

    at_s: float
    party: str
    operation_id: str
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Readback:
    """An answer of the system of record to one question about one operation."""

    at_s: float
    party: str
    intent: str
    operation_id: str
    answer: ReadbackAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a layer finally told the user about an intent, and who settles it where it is open."""

    at_s: float
    layer: LayerName
    intent: str
    state: State
    outcome: Outcome
    owner: str
    deadline_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something went wrong at a named site."""

    at_s: float
    site: str


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The run ended: at quiescence, or cut with `waiting_for` naming the next step."""

    at_s: float
    is_quiescent: bool
    waiting_for: str


Fact = Intent | Promised | Attempt | Reply | Effect | Receipt | StateChange | Readback | Report | Fault | End
