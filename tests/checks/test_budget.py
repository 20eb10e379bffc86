"""Attempts and time stay within what the review states, on journals written by hand."""

import pytest

from simkit.checks import check_work_in_budget
from simkit.records import Fact
from simkit.terms import LayerName, PromiseVerdict
from tests.checks.journals import run, sent, verdict_of, wanted

KEPT, BROKEN, UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED
GATEWAY, SDK = LayerName.GATEWAY, LayerName.DOWNSTREAM_SDK


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((), KEPT, id="none"),
        pytest.param((sent(), sent("2")), KEPT, id="as many as stated"),
        pytest.param((sent(), sent("2"), sent("3")), BROKEN, id="one more"),
        pytest.param((sent(), sent("2", operation_id="op/2"), sent("3")), BROKEN, id="a new ID is no new intent"),
        pytest.param(
            (sent(), sent("1/1", layer=GATEWAY), sent("2"), sent("2/1", layer=GATEWAY)),
            KEPT,
            id="each layer for itself",
        ),
        pytest.param(
            (sent(), *(sent(f"1/{number}", layer=GATEWAY) for number in (1, 2, 3))), BROKEN, id="a lower layer"
        ),
        pytest.param(
            (sent(), sent("2"), *(sent(f"{up}/1", layer=SDK) for up in (1, 2)), sent("2/2", layer=SDK)),
            BROKEN,
            id="stacked retries add up below",
        ),
        pytest.param(
            (*(sent(f"1/{number}", layer=SDK, stage=stage) for number in (1, 2) for stage in ("ticket", "mail")),),
            KEPT,
            id="each stage for itself",
        ),
        pytest.param((sent(), sent("2"), sent("1", intent="other")), KEPT, id="another intent's"),
    ),
)
def test_no_layer_makes_more_attempts_than_stated(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, intents=(wanted("order"), wanted("other")), attempt_count_max=2)

    assert verdict_of(check_work_in_budget, journal) is expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((), KEPT, id="none"),
        pytest.param((sent(at_s=500.0),), KEPT, id="one, whenever it was"),
        pytest.param((sent(at_s=5.0), sent("2", at_s=15.0)), KEPT, id="just in time"),
        pytest.param((sent(at_s=5.0), sent("2", at_s=15.5)), BROKEN, id="too long"),
        pytest.param((sent("2", at_s=15.5), sent(at_s=5.0)), BROKEN, id="whichever stands first"),
        pytest.param((sent(at_s=5.0), sent("1/1", at_s=15.5, layer=SDK)), BROKEN, id="any layer"),
        pytest.param((sent(at_s=5.0), sent(at_s=99.0, intent="other")), KEPT, id="another intent's"),
    ),
)
def test_nobody_tries_longer_than_stated(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, intents=(wanted("order"), wanted("other")), time_s_max=10.0)

    assert verdict_of(check_work_in_budget, journal) is expected


def test_without_a_stated_budget_nothing_exceeds_it() -> None:
    journal = run(*(sent(f"{number}", at_s=1000.0 * number) for number in range(1, 50)))

    assert verdict_of(check_work_in_budget, journal) is KEPT


def test_a_cut_run_has_not_kept_its_budget_yet() -> None:
    open_count = run(sent(), cut_before="backoff", attempt_count_max=1)
    open_time = run(sent(), cut_before="backoff", time_s_max=10.0)
    spent = run(sent(), sent("2"), cut_before="backoff", attempt_count_max=1)
    none_stated = run(sent(), cut_before="backoff")

    assert verdict_of(check_work_in_budget, open_count) is UNDECIDED
    assert verdict_of(check_work_in_budget, open_time) is UNDECIDED
    assert verdict_of(check_work_in_budget, spent) is BROKEN
    assert verdict_of(check_work_in_budget, none_stated) is KEPT


def test_the_evidence_gives_the_numbers() -> None:
    facts = (sent(), sent("2", at_s=20.0), *(sent(f"2/{number}", layer=SDK, stage="mail") for number in (1, 2)))
    journal = run(*facts, attempt_count_max=1, time_s_max=10.0)

    assert check_work_in_budget(journal)[0].evidence == (
        "agent made 2 attempts, 1 are stated",
        "downstream_sdk in mail made 2 attempts, 1 are stated",
        "first attempt at 0 s, last at 20 s, 10 s are stated",
    )
