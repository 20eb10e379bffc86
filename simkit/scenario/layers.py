"""A layer that passes a call down and may repeat it: which failures, how often, and what holds it back."""

from dataclasses import dataclass

from simkit.choices import AskedWait, BeyondLongest, KeyMinted
from simkit.distributions import Backoff, Wait, longer_of
from simkit.errors import ScenarioError
from simkit.scenario.ranges import insist_on_count, insist_on_duration, insist_on_fraction
from simkit.terms import ErrorClass, LayerName, OnExhausted

__all__ = [
    "CircuitBreaker",
    "RetryAfter",
    "RetryLayer",
    "RetryPolicy",
    "RetryRule",
    "RetryShare",
    "TokenBucket",
]

TRANSPORT = (ErrorClass.CONNECTION_REFUSED, ErrorClass.CONNECTION_CLOSED, ErrorClass.TIMEOUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryRule:
    """Further failures that are tried again, under conditions of their own.

    Parameters
    ----------
    failures
        What is tried again.
    methods
        Only of calls of these methods; None where the method does not matter.
    only_with_retry_after
        Only where the answer asks for a wait.
    """

    failures: tuple[ErrorClass, ...]
    methods: tuple[str, ...] | None = None
    only_with_retry_after: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryAfter:
    """What a layer makes of an answer that asks for a wait.

    Parameters
    ----------
    waits
        The longer one of both, or the asked one alone.
    longest_s
        Longest asked wait that it makes, in seconds; None where there is none.
    beyond
        What it does where a longer one is asked for.
    scale_min, scale_max, added_s_max
        Jitter on the asked wait, as of a backoff.
    """

    waits: AskedWait
    longest_s: float | None = None
    beyond: BeyondLongest = BeyondLongest.CAP
    scale_min: float = 1.0
    scale_max: float = 1.0
    added_s_max: float = 0.0

    def __post_init__(self) -> None:
        insist_on_duration("retry_after.longest_s", self.longest_s)
        insist_on_duration("retry_after.added_s_max", self.added_s_max)
        if not 0 <= self.scale_min <= self.scale_max < float("inf"):
            message = f"retry_after: 0 <= scale_min <= scale_max; got {self.scale_min}, {self.scale_max}"
            raise ScenarioError(message)
        if self.scale_min < self.scale_max and self.added_s_max > 0:
            message = (
                "retry_after: scale_min below scale_max and added_max above 0 exclude each other: one kind of jitter"
            )
            raise ScenarioError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBucket:
    """Retries are paid from a bucket that all calls of the layer share; an empty one stops them.

    Parameters
    ----------
    token_count_max
        Tokens at the start, and the most there ever are.
    cost_count
        Tokens that one retry takes, or one failure where those are charged.
    cost_count_overloaded
        The same after an answer that says overloaded; None where it costs the same.
    refund_count
        Tokens that a success gives back; where a retry's cost is returned, a success of the first attempt.
    returns_cost
        Whether a success of a retry gives back what that retry cost.
    deposit_count
        Tokens that each call brings.
    charges_failures
        Whether each failure of a kind that is tried again is charged, the last one too, and not each retry.
    above_count
        A retry needs more tokens than this; None where it needs what it costs.
    """

    token_count_max: float
    cost_count: float
    refund_count: float
    cost_count_overloaded: float | None = None
    returns_cost: bool = False
    deposit_count: float = 0.0
    charges_failures: bool = False
    above_count: float | None = None

    def __post_init__(self) -> None:
        names = (
            "token_count_max",
            "cost_count",
            "refund_count",
            "cost_count_overloaded",
            "deposit_count",
            "above_count",
        )
        for name in names:
            value = getattr(self, name)
            if value is not None and not 0 <= value < float("inf"):
                message = f"token_bucket.{name} is finite and at least 0, got {value}"
                raise ScenarioError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitBreaker:
    """After so many failures in a row nothing is sent for a while; then one call tries."""

    failure_count: int
    open_s: float

    def __post_init__(self) -> None:
        insist_on_count("circuit_breaker.failure_count", self.failure_count, 1)
        insist_on_duration("circuit_breaker.open_s", self.open_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryShare:
    """Retries may be at most this fraction of the calls of the layer so far, and `count_min` in any case."""

    fraction: float
    count_min: int

    def __post_init__(self) -> None:
        insist_on_fraction("retry_share.fraction", self.fraction)
        insist_on_count("retry_share.count_min", self.count_min, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How somebody who passes a call down repeats it.

    Parameters
    ----------
    attempts
        Tries in all, from 1; None where they have no end of their own.
    timeout_s
        How long one try is waited for; None waits for ever. What that does to the work below is a
        property of the hop.
    backoff
        Wait between a failed try and the next: the same before each, or by a formula.
    budget_s
        No try starts so long after the layer's first, or later; None where there is no such limit. A library that
        reckons beforehand gives up without waiting; here the wait is made first, in vain. So there are as many
        tries, and what is said upward comes later by that one wait.
    on_exhausted
        What is said upward, or to the user, when no try is left while the outcome is open.
    retries_on
        The failures that are tried again. The agent tries whatever is open again, unless it lists others
        than these usual ones: then it tries those alone.
    methods
        Only calls of these methods are tried again; None where the method does not matter.
    rules
        Further failures, each under conditions of its own.
    backoff_overloaded
        The wait after an answer that says overloaded; None where it is the same.
    retry_after
        What becomes of the wait that an answer asks for; None where it is ignored.
    concurrent_retry_count_max
        Retries of all its calls that may be under way at once, each from before its wait until its answer; None
        where there is no limit.
    mints_key
        For what it mints a key of its own, where the call bears none; None where it mints none. Only the SDK that
        sends to a system of record does: no server looks at a key that somebody above it minted.
    """

    attempts: int | None
    timeout_s: float | None
    backoff: Wait | Backoff
    budget_s: float | None
    on_exhausted: OnExhausted
    retries_on: tuple[ErrorClass, ...] = TRANSPORT
    methods: tuple[str, ...] | None = None
    rules: tuple[RetryRule, ...] = ()
    backoff_overloaded: Backoff | None = None
    retry_after: RetryAfter | None = None
    token_bucket: TokenBucket | None = None
    circuit_breaker: CircuitBreaker | None = None
    retry_share: RetryShare | None = None
    concurrent_retry_count_max: int | None = None
    mints_key: KeyMinted | None = None

    @property
    def repeats(self) -> bool:
        """Whether it may send a call more than once."""
        return self.attempts is None or self.attempts > 1

    @property
    def is_throttled(self) -> bool:
        """Whether its calls share something that may hold one of them back."""
        shared = (self.token_bucket, self.circuit_breaker, self.retry_share, self.concurrent_retry_count_max)
        return shared != (None, None, None, None)

    @property
    def lists_its_failures(self) -> bool:
        """Whether it names other failures than the usual ones of the transport."""
        return self.retries_on != TRANSPORT or bool(self.rules)

    def is_retried(self, failure: ErrorClass | None, method: str, *, asks_to_wait: bool = False) -> bool:
        """Whether a call of that method is tried again after that failure, as far as no limit stops it."""
        if failure in self.retries_on and _is_among(method, self.methods):
            return True
        return any(
            failure in rule.failures
            and _is_among(method, rule.methods)
            and (asks_to_wait or not rule.only_with_retry_after)
            for rule in self.rules
        )

    def repeats_method(self, method: str) -> bool:
        """Whether calls of that method are tried again after any failure at all."""
        return _is_among(method, self.methods) or any(_is_among(method, rule.methods) for rule in self.rules)

    def backoff_after(self, failure: ErrorClass | None) -> Wait | Backoff:
        """The formula of the waits after that failure."""
        overloaded = self.backoff_overloaded if failure is ErrorClass.OVERLOADED else None
        return self.backoff if overloaded is None else overloaded

    def wait_before(
        self, retry_number: int, failure: ErrorClass | None = None, previous_s: float | None = None
    ) -> Wait:
        """The backoff before a retry, 1 for the second attempt; `previous_s` is as of `Backoff.wait`."""
        backoff = self.backoff_after(failure)
        return backoff if isinstance(backoff, Wait) else backoff.wait(retry_number, previous_s)

    def has_after(self, attempt_number: int) -> bool:
        """Whether the policy has another try after that one, from 1."""
        return self.attempts is None or attempt_number < self.attempts

    def wait_asked(self, backoff: Wait, asked_s: float) -> Wait:
        """The wait before a retry whose answer asked for one; 0 where it asked for none."""
        asked = self.retry_after
        if asked is None or asked_s == 0:
            return backoff
        if asked.longest_s is not None and asked_s > asked.longest_s:
            if asked.beyond is not BeyondLongest.CAP:
                return backoff
            asked_s = asked.longest_s
        wait = Backoff(
            first_s=asked_s, scale_min=asked.scale_min, scale_max=asked.scale_max, added_s_max=asked.added_s_max
        ).wait(1)
        return wait if asked.waits is AskedWait.INSTEAD else longer_of(backoff, wait)

    def stops_asked(self, asked_s: float) -> bool:
        """Whether it gives up because an answer asks for more than it is willing to wait."""
        asked = self.retry_after
        if asked is None or asked.longest_s is None or asked.beyond is not BeyondLongest.STOP:
            return False
        return asked_s > asked.longest_s

    def longest_silence_s(self, asked_s: float) -> float:
        """The longest wait before a retry that is made, where answers ask for as much; infinity where there is none.

        After a wait that is longer than the budget nothing is sent.
        """
        longest_s = max(self.longest_backoff_s(), self.wait_asked(Wait.of(0.0), asked_s).s_max)
        return longest_s if self.attempts is not None or self.budget_s is None else min(longest_s, self.budget_s)

    def longest_backoff_s(self) -> float:
        """The longest single backoff, in seconds; infinity where it grows without an end."""
        retry_count = None if self.attempts is None else self.attempts - 1
        backoffs = [one for one in (self.backoff, self.backoff_overloaded) if one is not None]
        return max(one.s_max if isinstance(one, Wait) else one.longest_s(retry_count) for one in backoffs)


def _is_among(method: str, methods: tuple[str, ...] | None) -> bool:
    return methods is None or method in methods


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryLayer(RetryPolicy):
    """One of the layers of a scenario, with its policy."""

    name: LayerName

    def __post_init__(self) -> None:
        if self.attempts is not None:
            insist_on_count(f"{self.name}.attempts", self.attempts, 1)
        insist_on_duration(f"{self.name}.timeout_s", self.timeout_s)
        insist_on_duration(f"{self.name}.budget_s", self.budget_s)
        if self.concurrent_retry_count_max is not None:
            insist_on_count(f"{self.name}.concurrent_retry_count_max", self.concurrent_retry_count_max, 0)
