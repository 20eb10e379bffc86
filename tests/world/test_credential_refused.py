"""A credential that the system of record refuses: that attempt did nothing, and nothing is said of the others."""

from dataclasses import replace

import pytest

from simkit.chance import Chance
from simkit.journal import Journal
from simkit.records import Effect, Reply, Report
from simkit.scenario import Scenario
from simkit.study import explore
from simkit.terms import ClaimKind, Identity, LayerName, OnExhausted, Outcome, Promise, State
from simkit.world import run_concrete
from tests.builders import FaultsAt, a_layer, a_scenario, conditions_with, rates_at, server_with
from tests.world.system_requests import a_request, asked

__all__: list[str] = []

REFUSED = "downstream.credential_refused"
LOST = "gateway_to_server.response_lost"


def a_world(on_exhausted: OnExhausted, *, attempts: int = 2) -> Scenario:
    """An agent without an ID that calls twice, and a server that keeps no record: each call starts afresh."""
    plain = server_with(a_scenario(), claim=ClaimKind.NONE)
    agent = a_layer(LayerName.AGENT, attempts=attempts, on_exhausted=on_exhausted)
    plain = replace(plain, agent=replace(plain.agent, identity=Identity.NONE), layers=(agent, plain.layers[-1]))
    return conditions_with(plain, rates=rates_at(0.1, REFUSED, LOST))


def played(scenario: Scenario, chance: Chance) -> Journal:
    return run_concrete(scenario, chance).journal


def test_it_is_answered_in_front_of_the_keys_and_leaves_no_trace_there() -> None:
    again = (5.0, a_request(path="second"))

    answers, system = asked((0.0, a_request()), again, sites=(f"{REFUSED}@k1",), retry_after_s=7.0)

    # The repeat under the same key is the first one that the system knows of; nobody is asked to wait for a 401.
    assert [answer.state for answer in answers] == [State.REFUSED, State.COMPLETED]
    assert (answers[0].error, answers[0].retry_after_s) == (None, 0.0)
    assert len(system.effects) == 1


def test_alone_it_means_that_nothing_was_done() -> None:
    journal = played(a_world(OnExhausted.SAY_UNKNOWN, attempts=1), FaultsAt(f"{REFUSED}@1/1"))

    assert not journal.of(Effect)
    assert [report.outcome for report in journal.of(Report)] == [Outcome.FAILED]


@pytest.mark.parametrize(
    ("on_exhausted", "outcome"),
    (
        (OnExhausted.SAY_UNKNOWN, Outcome.UNKNOWN),  # the refusal says nothing about the first attempt
        (OnExhausted.SAY_LAST, Outcome.FAILED),  # what it heard last stands for all, and is untrue
    ),
)
def test_after_an_attempt_whose_answer_was_lost_it_settles_nothing(on_exhausted: OnExhausted, outcome: Outcome) -> None:
    journal = played(a_world(on_exhausted), FaultsAt(f"{LOST}@1", f"{REFUSED}@2/1"))

    assert len(journal.of(Effect)) == 1
    assert [reply.state for reply in journal.of(Reply) if reply.layer is LayerName.AGENT][-1] is State.REFUSED
    assert [report.outcome for report in journal.of(Report)] == [outcome]


@pytest.mark.parametrize(
    ("on_exhausted", "fewest_faults"),
    (
        (OnExhausted.SAY_UNKNOWN, None),
        (OnExhausted.SAY_LAST, 2),  # an answer is lost, then the credential is refused; neither alone misleads
    ),
)
def test_in_every_order_only_who_takes_the_last_word_for_all_says_failed_untruly(
    on_exhausted: OnExhausted, fewest_faults: int | None
) -> None:
    found = explore(a_world(on_exhausted), fault_budget=2, policy="x", counts=frozenset(), runs_twice=True).exploration

    assert found.is_complete
    assert found.of(Promise.REJECTED_MEANS_NOTHING).fewest_faults == fewest_faults
