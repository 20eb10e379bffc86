"""The sites at which something goes wrong, in the words of the page, of the diagram and of a run that is told."""

from types import MappingProxyType

__all__ = ["site_in_words"]

_SAID_OF_SITE = MappingProxyType(
    {
        "readback.cannot_tell": "readback cannot tell",
        "record_store.outage": "the record store is away",
        "record_store.failover": "the record store fails over and loses its newest rows",
        "downstream.error": "the system of record answers with an error",
        "downstream.error_of_unknown_outcome": "the system of record answers with an error of unknown outcome",
        "downstream.error_after_effect": "the system of record answers with an error after the effect",
        "downstream.overloaded": "the system of record is overloaded",
        "downstream.lost_after_acceptance": "the system of record loses what it has accepted",
        "reconciler.wrong_record": "the reconciler looks at the wrong record",
        "reconciler.weak_query": "the reconciler asks so that nothing can be seen",
        "reconciler.two_at_once": "two reconcilers take the case at once",
        "reconciler.beside_a_retry": "the reconciler acts beside a retry or a late original",
        "reconciler.new_id": "the reconciler sends again under a new ID",
    }
)

_SAID_OF_HOP = MappingProxyType(
    {
        "response_replaced": "response replaced by an error",
        "request_duplicated": "request arrives twice",
    }
)


def site_in_words(site: str) -> str:
    """A site with its attempt path as people say it.

    Examples
    --------
    >>> site_in_words("server.paused_after_reservation@1/1")
    'server pauses after the reservation (attempt 1/1)'
    >>> site_in_words("gateway_to_server.request_duplicated")
    'request arrives twice, gateway to server'
    """
    name, _, path = site.partition("@")
    text = _SAID_OF_SITE.get(name) or _window_or_hop(name)
    path = path.rstrip(":")
    if not path or path == "reconciler":
        return text
    return f"{text} ({path if path.startswith('reconciler:') else f'attempt {path}'})"


def _window_or_hop(name: str) -> str:
    party, _, what = name.partition(".")
    place = party.replace("_", " ")
    if party == "agent":
        return f"agent restarts {what.replace('_', ' ')}"
    if what.startswith("paused_"):
        return f"{place} pauses {_window_in_words(what.removeprefix('paused_'))}"
    if what.startswith(("before_", "after_")):
        return f"{place} crashes {_window_in_words(what)}"
    return f"{_SAID_OF_HOP.get(what, what.replace('_', ' '))}, {place}"


def _window_in_words(window: str) -> str:
    when, _, step = window.partition("_")
    return f"{when} the {step.replace('_', ' ')}"
