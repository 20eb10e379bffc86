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
"""

from types import MappingProxyType

from simkit.terms import FaultKind

__all__ = ["AGENT_SITES", "DOWNSTREAM_SITES", "HOP_ENDINGS", "RECONCILER_SITES", "STORE_SITES", "kind_of"]

AGENT_SITES = ("agent.before_sending", "agent.after_sending", "agent.after_reply")

HOP_ENDINGS = (
    "request_lost",
    "request_late",
    "response_lost",
    "response_late",
    "connection_refused",
    "response_replaced",
    "request_duplicated",
)

STORE_SITES = ("record_store.outage", "record_store.failover")

DOWNSTREAM_SITES = (
    "downstream.error",
    "downstream.error_of_unknown_outcome",
    "downstream.error_after_effect",
    "downstream.overloaded",
    "downstream.lost_after_acceptance",
)

RECONCILER_SITES = (
    "reconciler.wrong_record",
    "reconciler.weak_query",
    "reconciler.two_at_once",
    "reconciler.beside_a_retry",
    "reconciler.new_id",
)

_KIND_BY_NAME = MappingProxyType(
    {
        "request_lost": FaultKind.REQUEST_LOST,
        "response_lost": FaultKind.RESPONSE_LOST,
        "request_late": FaultKind.LATE,
        "response_late": FaultKind.LATE,
        "connection_refused": FaultKind.CONNECTION_REFUSED,
        "response_replaced": FaultKind.RESPONSE_REPLACED,
        "request_duplicated": FaultKind.DUPLICATED,
        "cannot_tell": FaultKind.READBACK_CANNOT_TELL,
        "error": FaultKind.DOWNSTREAM_ERROR,
        "error_of_unknown_outcome": FaultKind.ERROR_OF_UNKNOWN_OUTCOME,
        "error_after_effect": FaultKind.ERROR_AFTER_EFFECT,
        "overloaded": FaultKind.OVERLOADED,
        "lost_after_acceptance": FaultKind.LOST_AFTER_ACCEPTANCE,
        "outage": FaultKind.STORE_OUTAGE,
        "failover": FaultKind.STORE_FAILOVER,
    }
)


def kind_of(site: str) -> FaultKind:
    """Kind of the fault at a site, by its name; a window that is none of the others is a crash."""
    party, _, what = site.partition(".")
    if party == "agent":
        return FaultKind.RESTART
    if party == "reconciler":
        return FaultKind.HUMAN_ERROR
    if what.startswith("paused_"):
        return FaultKind.PAUSE
    return _KIND_BY_NAME.get(what, FaultKind.CRASH)
