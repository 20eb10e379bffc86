"""New rates without a run: against an exact recursion, fresh enumerations, and differences of them."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simkit.errors import ScenarioError
from simkit.scenario import Scenario, SiteRate
from simkit.study.probability import probability
from simkit.study.probability.table import RatePolynomial, curve, elasticities, leaf_table
from simkit.terms import Driver, Promise
from tests.builders import conditions_with, engine_policy, rates_at
from tests.study.probability.recursion import ENGINE_DUPLICATE_SITES, duplicate_probability
from tests.study.probability.replicas import two_replicas_with_own_memory

__all__: list[str] = []

DUPLICATES = (Promise.AT_MOST_ONE_EFFECT,)
LOOK_UPS = {1: 0, 2: 1, 3: 2}

Rates = Mapping[str, float]


POLICY_TWO, REPLICAS = engine_policy(2), two_replicas_with_own_memory()


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return leaf_table(POLICY_TWO, fault_budget=None)


@pytest.fixture(scope="module")
def table_with_picks() -> pd.DataFrame:
    return leaf_table(REPLICAS, fault_budget=None)


def at(scenario: Scenario, rates: Rates) -> Scenario:
    """The same world at other rates."""
    given_rates = tuple(
        SiteRate(site=rate.site, probability=rates.get(rate.site, rate.probability), source="given")
        for rate in scenario.conditions.rates
    )
    return conditions_with(scenario, rates=given_rates)


def some_rates(scenario: Scenario) -> st.SearchStrategy[Rates]:
    sites = [rate.site for rate in scenario.conditions.rates]
    return st.fixed_dictionaries({site: st.floats(0, 1) for site in sites})


def slope(rates: Rates, site: str) -> float:
    """Return d log P / d log p of policy 2, as a central difference of exact fractions."""
    step, exact = Fraction(1, 10**6), {name: Fraction(value) for name, value in rates.items()}

    def moved(factor: Fraction) -> Fraction:
        return duplicate_probability(1, exact | {site: exact[site] * factor}, 0.0)

    return float((moved(1 + step) - moved(1 - step)) / (2 * step * moved(Fraction(1))))


@pytest.mark.parametrize("number", (1, 2, 3))
def test_the_known_probabilities_follow_from_the_tables(number: int) -> None:
    scenario = engine_policy(number)

    bounds = RatePolynomial(leaf_table(scenario, fault_budget=None), DUPLICATES).bounds_at()

    assert bounds.lower == bounds.upper
    assert bounds.lower == pytest.approx(float(duplicate_probability(LOOK_UPS[number], 1e-3, 0.0)), rel=1e-12)


@settings(max_examples=25, deadline=None)
@given(rates=some_rates(POLICY_TWO))
def test_any_rates_give_what_an_exact_recursion_gives(table: pd.DataFrame, rates: Rates) -> None:
    bounds = RatePolynomial(table, DUPLICATES).bounds_at(rates)

    exact = duplicate_probability(1, {site: rates[site] for site in ENGINE_DUPLICATE_SITES}, 0.0)
    assert bounds.lower == bounds.upper == pytest.approx(float(exact), rel=1e-9, abs=1e-300)


@settings(max_examples=4, deadline=None)
@given(rates=some_rates(REPLICAS))
def test_any_rates_give_what_a_fresh_enumeration_gives_also_with_picks(
    table_with_picks: pd.DataFrame, rates: Rates
) -> None:
    bounds = RatePolynomial(table_with_picks, DUPLICATES).bounds_at(rates)

    fresh = probability(at(REPLICAS, rates), driver=Driver.ENUMERATED, promises=DUPLICATES).independent
    assert fresh is not None
    assert (bounds.lower, bounds.upper) == pytest.approx((fresh.lower, fresh.upper), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("share", (0.0, 0.25, 1.0))
def test_any_share_of_common_causes_gives_what_an_exact_recursion_gives(share: float) -> None:
    table = leaf_table(engine_policy(1), fault_budget=None, has_episodes=True)

    bounds = RatePolynomial(table, DUPLICATES).bounds_at(dict.fromkeys(table.attrs["rates"], 0.2), share=share)

    exact = float(duplicate_probability(0, 0.2, share))
    assert bounds.lower == bounds.upper == pytest.approx(exact, rel=1e-9, abs=1e-15)


def test_picks_leave_both_ends_as_backward_induction_finds_them(table_with_picks: pd.DataFrame) -> None:
    bounds = RatePolynomial(table_with_picks, DUPLICATES).bounds_at()

    fresh = probability(REPLICAS, driver=Driver.ENUMERATED, promises=DUPLICATES).independent
    assert fresh is not None
    assert bounds.lower < bounds.upper
    assert (bounds.lower, bounds.upper) == pytest.approx((fresh.lower, fresh.upper), rel=1e-12)


@pytest.mark.parametrize("scenario", (POLICY_TWO, REPLICAS))
def test_tables_up_to_a_number_of_faults_give_nested_bounds_around_the_full_value(scenario: Scenario) -> None:
    rates = dict.fromkeys((rate.site for rate in scenario.conditions.rates), 0.03)

    bounds = [
        RatePolynomial(leaf_table(scenario, fault_budget=budget), DUPLICATES).bounds_at(rates)
        for budget in (0, 1, 2, 3, None)
    ]

    full = bounds[-1]
    for outer, inner in pairwise(bounds):
        assert outer.lower <= inner.lower <= full.lower
        assert full.upper <= inner.upper <= outer.upper


def test_a_rate_of_zero_takes_a_site_away_and_a_rate_of_one_makes_it_certain(table: pd.DataFrame) -> None:
    """Duplicates need the crash and a failed look-up; with both certain, what is left is to get through twice.

    That is: the request arrives, the server lives before and after the reservation, and the request below arrives,
    in at least two of three attempts, since the first write always loses its receipt.
    """
    never = dict.fromkeys(table.attrs["rates"], 0.0)
    polynomial = RatePolynomial(table, DUPLICATES)
    lost = "gateway_to_server.request_lost"

    one_site = polynomial.bounds_at(never | {"server.after_effect": 1.0, "readback.cannot_tell": 1.0, lost: 0.25})

    assert polynomial.bounds_at({"server.after_effect": 0.0}).upper == 0.0
    assert one_site.lower == pytest.approx(0.75**3 + 3 * 0.75**2 * 0.25)


@pytest.mark.parametrize(
    ("rates", "problem"),
    (
        ({"server.after_effect": 1.5}, "lies in 0..1, got 1.5"),
        ({"server.after_effect": -0.1}, "lies in 0..1, got -0.1"),
        ({"server.before_lunch": 0.1}, "no site 'server.before_lunch'; sites: gateway_to_server.request_lost, "),
    ),
)
def test_rates_without_a_meaning_are_refused(table: pd.DataFrame, rates: Rates, problem: str) -> None:
    with pytest.raises(ScenarioError, match=problem):
        RatePolynomial(table, DUPLICATES).bounds_at(rates)


def test_an_unknown_rate_is_asked_for_by_name_and_can_be_given() -> None:
    scenario = conditions_with(engine_policy(1), rates=rates_at(None, "server.after_effect"))
    polynomial = RatePolynomial(leaf_table(scenario, fault_budget=None), DUPLICATES)

    with pytest.raises(ScenarioError, match=r"unknown: server\.after_effect"):
        polynomial.bounds_at()
    # One crash after the first effect is enough: the second attempt makes another.
    assert polynomial.bounds_at({"server.after_effect": 0.1}).upper == pytest.approx(0.1)


@pytest.mark.parametrize("common", (1e-3, 0.2))
def test_elasticities_are_the_slopes_of_exact_differences(table: pd.DataFrame, common: float) -> None:
    rates = dict.fromkeys(ENGINE_DUPLICATE_SITES, common)

    found = elasticities(table, promises=DUPLICATES, rates=rates).set_index("site")["elasticity"]

    for site in ENGINE_DUPLICATE_SITES:
        assert found[site] == pytest.approx(slope(rates, site), rel=1e-6, abs=1e-9)


def test_the_sites_to_blame_come_first(table: pd.DataFrame) -> None:
    found = elasticities(table, promises=DUPLICATES)

    assert set(found["site"][:2]) == {"server.after_effect", "readback.cannot_tell"}
    assert found["elasticity"][:2].to_numpy() == pytest.approx([1.0, 1.0], abs=1e-4)
    assert found["elasticity"][2:].abs().max() < 2e-3


def test_with_picks_the_elasticities_are_those_of_the_worst_picks(table_with_picks: pd.DataFrame) -> None:
    """Near enough, the best picks stay the best, so the upper end has a slope."""
    polynomial = RatePolynomial(table_with_picks, DUPLICATES)
    found = elasticities(table_with_picks, promises=DUPLICATES).set_index("site")["elasticity"]

    for site, value in table_with_picks.attrs["rates"].items():
        above, below = (polynomial.bounds_at({site: value * factor}).upper for factor in (1 + 1e-5, 1 - 1e-5))
        assert found[site] == pytest.approx((above - below) / (2e-5 * polynomial.bounds_at().upper), abs=1e-6)


def test_what_cannot_happen_follows_no_rate(table: pd.DataFrame) -> None:
    found = elasticities(table, promises=DUPLICATES, rates={"server.after_effect": 0.0})

    assert found["elasticity"].isna().all()


def test_at_a_rate_of_one_the_elasticity_is_that_from_just_below(table: pd.DataFrame) -> None:
    rates = dict.fromkeys(ENGINE_DUPLICATE_SITES, 0.2) | {"readback.cannot_tell": 1.0}

    found = elasticities(table, promises=DUPLICATES, rates=rates).set_index("site")["elasticity"]

    assert found["readback.cannot_tell"] == pytest.approx(slope(rates, "readback.cannot_tell"), rel=1e-6)


def test_a_curve_has_a_row_for_each_rate(table: pd.DataFrame) -> None:
    found = curve(table, "readback.cannot_tell", [0.0, 0.5, 1.0], promises=DUPLICATES)

    assert list(found.columns) == ["rate_probability", "lower_probability", "upper_probability"]
    assert found["lower_probability"].tolist() == found["upper_probability"].tolist()
    for value, lower in zip(found["rate_probability"], found["lower_probability"], strict=True):
        rates = dict.fromkeys(ENGINE_DUPLICATE_SITES, 1e-3) | {"readback.cannot_tell": value}
        assert lower == pytest.approx(float(duplicate_probability(1, rates, 0.0)), rel=1e-9)


def test_merging_rows_changes_no_value(table: pd.DataFrame) -> None:
    """Row by row, with powers in place of exponentials."""
    rates = dict(zip(table.attrs["rates"], np.linspace(0.05, 0.4, 8), strict=True))
    rows = np.ones(len(table))
    for site, value in rates.items():
        failed = table[f"{site}.failed"].to_numpy()
        rows *= value**failed * (1 - value) ** (table[f"{site}.passed"].to_numpy() - failed)
    polynomial = RatePolynomial(table, DUPLICATES)

    is_broken = (table[str(DUPLICATES[0])] == "broken").to_numpy()
    assert polynomial.bounds_at(rates).upper == pytest.approx(rows[is_broken].sum(), rel=1e-12)
    assert polynomial.monomial_count < is_broken.sum()


def test_a_table_that_says_nothing_about_a_promise_is_refused(table: pd.DataFrame) -> None:
    with pytest.raises(ScenarioError, match="the table says nothing about 'at most one effect'"):
        RatePolynomial(table.drop(columns=str(DUPLICATES[0])), DUPLICATES)


def test_a_frame_that_lost_its_attrs_is_refused(table: pd.DataFrame) -> None:
    bare = pd.DataFrame(table.to_dict("list"))

    with pytest.raises(ScenarioError, match="attrs have no common_cause_share, is_complete, rates"):
        RatePolynomial(bare, DUPLICATES)
