"""The named tests of the failure window: what happens in each, and what follows from it over all orders.

The scenarios hold no expectations. Each row says what the run must show and why; the unprotected form of a
scenario differs from the protected one in what is under test, so that taking the protection away brings the
fault back.
"""

import pytest

from simkit.catalog import scenario_about, scenario_content, scenario_names
from simkit.contract import parse_scenario, scenario_text
from simkit.errors import InputError
from simkit.records import Report
from simkit.scenario import Scenario
from simkit.study import explore, run_story
from simkit.terms import Outcome, Promise, PromiseVerdict

OK, FAILED, UNKNOWN = Outcome.OK, Outcome.FAILED, Outcome.UNKNOWN
ONCE, CONFLICTS = Promise.AT_MOST_ONE_EFFECT, Promise.CHANGED_INPUT_CONFLICTS
NOTHING_HAPPENED, SAID = Promise.REJECTED_MEANS_NOTHING, Promise.UNKNOWN_IS_SAID
PENDS = Promise.NOTHING_PENDS
SWALLOWED = {Promise.COMPLETED_MEANS_DONE, Promise.EFFECT_HAPPENS, Promise.DISTINCT_INTENTS}

RUNS: dict[str, tuple[int, list[Outcome], set[Promise]]] = {
    # name: effects, what the user was told call by call, promises that this one run breaks
    "same-id-twice-protected": (1, [OK, OK], set()),  # the second call gets the recorded result
    "same-id-twice-unprotected": (2, [OK, OK], {ONCE}),  # an ID that nobody looks at protects nothing
    "changed-input-protected": (1, [OK, UNKNOWN], set()),  # the conflict goes to the owner
    # The second wish is answered with what was done for the first.
    "changed-input-unprotected": (1, [OK, OK], {CONFLICTS, *SWALLOWED}),
    "two-at-once-protected": (1, [UNKNOWN, OK], set()),  # the loser hears pending at once, and has one attempt
    "response-dropped-protected": (1, [OK], set()),
    "response-dropped-unprotected": (2, [OK], {ONCE}),
    "downstream-timeout-protected": (1, [UNKNOWN], set()),  # the effect exists, and nobody claims to know
    # Calling it failed settles nothing, and names nobody who does.
    "downstream-timeout-unprotected": (1, [FAILED], {NOTHING_HAPPENED, SAID, PENDS}),
    "crash-before-receipt-protected": (1, [OK], set()),  # the readback finds it
    "crash-before-receipt-unprotected": (2, [OK], {ONCE}),
    "reservation-without-write-protected": (1, [OK], set()),  # not seen, taken over, made
    "reservation-without-write-unprotected": (0, [UNKNOWN], set()),  # held: lost, and said
    "past-retention-protected": (1, [UNKNOWN], set()),  # refused as expired
    "past-retention-unprotected": (2, [OK], {ONCE}),
    "other-tenant-protected": (2, [OK, OK], set()),  # two operations, one effect each
    "other-tenant-unprotected": (1, [OK, OK], {Promise.TENANTS_APART, *SWALLOWED}),
    "retention-at-once-protected": (1, [OK], set()),
    "retention-at-once-unprotected": (2, [OK], {ONCE}),
    "retention-near-its-end-protected": (1, [OK], set()),  # ten minutes before the end
    "retention-near-its-end-unprotected": (2, [OK], {ONCE}),  # sent one day after the first, landed after it
    "layered-retries-protected": (1, [OK], set()),
    "layered-retries-unprotected": (2, [OK], {ONCE}),
    "ticket-8s-with-key": (1, [OK], set()),
    "ticket-8s-without-key": (2, [OK], {ONCE}),
    "plain-write": (1, [OK], set()),  # nothing goes wrong in it
    "plain-write-without-faults": (1, [OK], set()),  # as plain-write
    "plain-keyed-write": (1, [OK], set()),  # as plain-write
    "plain-unkeyed-write": (1, [OK], set()),  # as plain-write: it is repeats that it cannot bear
}

FEWEST_FAULTS_FOR_A_DUPLICATE = {
    "same-id-twice-unprotected": 0,
    "two-at-once-unprotected": 0,  # some order of the two lets both see an empty record
    "response-dropped-unprotected": 1,
    "downstream-timeout-unprotected": None,  # one attempt: never two effects, only a wrong word
    "crash-before-receipt-unprotected": 1,
    "past-retention-unprotected": 1,
    "other-tenant-unprotected": None,  # no duplicate: the second tenant's wish is swallowed
    "retention-at-once-unprotected": 1,
    "retention-near-its-end-unprotected": 1,
    "layered-retries-unprotected": 1,
    "ticket-8s-without-key": 1,
}


def named(name: str) -> Scenario:
    return parse_scenario(scenario_content(name), file=name)


@pytest.mark.parametrize("name", RUNS)
def test_the_run_of_a_named_scenario_shows_what_its_story_says(name: str) -> None:
    effect_count, outcomes, broken = RUNS[name]

    told = run_story(named(name))

    found = {finding.promise for finding in told.findings if finding.verdict is PromiseVerdict.BROKEN}
    assert told.effect_count == effect_count
    assert [report.outcome for report in sorted(told.journal.of(Report), key=lambda report: report.at_s)] == outcomes
    assert found == broken


@pytest.mark.parametrize("name", [name for name in scenario_names() if name.endswith(("-protected", "-with-key"))])
def test_every_protected_form_makes_at_most_one_effect_whatever_one_fault_does(name: str) -> None:
    explored = explore(named(name), fault_budget=1, policy="as written").exploration

    assert explored.of(ONCE).is_proved
    assert explored.of(CONFLICTS).is_proved


@pytest.mark.parametrize("name", FEWEST_FAULTS_FOR_A_DUPLICATE)
def test_an_unprotected_form_duplicates_with_so_many_faults(name: str) -> None:
    explored = explore(named(name), fault_budget=1, policy="as written").exploration

    assert explored.of(ONCE).fewest_faults == FEWEST_FAULTS_FOR_A_DUPLICATE[name]


def test_every_scenario_of_the_catalog_has_a_row_and_a_source() -> None:
    undetermined = {"two-at-once-unprotected"}  # a race: its run may turn out either way, its exploration may not

    elsewhere = {name for name in scenario_names() if name.startswith(("publish-", "stack-"))}  # tests of their own

    assert set(scenario_names()) == set(RUNS) | undetermined | elsewhere
    for name in scenario_names():
        lines = scenario_content(name).decode().splitlines()
        assert scenario_about(name) == lines[0].removeprefix("# ")
        assert lines[1].startswith("# Source: ")


@pytest.mark.parametrize("name", scenario_names())
def test_a_scenario_read_and_written_again_is_the_same(name: str) -> None:
    scenario = named(name)

    assert parse_scenario(scenario_text(scenario).encode(), file=name) == scenario


def test_an_unknown_name_gets_the_nearest_ones() -> None:
    with pytest.raises(InputError, match="response-dropped-protected"):
        scenario_content("respons-dropped")
