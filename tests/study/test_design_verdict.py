"""The design verdict by structure alone, on worlds whose verdict is known, and what it costs where much breaks."""

from dataclasses import replace

from simkit.catalog import incident_content, scenario_content
from simkit.contract import parse_incident, parse_scenario
from simkit.scenario import Scenario
from simkit.study import design_verdict, explore
from simkit.terms import Identity, Promise, Verdict

__all__: list[str] = []


def plain(name: str) -> Scenario:
    return parse_scenario(scenario_content(name), file=name)


def test_a_plain_write_with_a_reservation_is_allowed_without_any_rate() -> None:
    judgement = design_verdict(plain("plain-write"), fault_budget=1)

    assert judgement.design_verdict is Verdict.ALLOW
    assert "structure alone" in judgement.reasons[1]
    assert judgement.verdict is Verdict.HOLD  # nothing was observed


def test_a_plain_write_without_identity_is_held_because_only_its_repeats_do_harm() -> None:
    judgement = design_verdict(plain("plain-unkeyed-write"), fault_budget=1)

    assert judgement.design_verdict is Verdict.HOLD
    assert "'at most one effect' is broken by 1 fault" in judgement.reasons[0]


def test_the_same_is_allowed_where_no_fault_is_to_be_borne() -> None:
    assert design_verdict(plain("plain-unkeyed-write"), fault_budget=0).design_verdict is Verdict.ALLOW


def test_what_one_attempt_breaks_disables() -> None:
    judgement = design_verdict(parse_incident(incident_content("RS-113"), file="").faulty, fault_budget=1)

    assert judgement.design_verdict is Verdict.DISABLE
    assert judgement.reasons[0].startswith("simulated (one attempt): 'clean-up waits'")


def test_an_id_that_follows_from_the_inputs_cannot_come_again_with_others() -> None:
    scenario = plain("plain-write")
    hashed = replace(scenario, agent=replace(scenario.agent, identity=Identity.HASH_OF_ARGUMENTS))

    assert design_verdict(hashed, fault_budget=1).design_verdict is Verdict.ALLOW


def test_more_work_than_is_stated_is_not_allowed_and_forbids_nothing_else() -> None:
    scenario = parse_incident(incident_content("RS-119"), file="").faulty

    over = design_verdict(scenario, fault_budget=4)
    within = design_verdict(scenario, fault_budget=3)  # a fifth request needs four refusals before it

    assert (over.design_verdict, within.design_verdict) == (Verdict.HOLD, Verdict.ALLOW)
    assert "'work stays in budget' is broken by 4 faults" in over.reasons[0]


def test_an_exploration_may_end_soon_after_the_first_break_and_then_proves_nothing() -> None:
    scenario = plain("plain-unkeyed-write")

    whole = explore(scenario, fault_budget=1, policy="x").exploration
    short = explore(scenario, fault_budget=1, policy="x", run_count_after_break=2).exploration

    first = whole.of(Promise.AT_MOST_ONE_EFFECT).fewest_faults
    assert short.of(Promise.AT_MOST_ONE_EFFECT).fewest_faults == first == 1
    assert short.run_count < whole.run_count
    assert (whole.is_complete, short.is_complete) == (True, False)
    assert not any(result.is_proved for result in short.promises)


def test_where_nothing_breaks_the_exploration_is_as_long_as_ever() -> None:
    scenario = plain("plain-write")

    whole, short = (
        explore(scenario, fault_budget=1, policy="x", run_count_after_break=limit).exploration for limit in (None, 0)
    )

    assert whole == short
