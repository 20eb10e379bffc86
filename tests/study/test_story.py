"""Every site has words, and a run told in words leaves nothing out that happened."""

from typing import Any

import pytest

from simkit.journal import Journal
from simkit.records import (
    Attempt,
    CleanUp,
    Deleted,
    Effect,
    End,
    Fault,
    Readback,
    Reply,
    Report,
    Settlement,
    Start,
)
from simkit.scenario.sites import AGENT_SITES, DOWNSTREAM_SITES, HOP_ENDINGS, RECONCILER_SITES, STORE_SITES
from simkit.study.story import caller_of, site_in_words, story
from simkit.terms import LayerName, Outcome, ReadbackAnswer, Settled, State

__all__: list[str] = []

SITES = (
    *AGENT_SITES,
    *(f"gateway_to_server.{ending}" for ending in HOP_ENDINGS),
    *STORE_SITES,
    *DOWNSTREAM_SITES,
    *RECONCILER_SITES,
    "server.after_effect",
    "server.paused_after_effect",
    "relay.after_effect",
    "readback.cannot_tell",
)


def test_no_two_sites_are_said_in_the_same_words() -> None:
    said = [site_in_words(site) for site in SITES]

    assert len(set(said)) == len(SITES)
    assert not any("_" in words or "." in words for words in said)


@pytest.mark.parametrize(
    ("site", "words"),
    (
        ("agent.after_sending@1", "agent restarts after sending (attempt 1)"),
        ("server.paused_after_reservation@1/1", "server pauses after the reservation (attempt 1/1)"),
        ("server.after_effect@1", "server crashes after the effect (attempt 1)"),
        ("record_store.outage@1/receipt", "the record store is away (attempt 1/receipt)"),
        ("gateway_to_server.response_replaced@1", "response replaced by an error, gateway to server (attempt 1)"),
        ("gateway_to_server.request_duplicated@1", "request arrives twice, gateway to server (attempt 1)"),
        ("reconciler.wrong_record@reconciler:1", "the reconciler looks at the wrong record (reconciler:1)"),
        ("reconciler.two_at_once@reconciler:", "two reconcilers take the case at once"),
    ),
)
def test_a_site_is_said_as_people_say_it(site: str, words: str) -> None:
    assert site_in_words(site) == words


@pytest.mark.parametrize(
    ("path", "caller"),
    (
        ("1/1", "agent"),
        ("2:c1:r3:1/publication/1", "agent"),
        ("1/1+copy", "agent"),
        ("reconciler:2:1/1", "reconciler"),
        ("second agent:1~2/1", "second agent"),
    ),
)
def test_the_name_before_the_colon_says_who_calls(path: str, caller: str) -> None:
    assert caller_of(path) == caller


def test_every_fact_of_a_run_has_a_line_with_what_it_bears() -> None:
    told: dict[str, Any] = {"intent": "wish", "operation_id": "op", "inputs": "x"}
    journal = Journal(
        [
            Attempt(at_s=0.0, layer=LayerName.AGENT, path="sweep:1", attempt_number=1, **told),
            Start(at_s=1.0, party="server", stage="notice", approval="yes", **told),
            Effect(at_s=2.0, stage="notice", audience="staff", **told),
            Reply(
                at_s=3.0,
                layer=LayerName.AGENT,
                path="sweep:1",
                intent="wish",
                operation_id="op",
                inputs="x",
                state=State.COMPLETED,
                detail="receipt",
                origin="other",
                result="notice 1",
            ),
            CleanUp(at_s=4.0, party="agent", stage="notice", intent="wish", operation_id="op"),
            Deleted(at_s=5.0, stage="notice", intent="wish"),
            Settlement(at_s=6.0, party="reconciler", intent="wish", operation_id="op", settled=Settled.ABSENT),
            Readback(
                at_s=7.0,
                party="server",
                intent="wish",
                operation_id="op",
                answer=ReadbackAnswer.NOT_SEEN,
                stage="notice",
            ),
            Report(
                at_s=8.0,
                layer=LayerName.AGENT,
                intent="wish",
                state=State.UNKNOWN,
                outcome=Outcome.PARTIAL,
                owner="",
                deadline_s=0.0,
                stages=(("page", State.COMPLETED), ("notice", State.REJECTED)),
            ),
            Fault(at_s=9.0, site="record_store.outage@1"),
            End(at_s=10.0, is_quiescent=False, waiting_for="lease"),
        ]
    )

    lines = [line.partition(" s  ")[2] for line in story(journal)]

    assert lines == [
        "sweep calls, attempt sweep:1, ID op",
        "server begins notice under yes",
        "EFFECT in notice to staff, ID op",
        "sweep gets completed for sweep:1: receipt, notice 1, which is of other",
        "agent begins to undo ID op in notice",
        "what wish made in notice is taken away for good",
        "reconciler settles ID op as confirmed absent: nothing may land from now on",
        "server reads back ID op in notice: not seen",
        "agent reports PARTIAL (page completed, notice rejected)",
        "FAULT: the record store is away (attempt 1)",
        "the run was cut here; next would be lease",
    ]
