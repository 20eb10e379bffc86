"""Tokens that pay for the repeats of a layer, whichever of its calls they belong to: a pure state and its transitions.

================  =========================================  ====================================================
kind              lets a repeat through while                takes and gives tokens
================  =========================================  ====================================================
botocore          the bucket holds what it costs             takes the cost of a repeat; a success of a repeat
                                                             gives that back, one of a first try a little
gRPC              more than half of the tokens are there     takes one for each failure; a success gives a part
Brooker's         more than one is there                     takes one for a repeat; a success gives a part
Finagle's         the bucket holds what it costs             takes the cost of a repeat; each call brings a part
================  =========================================  ====================================================

References
----------
botocore, `botocore/retries/quota.py` and `standard.py` (1.44): 500 tokens; 14 for a retry, 5 after throttling.
gRPC, proposal A6, "Throttling Retry Attempts and Hedged RPCs": 1 for each failure, retries above half of the most.
Brooker, "Fixing retries with token buckets and circuit breakers" (2022), for a tenth of a token for a success.
"""

from dataclasses import dataclass, replace

from simkit.terms import ErrorClass

__all__ = ["Bucket"]

DIGITS = 9
"""To which tokens are counted: ten times 0.1 is one token, and not a little less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Tokens that pay for repeats.

    Parameters
    ----------
    token_count
        How many there are now; all others are as of `simkit.scenario.TokenBucket`.

    Examples
    --------
    >>> bucket = Bucket(token_count_max=500, cost_count=5, refund_count=1, token_count=7)
    >>> bucket.can_repeat(None), bucket.repeated(None).can_repeat(None), bucket.repeated(None).succeeded().token_count
    (True, False, 3)
    """

    token_count_max: float
    cost_count: float
    refund_count: float
    token_count: float
    cost_count_overloaded: float | None = None
    returns_cost: bool = False
    deposit_count: float = 0.0
    charges_failures: bool = False
    above_count: float | None = None

    def cost_of(self, failure: ErrorClass | None) -> float:
        """Tokens that a repeat after that failure takes."""
        overloaded = self.cost_count_overloaded if failure is ErrorClass.OVERLOADED else None
        return self.cost_count if overloaded is None else overloaded

    def can_repeat(self, failure: ErrorClass | None) -> bool:
        """Whether one more repeat may be made, after that failure."""
        if self.above_count is not None:
            return self.token_count > self.above_count
        return self.token_count >= self.cost_of(failure)

    def called(self) -> "Bucket":
        """The bucket after one more call, which is no repeat."""
        return self._given(self.deposit_count)

    def failed(self, failure: ErrorClass | None) -> "Bucket":
        """The bucket after a failure of a kind that is tried again, whether or not it is."""
        return self._given(-self.cost_of(failure)) if self.charges_failures else self

    def repeated(self, failure: ErrorClass | None) -> "Bucket":
        """The bucket after a repeat that it lets through, after that failure."""
        return self if self.charges_failures else self._given(-self.cost_of(failure))

    def succeeded(self, *, is_repeat: bool = False, failure: ErrorClass | None = None) -> "Bucket":
        """The bucket after a success; of a repeat, after the failure that was repeated."""
        returned = is_repeat and self.returns_cost
        return self._given(self.cost_of(failure) if returned else self.refund_count)

    def _given(self, count: float) -> "Bucket":
        """Never fuller than at the start, never less than empty."""
        token_count = min(self.token_count_max, max(0, round(self.token_count + count, DIGITS)))
        return replace(self, token_count=token_count)
