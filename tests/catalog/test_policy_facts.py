"""What follows from a retry policy without running it: rows by method, first waits, longest time."""

import math
from dataclasses import replace
from typing import Any

from simkit.catalog import first_waits, longest_time, retry_rows
from simkit.choices import AskedWait
from simkit.distributions import Backoff, Wait
from simkit.scenario import RetryAfter, RetryPolicy, RetryRule
from simkit.terms import ErrorClass, OnExhausted

__all__: list[str] = []


def a_policy(**changes: Any) -> RetryPolicy:
    policy = RetryPolicy(
        attempts=3,
        timeout_s=10.0,
        backoff=Backoff(first_s=1.0, factor=2.0),
        budget_s=None,
        on_exhausted=OnExhausted.SAY_LAST,
    )
    return replace(policy, **changes)


def test_a_rule_for_some_methods_gives_a_row_for_these_alone() -> None:
    asked = RetryRule(failures=(ErrorClass.OVERLOADED,), only_with_retry_after=True)
    policy = a_policy(methods=("GET", "PUT"), rules=(asked,))

    rows = {row.failure: row for row in retry_rows(policy)}

    assert (rows[ErrorClass.TIMEOUT].write, rows[ErrorClass.TIMEOUT].idempotent_methods) == (False, ("GET", "PUT"))
    assert (rows[ErrorClass.OVERLOADED].write, rows[ErrorClass.OVERLOADED].only_if_asked) == (True, True)
    assert rows[ErrorClass.SERVER_ERROR].idempotent_methods == ()


def test_there_are_as_many_first_waits_as_there_are_retries() -> None:
    assert first_waits(a_policy(), 4) == (Wait.of(1.0), Wait.of(2.0))
    assert first_waits(a_policy(attempts=1), 4) == ()


def test_the_longest_time_is_every_timeout_and_every_longest_wait() -> None:
    # Three tries of 10 s, and 1 s and 2 s between them.
    assert longest_time(a_policy()).longest_s == 33.0


def test_a_budget_ends_it_one_timeout_later_at_most() -> None:
    assert longest_time(a_policy(budget_s=12.0)).longest_s == 22.0


def test_nothing_ends_what_has_no_end_or_waits_for_ever() -> None:
    assert math.isinf(longest_time(a_policy(attempts=None)).longest_s)
    assert math.isinf(longest_time(a_policy(timeout_s=None)).longest_s)


def test_an_asked_wait_counts_up_to_its_cap_and_is_said_to_be_on_top_where_it_has_none() -> None:
    capped = a_policy(retry_after=RetryAfter(waits=AskedWait.INSTEAD, longest_s=60.0))
    free = a_policy(retry_after=RetryAfter(waits=AskedWait.INSTEAD))

    # Three tries of 10 s, and two asked waits of 60 s.
    assert (longest_time(capped).longest_s, longest_time(capped).asked_on_top) == (150.0, False)
    assert (longest_time(free).longest_s, longest_time(free).asked_on_top) == (33.0, True)
