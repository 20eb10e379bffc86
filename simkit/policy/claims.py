"""What a call that bears an operation ID meets at the record store."""

from dataclasses import dataclass

from simkit.choices import Binding, StoredFailure
from simkit.terms import Claim, State

__all__ = ["Entry", "after_failure", "claim", "fingerprint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The durable part of an operation record that a decision needs.

    Parameters
    ----------
    fingerprint
        Digest of the inputs that the server binds.
    state
        `pending` for a reservation; `not started` for one whose failure was released; otherwise settled.
    version
        Grows with each change of its owner, so that a takeover can insist on what it has seen; also
        the fencing token.
    receipts
        Stages that have one.
    """

    fingerprint: str
    state: State
    version: int
    receipts: tuple[str, ...] = ()


def fingerprint(binding: Binding, *, inputs: str, loose_inputs: str, wording: str) -> str:
    """What a server binds of a call's inputs.

    Examples
    --------
    >>> fingerprint(Binding.TOO_LOOSE, inputs="5 EUR, live", loose_inputs="5 EUR", wording="")
    '5 EUR'
    """
    match binding:
        case Binding.CONSEQUENTIAL:
            return inputs
        case Binding.TOO_LOOSE:
            return loose_inputs or inputs
        case Binding.TOO_STRICT:
            return f"{inputs}, written {wording}" if wording else inputs


def claim(entry: Entry | None, fingerprint: str, *, lease_is_over: bool) -> Claim:
    """Say what a call meets. Whether the lease is over is asked of the world, not of a clock."""
    if entry is None:
        return Claim.GRANTED
    if entry.fingerprint != fingerprint:
        return Claim.MISMATCH
    if entry.state is State.NOT_STARTED:
        return Claim.RELEASED
    if entry.state is not State.PENDING:
        return Claim.REPLAY
    return Claim.STALE if lease_is_over else Claim.IN_PROGRESS


def after_failure(policy: StoredFailure, *, is_definite: bool) -> State | None:
    """State that a record takes after a failed attempt; None where it is deleted."""
    match policy:
        case StoredFailure.REPLAY_FOR_EVER:
            return State.REJECTED
        case StoredFailure.REPLAY_DEFINITE:
            return State.REJECTED if is_definite else State.PENDING
        case StoredFailure.RELEASE_RESULT:
            return State.NOT_STARTED if is_definite else State.PENDING
        case StoredFailure.DELETE_RECORD:
            return None
