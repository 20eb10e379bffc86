"""What single facts of a journal say about one attempt."""

from typing import Final

from simkit.records import Attempt, Fact, Fault, Reply

__all__ = [
    "CLOSED",
    "GIVEN_UP",
    "QUEUED",
    "TIMEOUT",
    "is_arrival",
    "is_fault_on",
    "is_given_up",
    "is_reply_to",
    "path_of",
    "site_parts",
]

TIMEOUT: Final = "timeout"
GIVEN_UP: Final = "interrupted from above"
CLOSED: Final = "connection closed"
QUEUED: Final = "put into the queue"
"""How journals say that a layer stopped waiting, that its caller ended its waiting, that its connection went
away, and that a queue took the call over."""


def site_parts(site: str) -> tuple[str, str, str]:
    """Party or hop, what went wrong there, and the path of the attempt that met it."""
    name, _, path = site.partition("@")
    party, _, what = name.partition(".")
    return party, what, path


def path_of(fact: Fact) -> str:
    """Path of the attempt that a fact is about; empty where it names none."""
    match fact:
        case Attempt() | Reply():
            return fact.path
        case Fault():
            return site_parts(fact.site)[2]
        case _:
            return ""


def is_arrival(reply: Reply) -> bool:
    """Whether something came back, rather than the layer stopping to wait."""
    return reply.detail not in (TIMEOUT, GIVEN_UP)


def is_given_up(reply: Reply) -> bool:
    """Whether the receiver may still be at work: the waiting ended, or the connection."""
    return reply.detail in (TIMEOUT, GIVEN_UP, CLOSED)


def is_fault_on(fact: Fact, path: str, beginning: str) -> bool:
    """Whether the attempt `path` met a fault here whose name has this beginning, for instance `request_`."""
    if not isinstance(fact, Fault):
        return False
    _, what, met_by = site_parts(fact.site)
    return met_by == path and what.startswith(beginning)


def is_reply_to(fact: Fact, attempt: Attempt) -> bool:
    """Whether the layer of this attempt hears here about it, or stops waiting for it."""
    return isinstance(fact, Reply) and fact.layer is attempt.layer and fact.path == attempt.path
