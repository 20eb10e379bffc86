"""What became of each attempt, read from the traces that it left further down the journal.

A journal says when an attempt was sent and what its layer heard, not when it landed: an arrival is known
by the first thing that the receiver did for that path. What left no trace has no instant of landing. An
attempt that a queue took over lands there, and has a trace of its own for each time it was handed on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from simkit.plots.sequence_effects import Delivery, effects_by_delivery
from simkit.plots.sequence_facts import QUEUED, is_arrival, is_fault_on, is_reply_to, path_of, site_parts
from simkit.plots.sequence_paths import deliveries_in, is_at_or_below, is_by_queue, original_of
from simkit.records import Attempt, Effect, Fact, Fault, Readback, Receipt, Reply, Start, StateChange
from simkit.terms import LayerName

__all__ = ["Trace", "queued_layers", "traces_of"]

_ON_THE_WAY = ("request_lost", "request_late", "request_duplicated", "connection_refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One delivery of an attempt and the facts about it, as positions in the journal.

    Parameters
    ----------
    path
        That of the attempt, or of the copy of it.
    index
        Where the attempt was sent.
    is_handed_out
        Whether a queue handed it on.
    troubles
        What went wrong on its way down, by the names of the sites.
    fault_indexes
        Where the journal says so.
    reply_index
        What its layer heard, or that it stopped waiting; None where it is not told, and for copies.
    landing_index
        The first fact that shows that it has landed; None where nothing shows it.
    effect_index
        The effect that it made downstream; None for other layers, and where it made none.
    """

    attempt: Attempt
    path: str
    index: int
    is_handed_out: bool
    troubles: frozenset[str]
    fault_indexes: tuple[int, ...]
    reply_index: int | None
    landing_index: int | None
    effect_index: int | None
    is_late: bool

    @property
    def is_lost(self) -> bool:
        """Whether it never landed anywhere."""
        return "request_lost" in self.troubles or self.is_refused

    @property
    def is_refused(self) -> bool:
        """Whether nothing was sent, and the sender hears so."""
        return "connection_refused" in self.troubles

    @property
    def is_first(self) -> bool:
        """Whether this is the attempt as its layer sent it, and not a copy or what a queue handed on."""
        return not self.is_handed_out and self.path == self.attempt.path

    @property
    def is_again(self) -> bool:
        """Whether it is a second delivery of something."""
        return self.path != self.attempt.path


def queued_layers(facts: Sequence[Fact]) -> frozenset[LayerName]:
    """The layers whose attempts go to a queue: the lowest that heard so, since others pass on what they hear."""
    by_path = {fact.path: fact.layer for fact in facts if isinstance(fact, Attempt)}
    said = [fact for fact in facts if isinstance(fact, Reply) and fact.detail == QUEUED]
    passed_on = {fact.path.rpartition("/")[0] for fact in said}
    heard = {fact.layer for fact in said if fact.path not in passed_on}
    handed = {by_path.get(original_of(path)) for path in deliveries_in(map(path_of, facts)) if is_by_queue(path)}
    return frozenset(heard | {layer for layer in handed if layer is not None})


def traces_of(facts: Sequence[Fact]) -> tuple[Trace, ...]:
    """A trace for every attempt, in the order in which they were sent, each with those of its copies behind it."""
    deliveries = tuple(_deliveries(facts))
    effects = effects_by_delivery(facts, deliveries)
    return tuple(_trace(facts, delivery, effects.get(number)) for number, delivery in enumerate(deliveries))


def _deliveries(facts: Sequence[Fact]) -> Iterator[Delivery]:
    queued = queued_layers(facts)
    again = deliveries_in(map(path_of, facts))
    for index, fact in enumerate(facts):
        if not isinstance(fact, Attempt):
            continue
        yield Delivery(index=index, attempt=fact, path=fact.path)
        if fact.layer in queued:
            yield Delivery(index=index, attempt=fact, path=fact.path, is_handed_out=True)
        copies = dict.fromkeys(path for path in again if original_of(path) == fact.path)
        if any(is_fault_on(later, fact.path, "request_duplicated") for later in facts[index + 1 :]):
            copies[f"{fact.path}+copy"] = None
        copies |= dict.fromkeys(_unnamed_copies(facts, fact)) if fact.layer in queued else {}
        for path in copies:
            yield Delivery(index=index, attempt=fact, path=path, is_handed_out=fact.layer in queued)


def _unnamed_copies(facts: Sequence[Fact], attempt: Attempt) -> Iterator[str]:
    """Copies that a queue in front of a system of record may have handed on: their effects bear no path."""
    if attempt.layer is LayerName.DOWNSTREAM_SDK:
        count = sum(isinstance(fact, Effect) and fact.operation_id == attempt.operation_id for fact in facts)
        yield from (f"{attempt.path}~{number}" for number in range(2, count + 1))


def _trace(facts: Sequence[Fact], delivery: Delivery, effect_index: int | None) -> Trace:
    attempt, index = delivery.attempt, delivery.index
    is_first = delivery.path == attempt.path and not delivery.is_handed_out
    later = range(index + 1, len(facts))
    faults = tuple(at for at in later if is_first and _is_on_the_way(facts[at], attempt.path))
    troubles = frozenset(site_parts(fault.site)[1] for at in faults if isinstance(fault := facts[at], Fault))
    reply_index = next((at for at in later if is_first and is_reply_to(facts[at], attempt)), None)
    is_lost = not troubles.isdisjoint({"request_lost", "connection_refused"})
    landing_index = None if is_lost else _landing(facts, delivery, effect_index)
    gone_index = next((at for at in later if _gives_up(facts[at], attempt.path)), len(facts))
    is_after = landing_index is not None and landing_index > gone_index
    return Trace(
        attempt=attempt,
        path=delivery.path,
        index=index,
        is_handed_out=delivery.is_handed_out,
        troubles=troubles,
        fault_indexes=faults,
        reply_index=reply_index,
        landing_index=landing_index,
        effect_index=effect_index,
        is_late=is_first and ("request_late" in troubles or is_after),
    )


def _is_on_the_way(fact: Fact, path: str) -> bool:
    return any(is_fault_on(fact, path, what) for what in _ON_THE_WAY)


def _gives_up(fact: Fact, path: str) -> bool:
    """Whether the sender, or a layer above on whose behalf it sends, stops waiting here."""
    return isinstance(fact, Reply) and not is_arrival(fact) and is_at_or_below(path, fact.path)


def _landing(facts: Sequence[Fact], delivery: Delivery, effect_index: int | None) -> int | None:
    for at in range(delivery.index + 1, len(facts)):
        if at == effect_index:
            return at
        if _shows_landing(facts[at], delivery):
            return _first_of_step(facts, at, delivery)
    return None


def _shows_landing(fact: Fact, delivery: Delivery) -> bool:
    attempt, path = delivery.attempt, delivery.path
    match fact:
        case Attempt():
            return fact.layer is not attempt.layer and is_at_or_below(fact.path, path)
        case Reply():
            is_own = is_reply_to(fact, attempt) and is_arrival(fact)
            return is_own and path == attempt.path and not delivery.is_handed_out
        case Fault():
            return _is_met_after_landing(fact, delivery)
        case _:
            return False


def _is_met_after_landing(fault: Fault, delivery: Delivery) -> bool:
    """Whether the party that it lands at, or one below, met this; the way back from a queue shows no handing on."""
    party, what, path = site_parts(fault.site)
    if not is_at_or_below(path, delivery.path) or party in ("agent", "reconciler"):
        return False
    if party == "readback":
        return "/server-" in path
    if path == delivery.path:
        return what not in _ON_THE_WAY and not (delivery.is_handed_out and "_to_" in party)
    return True


def _first_of_step(facts: Sequence[Fact], at: int, delivery: Delivery) -> int:
    """Step back over what the server wrote for this operation just before it did something for this path."""
    while at - 1 > delivery.index and _is_written_for(facts[at - 1], delivery.attempt.operation_id):
        at -= 1
    return at


def _is_written_for(fact: Fact, operation_id: str) -> bool:
    match fact:
        case StateChange() | Receipt():
            return fact.operation_id == operation_id and fact.party == "record store"
        case Start():
            return fact.operation_id == operation_id
        case Readback():
            return fact.operation_id == operation_id and fact.party == "server"
        case _:
            return False
