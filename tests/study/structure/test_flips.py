"""The two examples, and what one changed line of the ticket tool does to its verdict.

With everything as declared, a second attempt of the agent may come up to 24 h after the first, the retry horizon. Then
the ticketing system has forgotten its 2 h key, so the server's own record has to recognise the repeat. Each
flip takes one part of that away, and each smallest schedule is one fault that makes the agent try twice.
"""

from functools import cache

import pytest

from simkit.contract import parse_review, scenario_of
from simkit.review.reviewing import ReviewResult, review_content
from simkit.scenario import Scenario
from simkit.study import AS_REQUESTED, explore
from simkit.study.results import PromiseResult, StudyResult
from simkit.terms import Promise, Verdict
from tests.contract.ticket_review import TEMPLATES, TICKET_TEXT, text_with

__all__: list[str] = []

PER_ATTEMPT = ("span: per intent", "span: per attempt")
RUN_AGAIN = ("stale: read back", "stale: run again")
TWELVE_HOURS = ("lasts: 7 d", "lasts: 12 h")
TWENTY_FIVE_HOURS = ("lasts: 7 d", "lasts: 25 h")
KEY_FOR_30_DAYS = ("lasts: 2 h", "lasts: 30 d")
HOUR_S = 3600.0
FLIPS = (PER_ATTEMPT, RUN_AGAIN, TWELVE_HOURS)
NEVER_PERSISTED = ("persisted: before sending", "persisted: never")
AFTER_THE_REPLY = ("persisted: before sending", "persisted: after the reply")
ID_ALONE = ("scope: [tenant, action, operation ID]", "scope: [operation ID]")
EXACT_BYTES = ("canonicalisation: declared defaults then canonical JSON", "canonicalisation: exact bytes")
HANDOVER = ("completion_evidence: receipt", "completion_evidence: handover")
ONE_FAULT = ("fault_budget: 2", "fault_budget: 1")
BEFORE_THE_HORIZON = ("lasts: 7 d", "lasts: 1410 min")
AT_THE_HORIZON = ("lasts: 7 d", "lasts: 24 h")
LATER_HORIZON = ("retry_horizon: 24 h", "retry_horizon: 30 d")
REFUSED_AFTER_AN_HOUR = ("lasts: 7 d", "lasts: 1 h")
REFUSE = ("clock: record store\n    counted_from: first attempt\n    after_expiry: run as new",
          "clock: record store\n    counted_from: first attempt\n    after_expiry: refuse")  # fmt: skip

LOST_RECEIPT = {
    # The effect exists; the server died, or its SDK gave up, before the receipt could be written. The
    # reservation stays open, and every repeat meets it.
    "server.after_effect@1/1",
    "server_to_downstream.request_late@1/1/1",
    "server_to_downstream.response_late@1/1/1",
    "server_to_downstream.response_lost@1/1/1",
}
LOST_ANSWER = {
    # Effect and receipt exist, and only the agent does not know: its answer was lost; or the request was
    # late, the gateway sent a second one, and told the agent that the first was still at work.
    "agent_to_gateway.response_lost@1",
    "gateway_to_server.request_late@1/1",
}


@cache
def reviewed(*changes: tuple[str, str]) -> ReviewResult:
    """The ticket example with lines changed, reviewed whole."""
    _, result = review_content(changed(*changes).encode(), file="create_ticket.yaml", seed=1, intent_count=100)
    return result


def changed(*changes: tuple[str, str]) -> str:
    text = TICKET_TEXT
    for old, new in changes:
        text = text_with(old, new, text)
    return text


def scenario(*changes: tuple[str, str]) -> Scenario:
    review = parse_review(changed(*changes).encode(), file="create_ticket.yaml")
    return scenario_of(review, review.effects[0]).scenario


def studied(result: ReviewResult) -> StudyResult:
    found = result.effects[0].study
    assert found is not None
    return found


def duplicates(*changes: tuple[str, str]) -> PromiseResult:
    """What is found about at most one effect, as requested."""
    return studied(reviewed(*changes)).as_requested.of(Promise.AT_MOST_ONE_EFFECT)


def effects_at_s(story: tuple[str, ...]) -> list[float]:
    """When the effects of a told schedule were made."""
    return [float(line.split(" s  ")[0]) for line in story if "EFFECT in ticket" in line]


def sites(result: PromiseResult) -> set[str]:
    """The smallest schedules, each of one fault."""
    return {site for schedule in result.schedules for site in schedule.faults}


@cache
def github() -> ReviewResult:
    content = (TEMPLATES / "examples" / "github_create_issue.yaml").read_bytes()
    return review_content(content, file="github_create_issue.yaml", seed=1, intent_count=100)[1]


def test_the_ticket_tool_would_be_allowed_and_is_held_because_nothing_was_observed() -> None:
    result = reviewed()

    assert (result.design_verdict, result.verdict) == (Verdict.ALLOW, Verdict.HOLD)
    assert result.wording == "the design would allow; not observed"
    assert any(gap.startswith("not observed") for gap in result.gaps)


def test_the_ticket_tool_is_explored_to_two_faults_completely() -> None:
    found = studied(reviewed())

    assert (found.as_requested.fault_budget, found.as_requested.explored_faults) == (2, 2)
    assert found.as_requested.is_complete
    assert found.are_cells_complete
    assert all(result.is_proved for result in (*found.as_requested.promises, *found.one_attempt.promises))


def test_each_flip_changes_exactly_one_line() -> None:
    for flip in FLIPS:
        before, after = TICKET_TEXT.splitlines(), changed(flip).splitlines()

        assert len(before) == len(after)
        assert sum(one != other for one, other in zip(before, after, strict=True)) == 1


@pytest.mark.parametrize("flip", FLIPS)
def test_a_flipped_line_takes_the_design_verdict_away(flip: tuple[str, str]) -> None:
    """One attempt is still safe, so that the tool is held and not disabled."""
    result = reviewed(flip)

    assert (result.design_verdict, result.verdict) == (Verdict.HOLD, Verdict.HOLD)
    assert duplicates(flip).fewest_faults == 1
    assert any("'at most one effect' is broken by 1 fault" in reason for reason in result.reasons)


@pytest.mark.parametrize("flip", (NEVER_PERSISTED, AFTER_THE_REPLY))
def test_an_id_that_is_not_written_down_before_sending_is_as_good_as_one_per_attempt(flip: tuple[str, str]) -> None:
    """A resume the next morning has lost it, so that its second attempt is a new operation to everybody."""
    result = reviewed(flip)

    assert (result.design_verdict, result.verdict) == (Verdict.HOLD, Verdict.HOLD)
    assert "'at most one effect' is broken by 1 fault" in result.reasons[0]
    assert sites(duplicates(flip)) == LOST_RECEIPT | LOST_ANSWER
    assert any("lost by a resume" in note for note in result.effects[0].notes)


def test_an_id_that_is_looked_up_without_its_tenant_disables_although_no_call_of_the_plan_has_another_one() -> None:
    """Another tenant's call under the same ID would get the first one's result, without any fault, at one attempt."""
    result = reviewed(ONE_FAULT, ID_ALONE)

    assert (result.design_verdict, result.verdict) == (Verdict.DISABLE, Verdict.DISABLE)
    assert "'tenants stay apart' is broken by construction" in result.reasons[0]
    assert studied(result).as_requested.of(Promise.AT_MOST_ONE_EFFECT).is_proved


@pytest.mark.parametrize(
    ("flip", "words"),
    (
        (EXACT_BYTES, "canonicalisation 'exact bytes'"),
        (HANDOVER, "after the handover"),
    ),
)
def test_what_is_declared_and_not_acted_out_takes_the_design_verdict_away_and_is_the_reason(
    flip: tuple[str, str], words: str
) -> None:
    """Everything that was acted out is still proved; the one reason is what was not. One fault will do to see that."""
    result = reviewed(ONE_FAULT, flip)

    assert reviewed(ONE_FAULT).design_verdict is Verdict.ALLOW
    assert (result.design_verdict, result.verdict) == (Verdict.HOLD, Verdict.HOLD)
    assert [reason for reason in result.reasons if words in reason] == list(result.reasons)
    assert result.reasons[0].startswith("not judged: ")
    assert all(promise.is_proved for promise in studied(result).as_requested.promises)


@pytest.mark.parametrize("flip", (RUN_AGAIN, TWELVE_HOURS))
def test_a_probability_that_never_meets_the_second_effect_is_not_resolved(flip: tuple[str, str]) -> None:
    """Usually the agent's second attempt comes after 2 s, while key and record are still there."""
    found = studied(reviewed(flip)).probability

    assert (found.independent, found.common_cause) == (None, None)
    assert found.method.startswith("breaks; probability not resolved: ")
    assert any("not resolved" in reason for reason in reviewed(flip).reasons)


def test_a_probability_that_meets_the_second_effect_is_a_number() -> None:
    """The issue tool has no ID: two effects whenever a layer above tries again, with typical latencies as well."""
    found = studied(github()).probability

    assert found.independent is not None
    assert found.common_cause is not None
    assert found.independent.lower > 1e-3
    assert "not resolved" not in found.method


def test_a_probability_that_misses_one_of_the_smallest_schedules_is_no_number() -> None:
    """An ID per attempt duplicates by six schedules; after a typical wait of 2 s the reservation is not met stale."""
    found = studied(reviewed(PER_ATTEMPT)).probability

    assert found.independent is None
    assert "not resolved" in found.method


def test_an_id_per_attempt_duplicates_whenever_the_agent_does_not_hear_of_its_effect() -> None:
    """Nothing recognises the second attempt, which has another ID; so it does not matter whether a receipt exists."""
    assert sites(duplicates(PER_ATTEMPT)) == LOST_RECEIPT | LOST_ANSWER


def test_running_a_stale_reservation_again_duplicates_only_where_the_receipt_is_missing() -> None:
    """A record with a receipt is replayed for seven days: a lost answer alone is harmless."""
    assert sites(duplicates(RUN_AGAIN)) == LOST_RECEIPT


def test_a_record_shorter_than_the_horizon_duplicates_after_it_is_forgotten() -> None:
    """Receipt or not, the row is gone after twelve hours, and the key after two."""
    assert sites(duplicates(TWELVE_HOURS)) == LOST_RECEIPT | LOST_ANSWER


@pytest.mark.parametrize("flip", FLIPS)
def test_each_told_schedule_has_one_fault_and_two_effects_within_the_horizon(flip: tuple[str, str]) -> None:
    told = [schedule.story for schedule in duplicates(flip).schedules if schedule.story]

    assert told
    for story in told:
        assert sum("FAULT" in line for line in story) == 1
        assert len(effects_at_s(story)) == 2
        assert effects_at_s(story)[1] < 24 * HOUR_S


def test_a_stale_reservation_makes_its_second_effect_once_the_key_is_forgotten() -> None:
    """The key is recorded with the first effect; for two hours the ticketing system itself answers a repeat."""
    for schedule in duplicates(RUN_AGAIN).schedules[:3]:
        first_at_s, second_at_s = effects_at_s(schedule.story)

        assert second_at_s - first_at_s >= 2 * HOUR_S


def test_a_forgotten_record_makes_its_second_effect_after_twelve_hours() -> None:
    """The record is made after the start of the run, so the second effect is later than its retention alone."""
    for schedule in duplicates(TWELVE_HOURS).schedules[:3]:
        _, second_at_s = effects_at_s(schedule.story)

        assert second_at_s >= 12 * HOUR_S


def test_a_record_just_longer_than_the_horizon_is_enough() -> None:
    assert reviewed(TWENTY_FIVE_HOURS).design_verdict is Verdict.ALLOW


def test_a_key_for_thirty_days_does_not_rescue_an_id_per_attempt() -> None:
    """The key is the operation ID, so each attempt brings its own."""
    result = reviewed(PER_ATTEMPT, KEY_FOR_30_DAYS)

    assert result.design_verdict is Verdict.HOLD
    assert sites(duplicates(PER_ATTEMPT, KEY_FOR_30_DAYS)) == LOST_RECEIPT | LOST_ANSWER


@pytest.mark.parametrize("flip", (RUN_AGAIN, TWELVE_HOURS))
def test_a_key_for_thirty_days_would_hide_the_other_two_flips(flip: tuple[str, str]) -> None:
    """The reason why the key of the example is shorter than its horizon."""
    found = explore(scenario(flip, KEY_FOR_30_DAYS), fault_budget=1, policy=AS_REQUESTED).exploration

    assert found.of(Promise.AT_MOST_ONE_EFFECT).is_proved


def test_the_issue_tool_is_not_allowed() -> None:
    """No key, no record, no ID: whatever makes a layer repeat after the effect makes a second issue."""
    result = github()
    duplicated = studied(result).as_requested.of(Promise.AT_MOST_ONE_EFFECT)

    assert result.design_verdict is not Verdict.ALLOW
    assert duplicated.fewest_faults == 1
    assert "gateway_to_server.response_lost@1/1" in sites(duplicated)
    assert "server.after_effect@1/1" in sites(duplicated)
    assert not any("request_lost" in site for site in sites(duplicated))


def test_the_issue_tool_is_report_unsafe_because_it_says_failed_while_it_does_not_know() -> None:
    once = studied(github()).one_attempt

    assert github().is_report_unsafe
    assert once.is_complete
    assert once.of(Promise.REJECTED_MEANS_NOTHING).fewest_faults == 1
    assert once.of(Promise.AT_MOST_ONE_EFFECT).is_proved


@pytest.mark.parametrize(
    "changes",
    (
        (BEFORE_THE_HORIZON,),  # 23.5 h: an attempt between that and 24 h meets nothing
        (AT_THE_HORIZON,),  # an attempt just before 24 h lands after it
        (LATER_HORIZON,),  # whoever calls again after eight days meets no record of seven
        (REFUSED_AFTER_AN_HOUR, REFUSE),  # a refusal that nothing outlives the record for is not believed
    ),
)
def test_a_protection_that_ends_before_the_last_attempt_can_land_is_not_allowed(
    changes: tuple[tuple[str, str], ...],
) -> None:
    assert reviewed(*changes).design_verdict is not Verdict.ALLOW


def test_saying_failed_makes_a_tool_without_any_key_no_safer() -> None:
    """The issue tool with a patient agent and a gateway that sends once: the agent still calls again on an error."""
    text = (TEMPLATES / "examples" / "github_create_issue.yaml").read_text(encoding="utf-8")
    text = text_with("timeout: 60 s", "timeout: 10 min", text_with("gateway: on", "gateway: off", text))

    _, result = review_content(text.encode(), file="github.yaml", seed=1, intent_count=100)

    assert result.design_verdict is not Verdict.ALLOW
    assert "'at most one effect' is broken by 1 fault" in result.reasons[0]


def test_a_key_that_replays_for_other_inputs_is_found_without_a_record() -> None:
    """Only the ticketing system remembers, for ever, and gives the first ticket for whatever comes under its key."""
    document = TICKET_TEXT[: TICKET_TEXT.index("record:\n")] + TICKET_TEXT[TICKET_TEXT.index("unknown_outcome:") :]
    text = text_with(
        "unknown_outcome:", "record: {not_applicable: because there is none}\n\nunknown_outcome:", document
    )
    text = text_with("lasts: 2 h", "lasts: for ever", text)
    text = text_with("on_mismatch: conflict", "on_mismatch: replay the first result", text)

    _, result = review_content(text.encode(), file="key.yaml", seed=1, intent_count=100)

    assert result.design_verdict is Verdict.DISABLE
    assert any("'changed input conflicts' is broken" in reason for reason in result.reasons)


def test_a_site_whose_rate_is_not_applicable_is_listed_as_excluded() -> None:
    text = text_with(
        "after_receipt: {probability: 0.00001, source: assumed}", "after_receipt: {not_applicable: because it cannot}"
    )

    _, result = review_content(text.encode(), file="ticket.yaml", seed=1, intent_count=100)

    assert "no fault at server crashes after the receipt" in studied(result).excluded
