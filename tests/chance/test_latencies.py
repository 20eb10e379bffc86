"""How long a wait with a law takes: drawn, told by a script, and placed in its cell."""

import math

import pytest
from scipy import stats

from simkit.chance import Answered, Luck, Question, Sampled, Scheduled, Scripted, alternatives
from simkit.distributions import Atom, Discrete, Exponential, Lognormal, Wait
from simkit.errors import ScenarioError

__all__: list[str] = []

WAIT = Wait(s_min=0.0, s_typical=0.02, s_max=50.0, law=Lognormal(median_s=0.02, sigma=1.2))


def test_sampled_durations_follow_the_law() -> None:
    drawn_s = [Sampled(1, index).latency("request@1", WAIT, (0.01, 1.0)) for index in range(2000)]

    assert stats.kstest(drawn_s, stats.lognorm(s=1.2, scale=0.02).cdf).pvalue > 0.01


def test_a_cut_changes_no_luck_of_a_sample() -> None:
    assert Sampled(1, 2).latency("request@1", WAIT, ()) == Sampled(1, 2).latency("request@1", WAIT, (0.01, 0.02))


def test_the_likeliest_cell_costs_nothing_and_every_other_is_a_fault() -> None:
    """Cut at 1 s and 10 s: nearly all lies below 1 s, and so that cell stands first."""
    chance = Scripted()

    chance.cell("request@1", WAIT, (10.0, 1.0))

    (asked,) = chance.trace
    assert (asked.kind, asked.site, asked.answer, asked.fault_cost) == (Question.LATENCY, "request@1", 0, 0)
    assert asked.weights[0] == pytest.approx(stats.lognorm(s=1.2, scale=0.02).cdf(1.0), rel=1e-9)
    assert [script[0].fault_cost for script in alternatives(chance.trace, 0, 1)] == [1, 1]
    assert list(alternatives(chance.trace, 0, 0)) == []


def test_a_script_says_the_cell_and_no_place_in_it() -> None:
    """In the cell beyond 1 s of an exponential with mean 1, half of what is left is over after ln 2 more."""
    wait = Wait(s_min=0.0, s_typical=1.0, s_max=1e6, law=Exponential(mean_s=1.0))
    asked = Scripted()
    asked.cell("work", wait, (1.0,))
    (later,) = alternatives(asked.trace, 0, 1)

    cell = Scripted(later).cell("work", wait, (1.0,))

    assert (cell.s_min, cell.s_max) == (1.0, 1e6)
    assert cell.duration_s(0.5) == pytest.approx(1.0 + math.log(2.0))


def test_a_script_alone_does_not_say_how_long_a_continuous_law_takes_and_refuses() -> None:
    with pytest.raises(ScenarioError, match="request@1 has a continuous law"):
        Scripted().latency("request@1", WAIT, (1.0,))


def test_a_script_alone_says_how_long_a_discrete_law_takes() -> None:
    wait = Wait(
        s_min=0.0,
        s_typical=0.1,
        s_max=9.0,
        law=Discrete(atoms=(Atom(duration_s=0.1, weight=1.0), Atom(duration_s=9.0, weight=3.0))),
    )
    rare = Answered(Question.LATENCY, "work", (0.75, 0.25), 1, 1)

    # The likelier one stands first.
    assert Scripted().latency("work", wait, ()) == 9.0
    assert Scripted((rare,)).latency("work", wait, ()) == 0.1


def test_without_a_cut_nothing_is_asked() -> None:
    chance = Scripted()

    cell = chance.cell("request@1", WAIT, (60.0,))

    assert (cell.s_min, cell.s_max) == (0.0, 50.0)
    assert chance.trace == []


def test_one_schedule_takes_the_median_of_the_cell_that_it_names() -> None:
    assert Scheduled(()).latency("request@1", WAIT, ()) == pytest.approx(0.02)
    assert Scheduled(("request@1",)).latency("request@1", WAIT, (1.0,)) > 1.0


def test_luck_depends_on_seed_replication_and_text_alone() -> None:
    luck = Luck(3, 4)
    first, other = luck.at_fraction("a"), luck.at_fraction("b")

    assert Luck(3, 4).at_fraction("b") == other
    assert len({first, other, Luck(3, 5).at_fraction("a"), Luck(4, 4).at_fraction("a")}) == 4
    assert 0 <= min(first, other) <= max(first, other) < 1
