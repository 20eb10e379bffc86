"""Arrays of luck, in code that shares nothing with simkit, count what simkit enumerates; a doubled rate they tell."""

from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import pytest
from scipy.stats import binomtest

from simkit.scenario import Scenario, SiteRate
from tests.builders import conditions_with, engine_policy
from tests.oracles.agreement import EVENTS, happened
from tests.oracles.enumerated import all_leaves, exact_ranges
from tests.oracles.policy_in_numpy import SITES, Counted, counted

__all__: list[str] = []

SIMKIT_SITES = (
    "gateway_to_server.request_lost",
    "server.before_reservation",
    "server.after_reservation",
    "server_to_downstream.request_lost",
    "server.after_effect",
    "server.after_receipt",
    "gateway_to_server.response_lost",
    "readback.cannot_tell",
)

# High, so that some 100,000 operations show rare things often; and all different, so that no two can be mistaken.
RATES = MappingProxyType(dict(zip(SITES, (0.06, 0.09, 0.12, 0.15, 0.18, 0.08, 0.11, 0.2), strict=True)))

OPERATION_COUNT = 200_000

CONFIDENCE = 1 - 1e-6
"""Of each interval: with another seed, one in some ten thousand runs of this file would fail."""


def raised(number: int) -> Scenario:
    """A policy of the example with the rates above."""
    rates = tuple(
        SiteRate(site=site, probability=rate, source="given")
        for site, rate in zip(SIMKIT_SITES, RATES.values(), strict=True)
    )
    return conditions_with(engine_policy(number), rates=rates)


def enumerated(number: int) -> dict[str, Fraction]:
    """What simkit gets, by event; nothing is left open."""
    scenario = raised(number)
    ranges = exact_ranges(scenario, all_leaves(scenario), happened)
    assert all(least == most for least, most in ranges)
    return dict(zip(EVENTS, (least for least, _ in ranges), strict=True))


def is_consistent(hit_count: int, probability: Fraction) -> bool:
    """Whether a probability lies in the exact binomial interval (Clopper and Pearson) of what was counted."""
    interval = binomtest(hit_count, OPERATION_COUNT).proportion_ci(CONFIDENCE, method="exact")
    return bool(interval.low <= probability <= interval.high)


def disagreements(found: Counted, exact: dict[str, Fraction]) -> list[str]:
    """Events whose count does not fit."""
    counts = {
        "more than one effect": found.duplicates,
        "not acknowledged": found.not_acknowledged,
        "no effect": found.without_effect,
    }
    return [event for event, count in counts.items() if not is_consistent(count, exact[event])]


@pytest.mark.parametrize("number", (2, 3))
def test_a_count_in_arrays_agrees_with_the_enumeration_within_its_interval(number: int) -> None:
    exact = enumerated(number)

    found = counted(RATES, question_count=number - 1, operation_count=OPERATION_COUNT, seed=20_261_130)

    assert found.duplicates > 500
    assert disagreements(found, exact) == []


def test_a_count_in_arrays_tells_when_the_rate_of_any_site_is_doubled() -> None:
    exact = enumerated(2)

    unnoticed = []
    for site in SITES:
        rates = {**RATES, site: 2 * RATES[site]}
        found = counted(rates, question_count=1, operation_count=OPERATION_COUNT, seed=20_261_130)
        if not disagreements(found, exact):
            unnoticed.append(site)

    assert unnoticed == []


def test_the_arrays_share_no_code_with_simkit() -> None:
    source = (Path(__file__).resolve().parent / "policy_in_numpy.py").read_text(encoding="utf-8")

    imports = [line for line in source.splitlines() if line.startswith(("import ", "from "))]

    assert not [line for line in imports if "simkit" in line or "tests" in line]
    assert "import numpy as np" in imports
