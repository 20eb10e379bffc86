"""A metastable failure: without a trigger it does not begin, and it ends at less load than it began at."""

from dataclasses import replace

from simkit.contract import named_load
from simkit.study.load import over_time, runs_of
from tests.published.agreement import STANDARD_ERRORS

__all__: list[str] = []

SEED = 7
STEP_S = 20.0
LOADS_PER_S = (50, 100, 140, 180, 220, 260, 290, 320, 290, 260, 220, 180, 140, 100, 50)
"""The load of each step of the scenario: up past the capacity of 300/s, and down again."""


def test_without_the_outage_the_same_load_is_served() -> None:
    outage = named_load("metastable-outage")
    (run,) = runs_of(replace(outage, service=replace(outage.service, outages=())), trial_count=1, seed=SEED)

    course = over_time(run, bin_s=10.0, until_s=100.0)

    # Nothing is sent twice, and what is begun in 10 s is done within them, but for some 30 requests at each end.
    assert course.offered.equals(course.begun)
    assert abs(course.begun.mean() - 280) < STANDARD_ERRORS * (280 / 100) ** 0.5
    assert (course.goodput - course.begun).abs().max() < 5


def test_a_load_that_is_borne_on_the_way_up_is_not_on_the_way_down() -> None:
    (run,) = runs_of(named_load("metastable-hysteresis"), trial_count=1, seed=SEED)

    # The second half of each step: the first may still be settling.
    halves = over_time(run, bin_s=STEP_S / 2, until_s=STEP_S * len(LOADS_PER_S)).iloc[1::2]
    served = (halves.goodput / halves.begun).tolist()
    top = LOADS_PER_S.index(max(LOADS_PER_S))
    up = dict(zip(LOADS_PER_S[:top], served[:top], strict=True))
    down = dict(zip(LOADS_PER_S[top + 1 :], served[top + 1 :], strict=True))

    # Up: all that is below the capacity is served. Down: nothing, as long as twice the load is more than the capacity;
    # at 140/s it recovers some time, and below that at once.
    assert min(up.values()) > 0.95
    assert max(down[load] for load in (290, 260, 220, 180)) < 0.01
    assert min(down[load] for load in (100, 50)) > 0.95
    late = halves.offered.iloc[top + 1]
    assert abs(late - 2 * 290) < STANDARD_ERRORS * 2 * (290 / 10) ** 0.5
