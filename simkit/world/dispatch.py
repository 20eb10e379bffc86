"""The agent's dispatcher: what becomes of several identical calls that are issued at once.

==============================  ======================================================================
dispatch                        n copies of one call, and two calls with equal arguments
==============================  ======================================================================
send all                        each is sent
one for equal content           one is sent for all; its result stands for the others, meant or not
one for each numbered           copies of one call count as one; two calls stay apart, each with its
occurrence                      number
==============================  ======================================================================
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from simkit.choices import Dispatch
from simkit.scenario import PlannedCall

__all__ = ["Errand", "errands"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One call that the agent carries out.

    Parameters
    ----------
    prefix
        Sets the paths of its attempts apart from those of other errands.
    occurrence_number
        From 1 where the dispatcher numbers equal calls, otherwise 0.
    stands_for
        Other intents whose calls were merged into this one.
    """

    planned: PlannedCall
    prefix: str
    occurrence_number: int = 0
    stands_for: tuple[str, ...] = ()


def errands(calls: tuple[PlannedCall, ...], dispatch: Dispatch) -> tuple[Errand, ...]:
    """What the agent carries out for these planned calls, in their order."""
    found: list[Errand] = []
    for index, planned in enumerate(calls):
        prefix = f"{index + 1}:" if len(calls) > 1 else ""
        copy_count = planned.copies if dispatch is Dispatch.SEND_ALL else 1
        found += [
            Errand(planned=planned, prefix=f"{prefix}c{number}:" if copy_count > 1 else prefix)
            for number in range(1, copy_count + 1)
        ]
    match dispatch:
        case Dispatch.ONE_FOR_CONTENT:
            return tuple(_merged(found))
        case Dispatch.BY_OCCURRENCE:
            return tuple(_numbered(found))
    return tuple(found)


def _merged(separate: Iterable[Errand]) -> Iterable[Errand]:
    first_by_content: dict[PlannedCall, Errand] = {}
    for errand in separate:
        content = replace(_content(errand.planned), start_s=errand.planned.start_s)
        first = first_by_content.setdefault(content, errand)
        if first is not errand and errand.planned.intent != first.planned.intent:
            merged = (*first.stands_for, errand.planned.intent)
            first_by_content[content] = replace(first, stands_for=merged)
    return first_by_content.values()


def _numbered(separate: Iterable[Errand]) -> Iterable[Errand]:
    seen: Counter[PlannedCall] = Counter()
    for errand in separate:
        content = _content(errand.planned)
        seen[content] += 1
        yield replace(errand, occurrence_number=seen[content])


def _content(planned: PlannedCall) -> PlannedCall:
    """What a dispatcher sees of a call: everything but what was meant by it, and when."""
    return replace(planned, intent="", operation="", start_s=0.0, copies=1)
