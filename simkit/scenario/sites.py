"""Where something can go wrong: the names of the sites, and the kind of fault at each.

=====================================  ==========================================================
site                                   what happens there
=====================================  ==========================================================
`agent.before_sending` and others      the agent's process restarts in that window
`<hop>.request_lost` and others        a message is lost, late, refused, replaced or doubled
`server.<before|after>_<step>`         the server's process dies in that window
`server.paused_<before|after>_<step>`  the worker pauses in that window, and goes on
`relay.after_effect`                   the relay of the outbox dies in that window
`record_store.outage`, `.failover`     the store is away for a while, or loses its newest rows
`downstream.<what>`                    the system of record answers with an error, or loses a message
`readback.cannot_tell`                 a question gets an error, a denial, a partial list
`reconciler.<error>`                   the person or job that reconciles errs
=====================================  ==========================================================

A fault that is no window stands in one table, with its kind and what people say of it; everything else that
names faults reads it from there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from simkit.terms import FaultKind

__all__ = [
    "AGENT_SITES",
    "DOWNSTREAM_SITES",
    "HOP_ENDINGS",
    "RECONCILER_SITES",
    "STORE_SITES",
    "kind_of",
    "said_of",
    "said_of_hop",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    """The kind of a fault, and what people say when it happens."""

    kind: FaultKind
    said: str


def _fault(kind: FaultKind, said: str) -> _Fault:
    return _Fault(kind=kind, said=said)


AGENT_SITES = ("agent.before_sending", "agent.after_sending", "agent.after_reply")

_HOP: Mapping[str, _Fault] = MappingProxyType(
    {
        "request_lost": _fault(FaultKind.REQUEST_LOST, "request lost"),
        "request_late": _fault(FaultKind.LATE, "request late"),
        "response_lost": _fault(FaultKind.RESPONSE_LOST, "response lost"),
        "response_late": _fault(FaultKind.LATE, "response late"),
        "connection_refused": _fault(FaultKind.CONNECTION_REFUSED, "connection refused"),
        "response_replaced": _fault(FaultKind.RESPONSE_REPLACED, "response replaced by an error"),
        "request_duplicated": _fault(FaultKind.DUPLICATED, "request arrives twice"),
        "response_closed": _fault(FaultKind.CONNECTION_CLOSED, "connection closed after the request was read"),
    }
)
"""By the end of the site's name; before it stands the hop."""

_STORE: Mapping[str, _Fault] = MappingProxyType(
    {
        "record_store.outage": _fault(FaultKind.STORE_OUTAGE, "the record store is away"),
        "record_store.failover": _fault(
            FaultKind.STORE_FAILOVER, "the record store fails over and loses its newest rows"
        ),
    }
)

_READBACK: Mapping[str, _Fault] = MappingProxyType(
    {"readback.cannot_tell": _fault(FaultKind.READBACK_CANNOT_TELL, "readback cannot tell")}
)

_DOWNSTREAM: Mapping[str, _Fault] = MappingProxyType(
    {
        "downstream.error": _fault(FaultKind.DOWNSTREAM_ERROR, "the system of record answers with an error"),
        "downstream.error_of_unknown_outcome": _fault(
            FaultKind.ERROR_OF_UNKNOWN_OUTCOME, "the system of record answers with an error of unknown outcome"
        ),
        "downstream.error_after_effect": _fault(
            FaultKind.ERROR_AFTER_EFFECT, "the system of record answers with an error after the effect"
        ),
        "downstream.overloaded": _fault(FaultKind.OVERLOADED, "the system of record is overloaded"),
        "downstream.unavailable": _fault(FaultKind.UNAVAILABLE, "the system of record is unavailable"),
        "downstream.conflict": _fault(
            FaultKind.FALSE_CONFLICT, "the system of record says that such a request is under way, which is false"
        ),
        "downstream.credential_refused": _fault(
            FaultKind.CREDENTIAL_REFUSED, "the system of record refuses the credential"
        ),
        "downstream.lost_after_acceptance": _fault(
            FaultKind.LOST_AFTER_ACCEPTANCE, "the system of record loses what it has accepted"
        ),
    }
)

_RECONCILER: Mapping[str, _Fault] = MappingProxyType(
    {
        "reconciler.wrong_record": _fault(FaultKind.HUMAN_ERROR, "the reconciler looks at the wrong record"),
        "reconciler.weak_query": _fault(FaultKind.HUMAN_ERROR, "the reconciler asks so that nothing can be seen"),
        "reconciler.two_at_once": _fault(FaultKind.HUMAN_ERROR, "two reconcilers take the case at once"),
        "reconciler.beside_a_retry": _fault(
            FaultKind.HUMAN_ERROR, "the reconciler acts beside a retry or a late original"
        ),
        "reconciler.new_id": _fault(FaultKind.HUMAN_ERROR, "the reconciler sends again under a new ID"),
    }
)

_NAMED: Mapping[str, _Fault] = MappingProxyType({**_STORE, **_READBACK, **_DOWNSTREAM, **_RECONCILER})

HOP_ENDINGS, STORE_SITES = tuple(_HOP), tuple(_STORE)
DOWNSTREAM_SITES, RECONCILER_SITES = tuple(_DOWNSTREAM), tuple(_RECONCILER)


def kind_of(site: str) -> FaultKind:
    """Kind of the fault at a site, by its name; a window that is none of the others is a crash."""
    party, _, what = site.partition(".")
    fault = _NAMED.get(site) or _HOP.get(what)
    if fault is not None:
        return fault.kind
    if party == "agent":
        return FaultKind.RESTART
    return FaultKind.PAUSE if what.startswith("paused_") else FaultKind.CRASH


def said_of(site: str) -> str:
    """What people say of a fault that has a name of its own; empty for windows and hops."""
    fault = _NAMED.get(site)
    return "" if fault is None else fault.said


def said_of_hop(ending: str) -> str:
    """What people say of a fault on a hop, by the end of its site; empty for what is none."""
    fault = _HOP.get(ending)
    return "" if fault is None else fault.said
