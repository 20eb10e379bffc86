"""What may be concluded about an operation with several stages, from the states of its stages."""

from types import MappingProxyType

from simkit.policy.reactions import is_nothing_sent, outcome_to_report
from simkit.terms import Knowledge, OnExhausted, Outcome, State

__all__ = ["KnownStages", "Stages", "conclusion", "knowledge_of_stages", "merged_stages", "outcome_of_stages"]

Stages = tuple[tuple[str, State], ...]
"""The state of each stage by its name, in the order in which the stages are made."""

KnownStages = tuple[tuple[str, Knowledge], ...]
"""What is known of each stage by its name, in the same order."""

_SETTLED = frozenset({State.COMPLETED, State.REJECTED})

_KNOWLEDGE_BY_STATE = MappingProxyType(
    {
        State.COMPLETED: Knowledge.FOUND,
        State.REJECTED: Knowledge.REJECTED,
        State.PENDING: Knowledge.PENDING,
        State.ACCEPTED: Knowledge.PENDING,
        State.EXPIRED: Knowledge.EXPIRED,
    }
)
"""What the state of a stage says, whatever is known of the operation as a whole."""

_CONFLICTS = frozenset({Knowledge.CONFLICT_OTHER_INPUTS, Knowledge.CONFLICT_POSSIBLY_MINE})


def merged_stages(before: Stages, heard: Stages) -> Stages:
    """What is known of each stage after one more answer; a settled stage stays settled, silence takes nothing back."""
    if not heard:
        return before
    settled = {name: state for name, state in before if state in _SETTLED}
    return tuple((name, settled.get(name, state)) for name, state in heard)


def outcome_of_stages(stages: Stages, *, handover_completes: bool) -> Outcome:
    """`OK` if all are; `FAILED` if each is or can no longer start; `UNKNOWN` if any is; otherwise `PARTIAL`.

    A stage that was not begun can no longer start once a stage before it is rejected.

    Examples
    --------
    >>> outcome_of_stages((("publish", State.COMPLETED), ("notify", State.REJECTED)), handover_completes=False)
    <Outcome.PARTIAL: 'PARTIAL'>
    """
    outcomes = set()
    is_ended = False
    for _, state in stages:
        is_ended = is_ended or state is State.REJECTED
        if state is State.COMPLETED or (state is State.ACCEPTED and handover_completes):
            outcomes.add(Outcome.OK)
        elif state is State.REJECTED or (state is State.NOT_STARTED and is_ended):
            outcomes.add(Outcome.FAILED)
        else:
            outcomes.add(Outcome.UNKNOWN)
    if len(outcomes) == 1:
        return outcomes.pop()
    return Outcome.UNKNOWN if Outcome.UNKNOWN in outcomes else Outcome.PARTIAL


def knowledge_of_stages(
    names: tuple[str, ...],
    known: Knowledge,
    stages: Stages,
    seen: KnownStages,
    *,
    is_only_attempt: bool,
) -> KnownStages:
    """What is known of each stage, the worst over all attempts.

    Parameters
    ----------
    names
        Of all stages, in order. The one stage of a tool is what the operation is.
    known
        What is known of the operation as a whole; it stands for each stage of which nobody said anything.
    seen
        What the system of record showed of a stage since the last attempt.
    is_only_attempt
        Whether nobody, on the whole way, sent anything but the attempt that was answered. Only then a stage
        that it did not begin was not begun.

    Examples
    --------
    >>> heard = (("publish", State.COMPLETED), ("notify", State.NOT_STARTED))
    >>> told = knowledge_of_stages(("publish", "notify"), Knowledge.POSSIBLY_SENT, heard, (), is_only_attempt=True)
    >>> ", ".join(f"{stage}: {known}" for stage, known in told)
    'publish: found, notify: nothing sent'
    """
    if len(names) == 1:
        return ((names[0], known),)
    heard, shown = dict(stages), dict(seen)
    return tuple(
        (name, shown.get(name) or _known_of(heard.get(name), known, is_only_attempt=is_only_attempt)) for name in names
    )


def _known_of(state: State | None, known: Knowledge, *, is_only_attempt: bool) -> Knowledge:
    """What is known of one stage in this state; None where nobody spoke of it."""
    if state is None or is_nothing_sent(known):
        return known
    if state in (State.NOT_STARTED, State.REFUSED):
        return Knowledge.NOTHING_SENT if is_only_attempt else Knowledge.POSSIBLY_SENT
    if state is State.CONFLICT:
        return known if known in _CONFLICTS else Knowledge.CONFLICT_POSSIBLY_MINE
    if state is State.UNKNOWN and known is Knowledge.STORED_FAILURE:
        return known
    return _KNOWLEDGE_BY_STATE.get(state, Knowledge.POSSIBLY_SENT)


def conclusion(
    known: Knowledge,
    last: State,
    stages: Stages,
    on_exhausted: OnExhausted,
    *,
    handover_completes: bool,
) -> tuple[State, Outcome]:
    """What is said about an operation in the end, with or without stages.

    Parameters
    ----------
    last
        What the last attempt heard; `accepted` means that somebody goes on without the caller.
    handover_completes
        Whether the review names that as the evidence of completion.
    """
    if last is State.ACCEPTED:
        return (State.COMPLETED, Outcome.OK) if handover_completes else (State.ACCEPTED, Outcome.UNKNOWN)
    said = outcome_to_report(known, on_exhausted, last)
    if not stages:
        return said
    match outcome_of_stages(stages, handover_completes=handover_completes):
        case Outcome.OK:
            return State.COMPLETED, Outcome.OK
        case Outcome.FAILED:
            return State.REJECTED, Outcome.FAILED
        case Outcome.PARTIAL:
            return State.UNKNOWN, Outcome.PARTIAL
    # A careless layer says failed of what is open; none may say done.
    return (State.UNKNOWN, Outcome.UNKNOWN) if said[1] is Outcome.OK else said
