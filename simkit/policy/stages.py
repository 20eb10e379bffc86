"""What may be concluded about an operation with several stages, from the states of its stages."""

from simkit.policy.reactions import outcome_to_report
from simkit.terms import Knowledge, OnExhausted, Outcome, State

__all__ = ["Stages", "conclusion", "merged_stages", "outcome_of_stages"]

Stages = tuple[tuple[str, State], ...]
"""The state of each stage by its name, in the order in which the stages are made."""

_SETTLED = frozenset({State.COMPLETED, State.REJECTED})


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
