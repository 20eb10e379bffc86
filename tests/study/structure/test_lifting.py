"""Which single change would lift the verdict: tried one by one, and the smallest of them said."""

import pytest

from simkit.scenario import Scenario
from simkit.study.margin_results import Lift, Margin
from simkit.study.structure.lifting import declared_changes, lifting_changes, smallest_change
from simkit.study.structure.margins import margins
from simkit.terms import ClaimKind, LayerName, StalePolicy, Verdict
from tests.builders import a_layer, a_readback, a_scenario, conditions_with, rates_at, server_with

__all__: list[str] = []


def run_again_when_stale() -> Scenario:
    """The server dies after the effect, and a repeat finds a stale reservation and runs again."""
    return conditions_with(
        server_with(a_scenario(), readback=a_readback()), rates=rates_at(None, "server.after_effect"), fault_budget=1
    )


def a_margin(**changes: object) -> Margin:
    """A retention that would lift `hold` to `allow` if it were 60 s and not 10 s."""
    fields: dict[str, object] = {
        "number": "server.retention.retention_s",
        "called": "server: retention",
        "is_given": False,
        "value_s": 10.0,
        "direction": "more",
        "flips_at_s": 60.0,
        "kept_to_s": 59.999999,
        "verdict_before": Verdict.HOLD,
        "verdict_beyond": Verdict.ALLOW,
        "is_verified": True,
        "is_exhaustive": True,
    }
    return Margin(**{**fields, **changes})  # type: ignore[arg-type]


def test_what_would_lift_it_is_found_among_the_declared_choices() -> None:
    lifts = lifting_changes(run_again_when_stale(), Verdict.HOLD, fault_budget=1)

    # Who sends once never meets the stale reservation; who holds or reads back does not run it again.
    changes = {lift.change for lift in lifts}
    assert {
        "agent: attempts 3 to 1",
        "server: stale 'run again' to 'hold'",
        "server: stale 'run again' to 'read back'",
    } <= changes
    assert all(lift.verdict is Verdict.ALLOW for lift in lifts)
    # Of the other write paths, with windows of their own in which it may die, only one has none after the effect.
    assert all("'one transaction'" in change for change in changes if "claim" in change)


def test_nothing_lifts_what_is_allowed() -> None:
    safe = server_with(run_again_when_stale(), stale=StalePolicy.HOLD)

    assert lifting_changes(safe, Verdict.ALLOW, fault_budget=1) == ()


def test_claim_and_order_change_together_since_one_without_the_other_has_no_meaning() -> None:
    changes = dict(declared_changes(run_again_when_stale()))

    (without,) = (words for words, changed in changes.items() if changed.server.claim is ClaimKind.NONE)
    assert (
        without == "server: claim 'unique reservation', order 'reservation, effect, receipt' to 'none', 'effect only'"
    )
    # Its windows are its own: one before the effect, and one after it.
    sites = [rate.site for rate in changes[without].conditions.rates]
    assert sites == ["server.before_effect", "server.after_effect"]


def test_every_declared_change_changes_the_scenario_and_nothing_is_tried_twice() -> None:
    scenario = run_again_when_stale()

    changes = list(declared_changes(scenario))

    assert len({words for words, _ in changes}) == len(changes)
    digests = {changed.digest() for _, changed in changes}
    assert len(digests) == len(changes)
    assert scenario.digest() not in digests


def test_a_number_that_somebody_sets_is_a_smaller_change_than_a_choice() -> None:
    once = Lift(change="agent: attempts 3 to 1", verdict=Verdict.ALLOW)

    assert smallest_change((a_margin(),), (once,)) == Lift(
        change="server: retention 10 s to 60 s", verdict=Verdict.ALLOW
    )
    # A twentieth more is less than six times as much.
    nearer = a_margin(called="agent: timeout", value_s=1000.0, flips_at_s=1050.0)
    assert smallest_change((a_margin(), nearer), ()) == Lift(
        change="agent: timeout 1,000 s to 1,050 s", verdict=Verdict.ALLOW
    )


@pytest.mark.parametrize(
    "margin",
    (
        a_margin(is_given=True),  # Nobody changes how slow a network is by declaring something else.
        a_margin(verdict_beyond=Verdict.DISABLE),
        a_margin(is_verified=False),
        a_margin(flips_at_s=None, verdict_beyond=None, is_verified=False),
    ),
)
def test_a_margin_that_lifts_nothing_for_sure_is_no_change_to_make(margin: Margin) -> None:
    once = Lift(change="agent: attempts 3 to 1", verdict=Verdict.ALLOW)

    assert smallest_change((margin,), (once,)) == once
    assert smallest_change((margin,), ()) is None


def test_the_smallest_change_of_a_scenario_comes_with_its_margins() -> None:
    scenario = run_again_when_stale()

    found = margins(scenario, fault_budget=1)

    # The agent hears of the crash after 27 ms, and would send again at once, but for a horizon that has passed then.
    assert found.smallest == Lift(change="retry horizon 100 s to 0.027 s", verdict=Verdict.ALLOW)
    assert {lift.change for lift in found.lifts} >= {"agent: attempts 3 to 1"}


def test_a_layer_that_sends_once_has_no_attempts_to_give_up() -> None:
    scenario = a_scenario(layers=(a_layer(LayerName.AGENT), a_layer(LayerName.DOWNSTREAM_SDK)))

    assert not any("attempts" in words for words, _ in declared_changes(scenario))
