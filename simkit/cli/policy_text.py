"""A retry policy of the catalog in lines for a terminal: what its code says, and what is acted out of it."""

from collections.abc import Iterator

from simkit.catalog import IDEMPOTENT, PolicyEntry, first_waits, longest_time, retry_rows
from simkit.choices import AskedWait
from simkit.cli.entry_text import failure_words, headed, marked, support_lines, time_words, wait_words
from simkit.cli.formula_text import formula_words
from simkit.distributions import Backoff, Wait
from simkit.scenario import Queue, RetryPolicy
from simkit.terms import ErrorClass

__all__ = ["policy_lines"]

WAITS_SHOWN = 4


def policy_lines(entry: PolicyEntry) -> Iterator[str]:
    """The entry as somebody reads it: what is tried again, after which wait, until when, and what is guessed."""
    yield f"{entry.id}: {entry.name} ({entry.kind}), a retry policy"
    yield from headed("Part of", f"{entry.package} {entry.version}")
    yield from headed("In place of", ", ".join(entry.takes_place_of) or "none of the layers")
    yield from headed("", entry.summary)
    yield ""
    yield "What is documented, and beneath it what a scenario acts out"
    policy = entry.behaviour
    for label, documented, acted_out in (
        ("Tried again", entry.retried, () if policy is None else (_attempts(entry, policy),)),
        ("Waits", entry.waits, () if policy is None else tuple(_waits(entry, policy))),
        ("Budget", entry.budget, () if policy is None else tuple(_limits(entry, policy))),
        ("Retry-After", entry.retry_after, () if policy is None else (_asked(entry, policy),)),
        ("Key", entry.key, () if policy is None else (_key(entry, policy),)),
    ):
        yield from headed(label, documented, *(f"> {text}" for text in acted_out))
    if entry.queue is not None:
        yield from headed("Queue", *(f"> {text}" for text in _queue(entry, entry.queue)))
    if policy is not None:
        yield ""
        yield from _table(policy)
    if entry.variants:
        yield ""
        yield from headed("Variants", *(f"- {text}" for text in entry.variants))
    yield from support_lines(entry)


def _field(entry: PolicyEntry, text: str, name: str) -> str:
    return marked(text, f"behaviour.{name}", entry.guessed)


def _attempts(entry: PolicyEntry, policy: RetryPolicy) -> str:
    tries = "no end" if policy.attempts is None else f"{policy.attempts} in all"
    timeout = "without a limit" if policy.timeout_s is None else f"for {time_words(policy.timeout_s)}"
    return (
        f"{_field(entry, f'attempts: {tries}', 'attempts')}; each is waited for {_field(entry, timeout, 'timeout')}; "
        f"in the end: {_field(entry, str(policy.on_exhausted), 'on_exhausted')}"
    ).replace("waited for for", "waited for")


def _waits(entry: PolicyEntry, policy: RetryPolicy) -> Iterator[str]:
    yield _field(entry, _law(policy.backoff), "backoff")
    waits = first_waits(policy, WAITS_SHOWN)
    if waits:
        yield f"before retry {_numbered(waits)}"
    if policy.backoff_overloaded is not None:
        overloaded = first_waits(policy, WAITS_SHOWN, ErrorClass.OVERLOADED)
        yield _field(entry, f"after a 429: {_law(policy.backoff_overloaded)}", "backoff_overloaded")
        if overloaded:
            yield f"before retry {_numbered(overloaded)}"
    longest = longest_time(policy)
    on_top = ", and whatever Retry-After asks for on top" if longest.asked_on_top else ""
    yield f"longest time of a call, tries and waits together: {time_words(longest.longest_s)}{on_top}"


def _law(backoff: Wait | Backoff) -> str:
    return formula_words(backoff) if isinstance(backoff, Backoff) else f"{wait_words(backoff)} before each"


def _numbered(waits: tuple[Wait, ...]) -> str:
    return ", ".join(f"{number}: {wait_words(wait)}" for number, wait in enumerate(waits, start=1))


def _limits(entry: PolicyEntry, policy: RetryPolicy) -> Iterator[str]:
    budget = "none" if policy.budget_s is None else f"no try starts later than {time_words(policy.budget_s)}"
    yield f"time: {_field(entry, budget, 'budget')}"
    bucket, breaker, share = policy.token_bucket, policy.circuit_breaker, policy.retry_share
    if bucket is not None:
        charged = "a failure" if bucket.charges_failures else "a retry"
        parts = [f"bucket of {bucket.token_count_max:g} tokens for all calls: {bucket.cost_count:g} for {charged}"]
        if bucket.cost_count_overloaded is not None:
            parts.append(f"{bucket.cost_count_overloaded:g} for one after a 429")
        if bucket.above_count is not None:
            parts.append(f"stops unless there are more than {bucket.above_count:g}")
        if bucket.deposit_count:
            parts.append(f"each call brings {bucket.deposit_count:g}")
        parts.append(f"a success gives {bucket.refund_count:g} back{', or what its retry cost' * bucket.returns_cost}")
        yield _field(entry, ", ".join(parts), "token_bucket")
    if breaker is not None:
        text = f"circuit breaker: open for {time_words(breaker.open_s)} after {breaker.failure_count} failures in a row"
        yield _field(entry, text, "circuit_breaker")
    if share is not None:
        text = f"retries: at most {share.fraction:.0%} of all calls, and {share.count_min} in any case"
        yield _field(entry, text, "retry_share")
    if policy.concurrent_retry_count_max is not None:
        text = f"retries under way at once: at most {policy.concurrent_retry_count_max}"
        yield _field(entry, text, "concurrent_retry_count_max")


def _asked(entry: PolicyEntry, policy: RetryPolicy) -> str:
    asked = policy.retry_after
    if asked is None:
        return _field(entry, "ignored", "retry_after")
    waits = "waited instead of the backoff" if asked.waits is AskedWait.INSTEAD else "waited where it is longer"
    up_to = "" if asked.longest_s is None else f", up to {time_words(asked.longest_s)}; beyond that: {asked.beyond}"
    return _field(entry, f"{waits}{up_to}", "retry_after")


def _key(entry: PolicyEntry, policy: RetryPolicy) -> str:
    minted = "none is minted" if policy.mints_key is None else f"one is minted {policy.mints_key}"
    return _field(entry, minted, "mints_key")


def _queue(entry: PolicyEntry, queue: Queue) -> Iterator[str]:
    text = (
        f"due after {wait_words(queue.delay)}, kept by the {queue.held_by} until then; handed out again after "
        f"{time_words(queue.visibility_timeout_s)} without an acknowledgement, {queue.delivery_count_max} times at "
        f"most; acknowledged {queue.acknowledges}"
    )
    yield marked(text, "queue", entry.guessed)


def _table(policy: RetryPolicy) -> Iterator[str]:
    yield f"{'tried again after':20}{'POST':8}{', '.join(IDEMPOTENT)}"
    if not policy.repeats:
        yield f"{'anything':20}{'no':8}no"
        return
    for row in retry_rows(policy):
        idempotent = "yes" if row.idempotent_methods == IDEMPOTENT else ", ".join(row.idempotent_methods) or "no"
        asked = "  only if the answer asks for a wait" if row.only_if_asked else ""
        yield f"{failure_words(row.failure):20}{'yes' if row.write else 'no':8}{idempotent}{asked}"
