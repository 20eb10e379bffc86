"""Where latencies are cut: at what they are compared with in a run, told from instants that are known then."""

from dataclasses import replace

import pytest

from simkit.chance import Luck, Scripted, alternatives
from simkit.distributions import Uniform, Wait
from simkit.records import Effect
from simkit.study.probability import task_of
from simkit.study.probability.cuts import CUT_COUNT_MAX, found_cuts
from simkit.terms import Promise
from simkit.world import START, Cut, Cuts, compared_latencies, planned, run_in_cells
from tests.builders import a_scenario, engine_policy
from tests.late_originals import late_originals, two_that_race

__all__: list[str] = []

FIRST, SECOND = "gateway_to_server.request@1", "gateway_to_server.request@2"
DUPLICATES = frozenset({Promise.AT_MOST_ONE_EFFECT})


def at_s(seconds: float) -> Cut:
    """A cut at an instant of the run."""
    return Cut(START, round(seconds * 1e6))


def test_the_first_run_shows_the_deadline_with_which_an_answer_is_compared() -> None:
    """From the arrival to the answer 10 ms pass, and the caller waits 1 s: beyond 0.99 s it is too late."""
    _, compared = compared_latencies(planned(late_originals()), Scripted(), {}, has_episodes=False)

    assert (FIRST, at_s(0.99)) in compared


def test_each_round_shows_what_the_cells_of_the_last_one_lead_to() -> None:
    """A late first request meets a record that the second made at 1 s + 20 ms: it expires 10 s after that."""
    cuts = found_cuts(task_of(late_originals(), DUPLICATES))

    assert {at_s(0.99), at_s(11.02)} <= set(cuts[FIRST])
    # The third attempt starts at 2 s, and its record is the one that counts where the second was late too.
    assert at_s(12.02) in cuts[FIRST]


def test_a_later_wait_is_cut_where_an_earlier_one_that_is_drawn_already_decides() -> None:
    """The record that the first request made expires 10 s after its arrival, and the one of the second likewise."""
    cuts = found_cuts(task_of(late_originals(), DUPLICATES))

    assert {Cut(FIRST, 10_000_000), Cut(FIRST, -10_000_000)} <= set(cuts[SECOND])
    assert max(map(len, cuts.values())) <= CUT_COUNT_MAX


@pytest.mark.parametrize("window_us", (50, 20_000))
def test_two_calls_that_meet_are_cut_at_both_ends_of_the_window_in_which_they_race(window_us: int) -> None:
    cuts = found_cuts(task_of(two_that_race(window_us / 1e6), DUPLICATES))

    first, second = f"{FIRST}:1", f"{SECOND}:1"
    assert {Cut(first, -window_us), Cut(first, 0), Cut(first, window_us)} <= set(cuts[second])
    # Given the first, the second decides; cutting both would only multiply the cells.
    assert not any(cut.after == second for cut in cuts[first])


def test_the_earlier_of_two_latencies_is_cut_where_a_usual_later_one_would_make_them_too_long() -> None:
    """Of the 0.99 s that are left for both ways, the way back usually takes 50 ms."""
    scenario = late_originals()
    to_server, *others = scenario.hops
    response = Wait(s_min=0.0, s_typical=0.05, s_max=9.0, law=Uniform(shortest_s=0.0, longest_s=9.0))
    scenario = replace(scenario, hops=(replace(to_server, response=response), *others))

    cuts = found_cuts(task_of(scenario, DUPLICATES))

    assert at_s(0.94) in cuts[FIRST]
    assert at_s(1.0) in cuts["gateway_to_server.response@1"]


def test_where_no_wait_has_a_law_nothing_is_cut() -> None:
    assert found_cuts(task_of(engine_policy(2), DUPLICATES)) == {}


def arrivals_s(cuts: Cuts, luck: Luck) -> list[list[float]]:
    """When the first effect is made, in the likeliest cell and then in each other one of the request."""
    first, *others = a_scenario().hops
    law = Uniform(shortest_s=0.0, longest_s=1.0)
    request = Wait(s_min=0.0, s_typical=0.5, s_max=1.0, law=law)
    scenario = a_scenario(hops=(replace(first, request=request, latest_landing_s=1.0), *others))
    plan = planned(scenario.with_one_attempt())
    chance = Scripted()
    runs = [run_in_cells(plan, chance, cuts=cuts, luck=luck, has_episodes=False)]
    runs += [
        run_in_cells(plan, Scripted(script), cuts=cuts, luck=luck, has_episodes=False)
        for script in alternatives(chance.trace, 0, 1)
    ]
    return [[effect.at_s for effect in run.journal.of(Effect)] for run in runs]


def test_a_run_takes_the_cell_it_is_told_and_one_place_in_it_for_each_luck() -> None:
    """Cut at 0.3 s and told from a label that this run does not have; 6 ms are from the arrival to the effect."""
    cuts = {FIRST: (at_s(0.3), Cut("elsewhere", 0))}

    (likeliest,), (other,) = arrivals_s(cuts, Luck(1, 0))

    place = Luck(1, 0).at_fraction(FIRST)
    assert likeliest == pytest.approx(0.3 + 0.7 * place + 0.006, abs=2e-6)
    assert other == pytest.approx(0.3 * place + 0.006, abs=2e-6)
    assert arrivals_s(cuts, Luck(1, 0)) == [[likeliest], [other]]
    assert arrivals_s(cuts, Luck(1, 1)) != [[likeliest], [other]]


def test_a_wait_without_a_cut_is_drawn_whole_and_nothing_is_asked() -> None:
    (found,) = arrivals_s({}, Luck(1, 0))

    assert found == [pytest.approx(Luck(1, 0).at_fraction(FIRST) + 0.006, abs=2e-6)]
