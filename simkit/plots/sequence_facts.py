"""What single facts of a journal say about one attempt."""

from typing import Final

from simkit.records import Attempt, Fact, Fault, Reply

__all__ = ["CLOSED", "TIMEOUT", "is_arrival", "is_fault_on", "is_reply_to", "site_parts"]

TIMEOUT: Final = "timeout"
CLOSED: Final = "connection closed"
"""How journals say that a layer stopped waiting, and that its connection went away."""


def site_parts(site: str) -> tuple[str, str, str]:
    """Party or hop, what went wrong there, and the path of the attempt that met it."""
    name, _, path = site.partition("@")
    party, _, what = name.partition(".")
    return party, what, path


def is_arrival(reply: Reply) -> bool:
    """Whether something came back, rather than the layer stopping to wait."""
    return reply.detail != TIMEOUT


def is_fault_on(fact: Fact, path: str, beginning: str) -> bool:
    """Whether the attempt `path` met a fault here whose name has this beginning, for instance `request_`."""
    if not isinstance(fact, Fault):
        return False
    _, what, met_by = site_parts(fact.site)
    return met_by == path and what.startswith(beginning)


def is_reply_to(fact: Fact, attempt: Attempt) -> bool:
    """Whether the layer of this attempt hears here about it, or stops waiting for it."""
    return isinstance(fact, Reply) and fact.layer is attempt.layer and fact.path == attempt.path
