"""What a call meets at the record store, for every row that can stand there."""

import pytest

from simkit.policy import Entry, claim
from simkit.terms import Claim, State

__all__: list[str] = []


@pytest.mark.parametrize(
    ("state", "fingerprint", "lease_is_over", "expected"),
    (
        (State.PENDING, "mine", False, Claim.IN_PROGRESS),  # somebody may still be at work
        (State.PENDING, "mine", True, Claim.STALE),  # nobody should be, and there is no receipt
        (State.COMPLETED, "mine", False, Claim.REPLAY),
        (State.COMPLETED, "mine", True, Claim.REPLAY),  # a receipt has no lease
        (State.REJECTED, "mine", False, Claim.REPLAY),
        (State.REJECTED, "mine", True, Claim.REPLAY),
        (State.PENDING, "other", False, Claim.MISMATCH),  # other inputs are never let in by a stale lease
        (State.PENDING, "other", True, Claim.MISMATCH),
        (State.COMPLETED, "other", False, Claim.MISMATCH),  # and never get the first call's result
        (State.REJECTED, "other", True, Claim.MISMATCH),
    ),
)
def test_a_row_decides_what_a_call_meets(
    state: State,
    fingerprint: str,
    lease_is_over: bool,  # noqa: FBT001
    expected: Claim,
) -> None:
    entry = Entry(fingerprint=fingerprint, state=state, version=1)

    assert claim(entry, "mine", lease_is_over=lease_is_over) is expected


@pytest.mark.parametrize("lease_is_over", (False, True))
def test_a_call_that_meets_no_row_is_granted(lease_is_over: bool) -> None:  # noqa: FBT001
    assert claim(None, "mine", lease_is_over=lease_is_over) is Claim.GRANTED
