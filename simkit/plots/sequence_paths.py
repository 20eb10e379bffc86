"""How the path of an attempt is read: who sends, through which queue, and which delivery it is.

===================  =====================================================================
path                 means
===================  =====================================================================
`2/1`                first attempt that the next layer makes for attempt 2 of the agent
`2:1`, `c2:1`        of the second call; of the second copy of one call
`r1:2`               after the first restart of the agent
`sweep:1`            of the path that sends again and is called `sweep`
`1/page/1`           for the stage `page`
`1/relay-2`          of the second round of the outbox relay
`1/1+copy`           the second delivery of a request that was doubled on its way
`1~2`                the second delivery of a call by a queue
===================  =====================================================================
"""

import re
from collections.abc import Iterable, Iterator

from simkit.study.story import caller_of

__all__ = ["RELAY", "deliveries_in", "is_at_or_below", "is_by_queue", "is_of_relay", "original_of", "reading_of_paths"]

RELAY = "relay"

_AGAIN = re.compile(r"(\+copy|~\d+)$")
_BY_QUEUE = re.compile(r"~\d+$")
_RELAY = re.compile(r"/relay-\d+(/|$)")


def is_at_or_below(path: str, above: str) -> bool:
    """Whether a path is another one, or is made for it further down."""
    return f"{path}/".startswith(f"{above}/")


def is_of_relay(path: str) -> bool:
    """Whether the relay of an outbox sends this, and not the server that works on a call."""
    return _RELAY.search(path) is not None


def is_by_queue(path: str) -> bool:
    """Whether this is a second delivery that a queue makes."""
    return _BY_QUEUE.search(path) is not None


def original_of(path: str) -> str:
    """The path without what makes it a second delivery.

    Examples
    --------
    >>> original_of("1/1+copy"), original_of("1~2"), original_of("1/1")
    ('1/1', '1', '1/1')
    """
    while _AGAIN.search(path):
        path = _AGAIN.sub("", path)
    return path


def deliveries_in(paths: Iterable[str]) -> tuple[str, ...]:
    """Paths of all second deliveries that these paths are, or are made for, in the order in which they occur."""
    found: dict[str, None] = {}
    for path in paths:
        parts = path.split("/")
        for count, part in enumerate(parts, start=1):
            if _AGAIN.search(part):
                found["/".join(parts[:count])] = None
    return tuple(found)


def reading_of_paths(paths: Iterable[str]) -> str:
    """How the shapes of path that occur here are read; empty where all are plain numbers.

    Examples
    --------
    >>> reading_of_paths(["1/1+copy", "1/1"])
    '+copy is a second delivery of one request.'
    >>> reading_of_paths(["1", "sweep:1/1"])
    'sweep: is what the sweep sends.'
    """
    paths = tuple(paths)
    callers = dict.fromkeys(caller for path in paths if (caller := caller_of(path)) != "agent")
    said = "; ".join([*_readings(" ".join(paths)), *(f"{caller}: is what the {caller} sends" for caller in callers)])
    return f"{said}." if said else ""


def _readings(joined: str) -> Iterator[str]:
    for shape, words in (
        (r"(^| )\d+:", "2: is for the second call"),
        (r"(^| |:)c\d+:", "c2: is the second copy of one call"),
        (r"(^| |:)r\d+:", "r1: is after the first restart"),
        (r"/relay-\d", "relay-2 is the second round of the relay"),
        (r"\+copy", "+copy is a second delivery of one request"),
        (r"~\d", "~2 is the second delivery by the queue"),
    ):
        if re.search(shape, joined):
            yield words
