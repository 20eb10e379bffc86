"""The incident gallery: what each case must show in both forms and why, and how its verdict compares with the case's.

The files hold no expectations. A row says how many effects the faulty form makes, what the user is told and
what the run breaks; then the same of the right form, where nothing is broken unless it is said.
"""

from dataclasses import replace
from functools import cache

import pytest

from simkit.catalog import incident_content, incident_names
from simkit.choices import Binding, Deduplication, Dispatch, OnRejected
from simkit.contract import Incident, parse_incident
from simkit.errors import InputError
from simkit.records import Report
from simkit.scenario import Scenario
from simkit.study import IncidentResult, outcome_classes, run_story, study_incident
from simkit.terms import ErrorClass, Identity, LayerName, Outcome, OutcomeClass, Promise, PromiseVerdict, Verdict

__all__: list[str] = []

OK, FAILED, UNKNOWN = Outcome.OK, Outcome.FAILED, Outcome.UNKNOWN
ONCE, HAPPENS, DONE = Promise.AT_MOST_ONE_EFFECT, Promise.EFFECT_HAPPENS, Promise.COMPLETED_MEANS_DONE
NOTHING, SAID, PENDS = Promise.REJECTED_MEANS_NOTHING, Promise.UNKNOWN_IS_SAID, Promise.NOTHING_PENDS
CONVERGES, APART = Promise.REPEAT_CONVERGES, Promise.DISTINCT_INTENTS
LIED_TO = {NOTHING, SAID, PENDS}  # it was called failed while it was open, with nobody to settle it, and it was done

Shown = tuple[int, list[Outcome], set[Promise]]

FORMS: dict[str, tuple[Shown, Shown]] = {
    # The answer became a 503 on its way; who repeats only refused connections leaves that open.
    "RS-004": ((2, [OK], {ONCE}), (1, [UNKNOWN], set())),
    # Each of 8 tries runs out of patience after 60 s and leaves 100 s of work running.
    "RS-007": ((8, [FAILED], {ONCE, HAPPENS, *LIED_TO}), (1, [OK], set())),
    # Two answers are lost, so three mails go out; a key makes them one.
    "RS-008": ((3, [OK], {ONCE}), (1, [OK], set())),
    # Two toggles; two equal states are one change.
    "RS-016": ((2, [OK], {ONCE}), (1, [OK], set())),
    # Two model calls fail, so the run is begun three times.
    "RS-022": ((3, [OK], {ONCE}), (1, [OK], set())),
    # Two tools, one of them finished: it runs twice, the waiting one once.
    "RS-023": ((3, [OK, OK, OK], {ONCE}), (2, [OK, OK], set())),
    "RS-026": ((2, [OK], {ONCE}), (1, [OK], set())),
    "RS-027": ((9, [OK] * 9, {ONCE}), (1, [OK], set())),
    "RS-029": ((2, [OK], {ONCE}), (1, [OK], set())),
    # The second task is told the first one's result.
    "RS-034": ((1, [OK, OK], {HAPPENS, DONE, APART}), (2, [OK, OK], set())),
    "RS-037": ((2, [OK], {ONCE}), (1, [OK], set())),
    "RS-043": ((2, [OK], {ONCE}), (1, [OK], set())),
    # A dry run makes nothing; the live run is told its success.
    "RS-045": ((0, [OK, OK], {HAPPENS, DONE, APART, Promise.CHANGED_INPUT_CONFLICTS}), (1, [OK, OK], set())),
    # The remark is worded anew, so that the approval never fits, and the second try is not even taken for the same
    # operation: a conflict that nobody can resolve goes to the owner, and nothing is ever sent.
    "RS-049": ((0, [UNKNOWN], {HAPPENS}), (1, [OK], set())),
    # The reason for the refusal is gone after 20 min; the record still repeats it. A record that lets the refusal
    # go gives the second try another answer than the first, which is what it is for.
    "RS-054": ((0, [FAILED], {HAPPENS}), (1, [OK], {CONVERGES})),
    # The run dies after it was accepted. Whoever triggers again gets the acceptance of the dead one.
    "RS-055": ((0, [OK, OK], {HAPPENS, DONE}), (1, [OK, OK], set())),
    "RS-061": ((2, [OK], {ONCE}), (1, [OK], set())),
    # 335 s from post to receipt, a try each 32 s: those at 0, 32, ... 320 s run, the twelfth gets the receipt.
    "RS-067": ((11, [OK], {ONCE}), (1, [OK], set())),
    # Held: made once, and nobody claims to know.
    "RS-069": ((2, [OK], {ONCE}), (1, [UNKNOWN], set())),
    "RS-074": ((0, [OK], {HAPPENS, DONE}), (1, [OK], set())),
    "RS-076": ((2, [OK], {ONCE}), (1, [OK], set())),
    # The second scheduler's result is another one than the first's, under the same ID.
    "RS-080": ((2, [OK, OK], {ONCE, CONVERGES}), (1, [OK, OK], set())),
    "RS-081": ((2, [OK], {ONCE}), (1, [OK], set())),
    # The unique index lets one through; the caller has given up by then.
    "RS-083": ((1, [FAILED], LIED_TO), (1, [OK], set())),
    # Held for 90 min under a lease of 60: two workers have it when it is due, floor(90 / 60) + 1.
    "RS-092": ((2, [OK], {ONCE}), (1, [OK], set())),
    "RS-098": ((2, [OK], {ONCE}), (1, [OK], set())),
    "RS-102": ((3, [OK], {ONCE}), (1, [OK], set())),
    "RS-104": ((2, [OK], {ONCE}), (1, [OK], set())),
    "RS-108": ((1, [FAILED], LIED_TO), (1, [OK], set())),
    # Made once, then taken away while it was open.
    "RS-113": ((1, [FAILED], {Promise.CLEAN_UP_WAITS, *LIED_TO}), (1, [OK], set())),
    "RS-114": ((0, [OK], {HAPPENS, DONE}), (1, [OK], set())),
    # The batch pays again what is held; a hold that counts on every path leaves it open.
    "RS-117": ((2, [UNKNOWN, OK], {ONCE}), (1, [UNKNOWN], set())),
    # Refused each time, so nothing is made; 12 requests where 4 are stated.
    "RS-119": ((0, [FAILED], {Promise.WORK_IN_BUDGET}), (0, [FAILED], set())),
    # The grant is spent, so that the next try is refused; a resumed run gets the record.
    "RS-121": ((1, [FAILED], {NOTHING, SAID}), (1, [OK], set())),
    # Both work; the caller runs out of patience twice, although nothing failed.
    "RS-126": ((2, [UNKNOWN], {ONCE, HAPPENS}), (1, [OK], set())),
    "RS-127": ((2, [OK], {ONCE}), (1, [OK], set())),
    # The safe ones have no fix that could be taken out.
    "RS-129": ((1, [OK], set()), (1, [OK], set())),
    "RS-131": ((0, [OK], set()), (0, [OK], set())),
    # "It is mine, I tried before" is right here and no evidence: a strict reader calls the report a guess.
    "RS-133": ((1, [OK], {SAID, PENDS}), (1, [OK], {SAID, PENDS})),
    "RS-134": ((1, [OK], set()), (1, [OK], set())),
}

ANOTHER_ANSWER = {("RS-069", "right"), ("RS-108", "faulty"), ("RS-121", "faulty")}
"""Where we allow and the case does not: the files say why."""

HELD_NOT_DISABLED = {"RS-004", "RS-008", "RS-022", "RS-023", "RS-037", "RS-043", "RS-114", "RS-119"}
"""With every repeat switched off, nothing that is promised about effects breaks."""

DISABLED_NOT_HELD = {"RS-054", "RS-080", "RS-113"}
"""One attempt breaks a promise about effects as well."""


@cache
def named(name: str) -> Incident:
    return parse_incident(incident_content(name), file=f"{name}.yaml")


@cache
def studied(name: str) -> IncidentResult:
    return study_incident(named(name))


def shown(scenario: Scenario) -> Shown:
    told = run_story(scenario)
    reports = sorted(told.journal.of(Report), key=lambda report: report.at_s)
    broken = {finding.promise for finding in told.findings if finding.verdict is PromiseVerdict.BROKEN}
    return told.effect_count, [report.outcome for report in reports], broken


def kinds(scenario: Scenario) -> tuple[OutcomeClass, ...]:
    told = run_story(scenario)
    return outcome_classes(told.journal, told.findings)


@pytest.mark.parametrize("name", incident_names())
def test_the_right_form_shows_what_it_must_and_taking_the_fix_out_brings_the_fault_back(name: str) -> None:
    incident = named(name)

    assert (shown(incident.faulty), shown(incident.right)) == FORMS[name]


@pytest.mark.parametrize("name", incident_names())
def test_the_faulty_form_makes_as_many_effects_as_the_case_counts_and_the_right_one_as_many_as_were_wanted(
    name: str,
) -> None:
    incident = named(name)
    counted, wanted = incident.effects.actual, incident.effects.intended

    (faulty_count, _, _), (right_count, _, _) = FORMS[name]

    assert counted in (None, faulty_count)
    assert wanted in (None, right_count)
    assert incident.effects.in_words or None not in (counted, wanted)


@pytest.mark.parametrize("name", incident_names())
def test_the_faulty_form_does_the_kind_of_harm_that_was_reported_and_the_right_one_none(name: str) -> None:
    incident = named(name)

    assert set(kinds(incident.faulty)) & set(incident.outcome_classes)
    assert kinds(incident.right) == (OutcomeClass.NONE,)


@pytest.mark.parametrize("name", incident_names())
def test_allow_or_not_is_the_answer_of_the_case_unless_the_file_says_why_not(name: str) -> None:
    result = studied(name)

    for form in (result.faulty, result.right):
        assert form.is_allowed_alike is ((name, form.form) not in ANOTHER_ANSWER)
        assert form.is_same is (form.reason == "")


@pytest.mark.parametrize("name", incident_names())
def test_hold_or_disable_follows_from_what_one_attempt_breaks(name: str) -> None:
    form = studied(name).faulty

    ours, theirs = form.judgement.design_verdict, form.case_verdict
    assert ((ours, theirs) == (Verdict.HOLD, Verdict.DISABLE)) is (name in HELD_NOT_DISABLED)
    assert ((ours, theirs) == (Verdict.DISABLE, Verdict.HOLD)) is (name in DISABLED_NOT_HELD)


def test_the_gallery_has_forty_cases_and_each_has_a_row() -> None:
    assert len(incident_names()) == 40
    assert set(FORMS) == set(incident_names())
    assert all(named(name).id == name for name in incident_names())


def test_no_two_cases_tell_the_same_story() -> None:
    cases = [named(name) for name in incident_names()]

    assert len({case.title for case in cases}) == len({case.reported for case in cases}) == len(cases)
    assert len({case.url for case in cases}) == len(cases)


def test_an_unknown_incident_is_refused_with_the_nearest_ones() -> None:
    with pytest.raises(InputError, match="RS-067"):
        incident_content("RS-0067")


def with_agent(scenario: Scenario, **changes: object) -> Scenario:
    return replace(scenario, agent=replace(scenario.agent, **changes))  # type: ignore[arg-type]


def test_a_refused_stream_is_safe_because_nothing_else_is_repeated() -> None:
    scenario = named("RS-129").right
    layers = tuple(
        replace(layer, retries_on=(*layer.retries_on, ErrorClass.UNAVAILABLE))
        if layer.name is LayerName.GATEWAY
        else layer
        for layer in scenario.layers
    )

    blanket = replace(scenario, layers=layers, schedule=("gateway_to_server.response_replaced@1/1",))

    assert shown(blanket) == (2, [OK], {ONCE})


def test_a_post_that_reads_is_safe_because_it_wants_no_effect() -> None:
    scenario = named("RS-131").right

    writing = replace(scenario, calls=(replace(scenario.calls[0], wants_effect=True),))

    assert shown(writing) == (2, [OK], {ONCE})


def test_a_forgiven_duplicate_key_is_safe_because_there_is_a_key() -> None:
    scenario = named("RS-133").right
    stage = scenario.stages[0]
    assert stage.downstream is not None
    without = replace(stage.downstream, deduplication=Deduplication.NONE, key_retention=None)

    effect_count, _, broken = shown(replace(scenario, stages=(replace(stage, downstream=without),)))

    assert (effect_count, broken) == (2, {ONCE})


def test_a_token_for_each_run_is_safe_because_it_is_not_one_for_each_try_of_the_library() -> None:
    scenario = named("RS-134").right

    unsent = replace(scenario, stages=(replace(scenario.stages[0], key=None),))

    assert shown(unsent) == (2, [OK], {ONCE})


def test_merging_equal_calls_loses_one_that_was_meant_twice() -> None:
    scenario = with_agent(named("RS-027").right, dispatch=Dispatch.ONE_FOR_CONTENT)
    once = replace(scenario.calls[0], copies=1)
    twice = replace(scenario, calls=(once, replace(once, intent="again", operation="op-2")))

    merged, numbered = kinds(twice), shown(with_agent(twice, dispatch=Dispatch.BY_OCCURRENCE))

    assert OutcomeClass.LEGITIMATE_OPERATION_SUPPRESSED in merged
    assert numbered == (2, [OK, OK], set())


def test_an_approval_that_is_bound_too_loosely_lets_a_changed_request_through() -> None:
    scenario = named("RS-049").right
    first_is_lost = replace(scenario, schedule=("gateway_to_server.request_lost@1",))
    loose = replace(first_is_lost, server=replace(scenario.server, binding=Binding.TOO_LOOSE))

    assert kinds(loose) == (OutcomeClass.UNAUTHORISED_EFFECT,)
    assert shown(first_is_lost)[0] == 0  # the second try has other inputs than were approved, so it does not begin


def test_a_key_that_is_always_kept_repeats_a_refusal_for_ever() -> None:
    scenario = with_agent(named("RS-029").right, on_rejected=OnRejected.SAME_ID)
    refused_once = replace(scenario, schedule=("downstream.error@1/1",))

    kept, changed = shown(refused_once), shown(with_agent(refused_once, on_rejected=OnRejected.NEW_ID))

    assert kept == (0, [FAILED], set())
    assert changed == (1, [OK], set())


def test_a_new_key_for_each_call_needs_a_model_that_writes_one() -> None:
    scenario = with_agent(named("RS-026").right, identity=Identity.BY_MODEL)

    same_again = replace(scenario, schedule=(*scenario.schedule, "agent.id_by_model@2=1"))

    assert shown(scenario)[0] == 2
    assert shown(same_again)[0] == 1
