"""The worked example publish_schedule: situations with the decision that each deserves, and what is wrong otherwise.

Revision 42 was approved for the coaches of 42; meanwhile the source moves on to revision 43 and its coaches.
"""

import pytest

from simkit.catalog import scenario_content
from simkit.checks import check_all
from simkit.contract import parse_scenario
from simkit.records import Effect, Report
from simkit.scenario import Scenario
from simkit.study import Story, explore, run_story
from simkit.terms import Outcome, Promise, PromiseVerdict

__all__: list[str] = []

OK, FAILED, UNKNOWN = Outcome.OK, Outcome.FAILED, Outcome.UNKNOWN
PUBLISHED = ("publication", "revision 42", "coaches of 42")
NOTIFIED = ("notification", "revision 42", "coaches of 42")


def named(name: str) -> Scenario:
    return parse_scenario(scenario_content(name), file=name)


def made(told: Story) -> list[tuple[str, str, str]]:
    """Stage, content and audience of each effect, in order."""
    return [(effect.stage, effect.inputs, effect.audience) for effect in told.journal.of(Effect)]


def said(told: Story) -> list[Outcome]:
    return [report.outcome for report in sorted(told.journal.of(Report), key=lambda report: report.at_s)]


def broken(told: Story) -> set[Promise]:
    return {finding.promise for finding in told.findings if finding.verdict is PromiseVerdict.BROKEN}


@pytest.mark.parametrize(
    ("name", "effects", "outcomes"),
    (
        # The handler dies before its receipt: the publication is confirmed, the notification made on its own.
        ("publish-schedule", [PUBLISHED, NOTIFIED], [OK]),
        # Row 1, rejected before execution: nothing began, and the caller hears so.
        ("publish-rejected-before-execution", [], [FAILED]),
        # Row 2, publication receipt with notifications pending: the publication is kept, the rest is recovered.
        ("publish-notifications-pending", [PUBLISHED, NOTIFIED], [OK]),
        # Row 3, same ID with a changed revision: the second is a conflict, which is left to the owner.
        ("publish-changed-revision", [PUBLISHED, NOTIFIED], [OK, UNKNOWN]),
        # Row 4, timeout with unavailable readback: held, although the publication happened; nobody guesses.
        ("publish-readback-unavailable", [PUBLISHED], [UNKNOWN]),
        # Row 5, an ID past its retention: not replayed.
        ("publish-past-retention", [PUBLISHED, NOTIFIED], [UNKNOWN]),
    ),
)
def test_each_row_of_the_evidence_table_gets_its_decision(
    name: str, effects: list[tuple[str, str, str]], outcomes: list[Outcome]
) -> None:
    told = run_story(named(name))

    assert made(told) == effects
    assert said(told) == outcomes
    assert broken(told) == set()


@pytest.mark.parametrize(
    ("name", "harm"),
    (
        # op-42-b: nothing connects it with the first, so the publication runs twice, and the first stays open.
        ("publish-with-a-fresh-id", {Promise.AT_MOST_ONE_EFFECT, Promise.NOTHING_PENDS}),
        ("publish-everything-again", {Promise.AT_MOST_ONE_EFFECT}),
        ("publish-the-newer-revision", {Promise.APPROVAL_RESPECTED}),
        ("publish-to-a-wider-audience", {Promise.AUDIENCE_APPROVED}),
        ("publish-taken-for-absent", {Promise.AT_MOST_ONE_EFFECT}),
        ("publish-replayed-blindly", {Promise.AT_MOST_ONE_EFFECT}),
        # The user hears that all is done, and no coach was told.
        ("publish-called-finished-on-acceptance", {Promise.EFFECT_HAPPENS, Promise.COMPLETED_MEANS_DONE}),
    ),
)
def test_a_wrong_recovery_is_found_wrong(name: str, harm: set[Promise]) -> None:
    told = run_story(named(name))

    assert broken(told) == harm


def test_the_right_recovery_keeps_every_effect_promise_whatever_one_fault_does() -> None:
    explored = explore(named("publish-schedule"), fault_budget=1, policy="as written").exploration

    assert [
        result.promise for result in explored.promises if result.promise.is_about_effects and not result.is_proved
    ] == []


def test_the_newer_revision_is_what_the_wrong_recovery_publishes() -> None:
    told = run_story(named("publish-the-newer-revision"))

    assert {content for _, content, _ in made(told)} == {"revision 43"}
    assert check_all(told.journal) == told.findings
