"""A policy of the catalog, under a fault that lasts, sends as many writes as the real code was seen to send.

The table `counted_writes.txt` stands in the tests alone: what is simulated follows from the entry, from its
formula, its classes of errors and its limits. The entry stands in the place that it may take, in a world with
nothing else that repeats.
"""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from simkit.catalog import policy_content
from simkit.contract.catalog_file import parse_policy
from simkit.distributions import Wait
from simkit.records import Effect
from simkit.scenario import TO_DOWNSTREAM, RetryLayer, RetryPolicy, RetryRule
from simkit.terms import ErrorClass, LayerName
from simkit.world import run_concrete
from tests.builders import (
    FaultsAt,
)
from tests.catalog.policy_worlds import READ_FIRST, failing, hop_below, layer_with, run_of, sent_count, world_with

__all__: list[str] = []

SHORT_S = 0.1
"""Timeout of the runs against a server that hangs: many policies have none, and the others would take minutes."""

REFUSED, CLOSED, TIMEOUT = ErrorClass.CONNECTION_REFUSED, ErrorClass.CONNECTION_CLOSED, ErrorClass.TIMEOUT
OVERLOADED, CONFLICT = ErrorClass.OVERLOADED, ErrorClass.CONFLICT
GATEWAY_ERRORS = (ErrorClass.BAD_GATEWAY, ErrorClass.UNAVAILABLE, ErrorClass.GATEWAY_TIMEOUT)
SERVER_ERRORS = (ErrorClass.SERVER_ERROR, *GATEWAY_ERRORS)
IDEMPOTENT = ("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE")

VARIANTS: MappingProxyType[str, dict[str, Any]] = MappingProxyType(
    {
        "-": {},
        "1-attempt": {"attempts": 1},
        "4-attempts": {"attempts": 4},
        "dynamodb": {},  # four attempts by "standard", ten by "legacy"
        "every-handler": {"retries_on": (REFUSED, CLOSED, OVERLOADED)},
        "4-each-timed": {"attempts": 4, "retries_on": (REFUSED, CLOSED, TIMEOUT, *SERVER_ERRORS)},
        "4-on-reset": {"attempts": 4, "retries_on": (REFUSED, CLOSED, TIMEOUT)},
        "4-on-gateway-error": {"attempts": 4, "retries_on": (REFUSED, CLOSED, TIMEOUT, *GATEWAY_ERRORS)},
        "4-on-409": {"attempts": 4, "retries_on": (CONFLICT,)},
        "without-503": {"retries_on": (REFUSED,)},
        "every-status": {"retries_on": (REFUSED, CLOSED, TIMEOUT, OVERLOADED, *SERVER_ERRORS)},
        "statuses": {"rules": (RetryRule(failures=(CLOSED, TIMEOUT, OVERLOADED, *SERVER_ERRORS), methods=IDEMPOTENT),)},
        "spares-post": {
            "retries_on": (REFUSED,),
            "rules": (RetryRule(failures=(CLOSED, TIMEOUT, *SERVER_ERRORS), methods=IDEMPOTENT),),
        },
    }
)
DYNAMODB_ATTEMPTS = MappingProxyType({"botocore-standard-v2": 4, "botocore-legacy": 10})


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of the table: writes received, by what failed."""

    policy: str
    variant: str
    method: str
    counts: MappingProxyType[str, int]


def rows() -> tuple[Row, ...]:
    """All lines of the table."""
    lines = Path(__file__).with_name("counted_writes.txt").read_text(encoding="utf-8").splitlines()
    head, *body = (line.split() for line in lines if not line.startswith("#"))
    return tuple(
        Row(
            policy=policy,
            variant=variant,
            method=method,
            counts=MappingProxyType(
                {fault: int(count) for fault, count in zip(head[3:], counts, strict=True) if count != "-"}
            ),
        )
        for policy, variant, method, *counts in body
    )


@cache
def place_and_policy(name: str) -> tuple[LayerName, RetryPolicy]:
    """The layer that an entry first of all stands for, and what it does there."""
    entry = parse_policy(policy_content(name), file=name)
    assert entry.behaviour is not None
    return entry.takes_place_of[0], entry.behaviour


def layer_of(row: Row) -> RetryLayer:
    """The policy of a line in its place."""
    changes = dict(VARIANTS[row.variant])
    if row.variant == "dynamodb":
        changes["attempts"] = DYNAMODB_ATTEMPTS[row.policy]
    return layer_with(*place_and_policy(row.policy), **changes)


def counted(row: Row, fault: str) -> int:
    """Writes of a line's policy that arrive where each fails in that way.

    Where the request was read before it failed, these are the effects; otherwise the attempts are counted.
    """
    layer = layer_of(row)
    if fault == "hang":
        layer = replace(layer, timeout_s=SHORT_S)
    journal = run_of(failing(world_with(layer, row.method), layer, fault))
    return len(journal.of(Effect)) if fault in READ_FIRST else sent_count(layer, journal)


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.policy} {row.variant} {row.method}")
def test_a_policy_sends_as_many_writes_as_its_real_code_did(row: Row) -> None:
    simulated = {fault: counted(row, fault) for fault in row.counts}

    assert simulated == dict(row.counts)


def tries_within(deadline_s: float, waits_s: np.ndarray) -> np.ndarray:
    """How many tries begin in time where they cost none: one, and one more after each wait that ends in time."""
    in_time = np.cumsum(waits_s, axis=1) < deadline_s
    return np.asarray(1 + in_time.sum(axis=1))


def test_the_tries_within_two_minutes_are_as_many_as_were_seen() -> None:
    """The limit is a time and the waits are drawn, so that the counts are a matter of luck.

    Seen, where failures took no time: a mean of 9.6, at most 12 in 95 of 100 calls, 8 to 13 in two dozen calls.
    """
    retries = np.arange(40)
    drawn = tries_within(120.0, np.random.default_rng(5).random((20_000, 40)) * np.minimum(2.0**retries, 60.0))
    longest = tries_within(120.0, np.minimum(2.0**retries, 60.0)[None, :])[0]

    counts = np.array([])
    for name in ("google-api-core-default", "gcs-python"):
        layer = layer_of(Row(policy=name, variant="-", method="POST", counts=MappingProxyType({})))
        scenario = failing(world_with(layer), layer, "503")
        counts = np.append(counts, [sent_count(layer, run_of(scenario, luck)) for luck in range(200)])

    assert longest == 7  # 1 + 2 + 4 + 8 + 16 + 32 s are less than 120 s, with 60 s more they are not
    assert counts.min() >= longest
    assert (round(drawn.mean(), 1), np.quantile(drawn, 0.95)) == (9.6, 12)
    assert abs(counts.mean() - drawn.mean()) < 4 * drawn.std() / np.sqrt(counts.size)
    assert np.quantile(drawn, 0.0005) <= 8
    assert np.quantile(drawn, 0.9995) >= 13


@pytest.mark.parametrize(
    ("name", "luck_count", "fewest", "most"),
    (("gapic-firestore-commit", 25, 21, 27), ("gapic-spanner-commit", 3, 212, 270)),  # of 4,000 draws, 0.1 s for a try
)
def test_the_tries_until_a_deadline_lie_in_the_range_that_was_drawn(
    name: str, luck_count: int, fewest: int, most: int
) -> None:
    layer = layer_of(Row(policy=name, variant="-", method="POST", counts=MappingProxyType({})))
    scenario = failing(world_with(layer), layer, "503")
    slow = replace(scenario.hop(TO_DOWNSTREAM), request=Wait.of(0.05), response=Wait.of(0.05), latest_landing_s=0.05)
    scenario = replace(scenario, hops=tuple(slow if hop.name == slow.name else hop for hop in scenario.hops))

    counts = [sent_count(layer, run_of(scenario, luck)) for luck in range(luck_count)]

    assert fewest <= min(counts) <= max(counts) <= most


@pytest.mark.parametrize("name", ("tenacity-default", "backoff-default", "temporal-activity", "finagle-retry-budget"))
def test_a_policy_without_an_end_goes_on_until_the_fault_has_gone(name: str) -> None:
    layer = layer_of(Row(policy=name, variant="-", method="POST", counts=MappingProxyType({})))
    scenario = failing(world_with(layer), layer, "refuse")
    path = "" if layer.name is LayerName.AGENT else "1/"
    faults = FaultsAt(*(f"{hop_below(layer)}.connection_refused@{path}{number}" for number in range(1, 6)))

    journal = run_concrete(scenario, faults).journal

    assert sent_count(layer, journal) == 6  # the sixth finds it well
    assert len(journal.of(Effect)) == 1
