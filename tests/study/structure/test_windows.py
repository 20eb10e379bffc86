"""One crash in each window, for each way to treat a stale reservation: the window table, worked out by hand."""

import pytest

from simkit.study import crash_windows
from simkit.study.results import WindowRow
from simkit.terms import Outcome, Promise, StalePolicy
from tests.builders import a_readback, engine_policy, server_with

__all__: list[str] = []

OK = (Outcome.OK,)
OPEN = (Outcome.UNKNOWN,)
TWO_EFFECTS = (Promise.AT_MOST_ONE_EFFECT,)


def row_of(window: str, stale: StalePolicy) -> WindowRow:
    """The row of one window where a reservation is stale at once and repeats follow."""
    readback = a_readback() if stale is StalePolicy.READ_BACK else None
    rows = crash_windows(server_with(engine_policy(1), stale=stale, readback=readback))
    return next(row for row in rows if row.site == f"server.{window}")


@pytest.mark.parametrize(
    ("window", "stale", "effect_count", "outcomes", "broken"),
    (
        # Nothing is durable yet: the repeat is the first.
        ("before_reservation", StalePolicy.HOLD, 1, OK, ()),
        ("before_reservation", StalePolicy.RUN_AGAIN, 1, OK, ()),
        ("before_reservation", StalePolicy.READ_BACK, 1, OK, ()),
        # A reservation, nothing sent: holding loses the operation and says so.
        ("after_reservation", StalePolicy.HOLD, 0, OPEN, ()),
        ("after_reservation", StalePolicy.RUN_AGAIN, 1, OK, ()),
        ("after_reservation", StalePolicy.READ_BACK, 1, OK, ()),
        # An effect without a receipt: running again makes another one.
        ("after_effect", StalePolicy.HOLD, 1, OPEN, ()),
        ("after_effect", StalePolicy.RUN_AGAIN, 2, OK, TWO_EFFECTS),
        ("after_effect", StalePolicy.READ_BACK, 1, OK, ()),
        # A receipt: every repeat gets it.
        ("after_receipt", StalePolicy.HOLD, 1, OK, ()),
        ("after_receipt", StalePolicy.RUN_AGAIN, 1, OK, ()),
        ("after_receipt", StalePolicy.READ_BACK, 1, OK, ()),
    ),
)
def test_one_crash_in_each_window(
    window: str, stale: StalePolicy, effect_count: int, outcomes: tuple[Outcome, ...], broken: tuple[Promise, ...]
) -> None:
    row = row_of(window, stale)

    assert (row.effect_count_min, row.effect_count_max) == (effect_count, effect_count)
    assert row.outcomes == outcomes
    assert row.broken == broken


def test_the_windows_stand_in_the_order_of_the_steps() -> None:
    assert [row.site for row in crash_windows(engine_policy(1))] == [
        "server.before_reservation",
        "server.after_reservation",
        "server.after_effect",
        "server.after_receipt",
    ]


def test_other_faults_do_not_blur_a_window() -> None:
    """At the highest rates of everything else the row of a window is the same: nothing else goes wrong in it."""
    assert crash_windows(engine_policy(2, 0.9)) == crash_windows(engine_policy(2, 1e-9))
