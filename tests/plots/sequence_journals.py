"""Journals written by hand for the sequence diagram: short runs in which one thing goes wrong."""

from simkit.journal import Journal
from simkit.plots.sequence_facts import CLOSED, TIMEOUT
from simkit.records import (
    Attempt,
    Effect,
    Fact,
    Fault,
    Intent,
    Promised,
    Readback,
    Receipt,
    Reply,
    Report,
    StateChange,
)
from simkit.terms import LayerName, Outcome, ReadbackAnswer, State

__all__ = [
    "OPENING",
    "attempt",
    "crash_then_retry_hours_later",
    "effect",
    "late_request",
    "lost_answer",
    "lost_request",
    "reply",
    "report",
    "twenty_attempts",
]

AGENT, GATEWAY, DOWNSTREAM = LayerName.AGENT, LayerName.GATEWAY, LayerName.DOWNSTREAM_SDK

OPENING: tuple[Fact, ...] = (
    Promised(record_retention_s=0.0, latest_landing_s=60.0, owner="ops", deadline_s=60.0, stages=("ticket",)),
    Intent(intent="i1", tenant="t", inputs="x"),
)


def attempt(at_s: float, path: str, layer: LayerName = AGENT, operation_id: str = "op1") -> Attempt:
    """One try; its number is the last of its path."""
    return Attempt(
        at_s=at_s,
        layer=layer,
        path=path,
        attempt_number=int(path.replace(":", "/").rpartition("/")[2]),
        intent="i1",
        operation_id=operation_id,
        inputs="x",
    )


def reply(at_s: float, path: str, state: State, detail: str, layer: LayerName = AGENT) -> Reply:
    """What that try got back."""
    return Reply(
        at_s=at_s, layer=layer, path=path, intent="i1", operation_id="op1", inputs="x", state=state, detail=detail
    )


def effect(at_s: float) -> Effect:
    """The ticket is made."""
    return Effect(at_s=at_s, stage="ticket", intent="i1", operation_id="op1", inputs="x")


def report(at_s: float, outcome: Outcome = Outcome.OK) -> Report:
    """The agent's last word."""
    return Report(at_s=at_s, layer=AGENT, intent="i1", state=State.COMPLETED, outcome=outcome, owner="", deadline_s=0.0)


def lost_request() -> Journal:
    """The gateway's only request is lost; it gives up."""
    return Journal(
        [
            *OPENING,
            attempt(0.0, "1"),
            attempt(0.1, "1/1", GATEWAY),
            Fault(at_s=0.1, site="gateway_to_server.request_lost@1/1"),
            reply(5.1, "1/1", State.UNKNOWN, TIMEOUT, GATEWAY),
            reply(5.2, "1", State.UNKNOWN, "gateway gave up"),
        ]
    )


def late_request() -> Journal:
    """The gateway's request lands a minute later, long after everybody has gone."""
    return Journal(
        [
            *OPENING,
            attempt(0.0, "1"),
            attempt(0.1, "1/1", GATEWAY),
            Fault(at_s=0.1, site="gateway_to_server.request_late@1/1"),
            reply(5.1, "1/1", State.UNKNOWN, TIMEOUT, GATEWAY),
            reply(5.2, "1", State.UNKNOWN, "gateway gave up"),
            attempt(60.1, "1/1/1", DOWNSTREAM),
            effect(60.3),
            reply(60.4, "1/1/1", State.COMPLETED, "receipt", DOWNSTREAM),
        ]
    )


def lost_answer() -> Journal:
    """The first answer is lost; the second try makes a second ticket."""
    return Journal(
        [
            *OPENING,
            attempt(0.0, "1"),
            attempt(0.1, "1/1", DOWNSTREAM),
            effect(0.3),
            reply(0.4, "1/1", State.COMPLETED, "receipt", DOWNSTREAM),
            Fault(at_s=0.4, site="gateway_to_server.response_lost@1"),
            reply(9.0, "1", State.UNKNOWN, TIMEOUT),
            attempt(10.0, "2"),
            attempt(10.1, "2/1", DOWNSTREAM),
            effect(10.3),
            reply(10.4, "2/1", State.COMPLETED, "receipt", DOWNSTREAM),
            reply(10.5, "2", State.COMPLETED, "receipt"),
            report(10.5),
        ]
    )


def crash_then_retry_hours_later() -> Journal:
    """The server dies between effect and receipt; three hours later the next try reads back and replays."""
    store = "record store"
    return Journal(
        [
            *OPENING,
            attempt(0.0, "1"),
            StateChange(at_s=0.1, party=store, operation_id="op1", state=State.PENDING),
            attempt(0.1, "1/1", DOWNSTREAM),
            effect(0.3),
            reply(0.4, "1/1", State.COMPLETED, "receipt", DOWNSTREAM),
            Fault(at_s=0.4, site="server.after_effect@1"),
            reply(0.5, "1", State.UNKNOWN, CLOSED),
            attempt(10800.5, "2"),
            Readback(at_s=10800.8, party="server", intent="i1", operation_id="op1", answer=ReadbackAnswer.FOUND),
            StateChange(at_s=10800.8, party=store, operation_id="op1", state=State.COMPLETED),
            Receipt(at_s=10800.8, party=store, stage="ticket", operation_id="op1"),
            reply(10800.9, "2", State.COMPLETED, "recorded result"),
            report(10800.9),
        ]
    )


def twenty_attempts() -> Journal:
    """An agent that tries twenty times over ten hours, each answer lost, each try a ticket."""
    facts: list[Fact] = list(OPENING)
    for number in range(1, 21):
        start_s, path = 1800.0 * number, str(number)
        facts += [
            attempt(start_s, path),
            attempt(start_s + 0.1, f"{path}/1", DOWNSTREAM),
            effect(start_s + 0.3),
            reply(start_s + 0.4, f"{path}/1", State.COMPLETED, "receipt", DOWNSTREAM),
            Fault(at_s=start_s + 0.4, site=f"gateway_to_server.response_lost@{path}"),
            reply(start_s + 9.0, path, State.UNKNOWN, TIMEOUT),
        ]
    return Journal([*facts, report(36010.0, Outcome.UNKNOWN)])
