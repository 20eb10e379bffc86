"""What a call that bears an operation ID meets at the record store."""

from dataclasses import dataclass

from simkit.terms import Claim, State

__all__ = ["Entry", "claim"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The durable part of an operation record that a decision needs.

    Parameters
    ----------
    fingerprint
        Digest of the inputs that the server binds.
    state
        `pending` for a reservation; `completed` or `rejected` once settled.
    version
        Grows with each change, so that a takeover can insist on what it has seen.
    """

    fingerprint: str
    state: State
    version: int


def claim(entry: Entry | None, fingerprint: str, *, lease_is_over: bool) -> Claim:
    """Say what a call meets. Whether the lease is over is asked of the world, not of a clock."""
    if entry is None:
        return Claim.GRANTED
    if entry.fingerprint != fingerprint:
        return Claim.MISMATCH
    if entry.state is not State.PENDING:
        return Claim.REPLAY
    return Claim.STALE if lease_is_over else Claim.IN_PROGRESS
