"""What kind of harm a run did: from broken promises, and from what was made and told, on journals written by hand."""

import pytest

from simkit.checks import check_all
from simkit.journal import Journal
from simkit.records import Effect, Intent
from simkit.study import outcome_classes
from simkit.terms import OutcomeClass, State
from tests.checks.journals import effect, fault, reported, run, tried

__all__: list[str] = []

DONE, LOST, STUCK = OutcomeClass.NONE, OutcomeClass.LOST_EFFECT, OutcomeClass.STUCK
CALLED_DONE = OutcomeClass.FAILURE_REPORTED_SUCCESS


def looking(state: str) -> Effect:
    """An effect after which its target looks like that."""
    return effect()._replace(state=state)


def classes(journal: Journal) -> set[OutcomeClass]:
    return set(outcome_classes(journal, check_all(journal)))


@pytest.mark.parametrize(
    ("journal", "kinds"),
    (
        (run(*tried(State.COMPLETED), effect(), reported(State.COMPLETED)), {DONE}),
        (run(*tried(State.COMPLETED), effect(), effect(), reported(State.COMPLETED)), {OutcomeClass.DUPLICATE_EFFECT}),
        # Told that it is done, and nothing was made.
        (run(*tried(State.COMPLETED), reported(State.COMPLETED)), {LOST, CALLED_DONE}),
        # Nothing was made, and whoever owns it knows that it is open.
        (run(fault(), *tried(State.UNKNOWN), reported(State.UNKNOWN)), {STUCK}),
        # Made, and left to its owner: nobody is harmed.
        (run(fault(), *tried(State.UNKNOWN), effect(), reported(State.UNKNOWN)), {DONE}),
        # Made, and called failed.
        (
            run(fault(), *tried(State.UNKNOWN), effect(), reported(State.REJECTED)),
            {OutcomeClass.EFFECT_DONE_REPORTED_FAILED},
        ),
        # Refused for good after a fault, and said so: an honest failure.
        (run(fault(), *tried(State.REJECTED), reported(State.REJECTED)), {DONE}),
        # The same without any fault: it was wanted, nothing stood against it, and it does not happen.
        (run(*tried(State.REJECTED), reported(State.REJECTED)), {STUCK}),
        # Never sent, and called done.
        (run(reported(State.COMPLETED)), {LOST, CALLED_DONE, OutcomeClass.LEGITIMATE_OPERATION_SUPPRESSED}),
    ),
)
def test_what_was_made_and_what_was_told_give_the_kind_of_harm(journal: Journal, kinds: set[OutcomeClass]) -> None:
    assert classes(journal) == kinds


def test_a_repeat_that_undoes_the_effect_loses_it() -> None:
    undone = run(*tried(State.COMPLETED), looking("on"), looking("off"), reported(State.COMPLETED))
    kept = run(*tried(State.COMPLETED), looking("on"), looking("on"), reported(State.COMPLETED))

    assert classes(undone) == {OutcomeClass.DUPLICATE_EFFECT, LOST}
    assert classes(kept) == {OutcomeClass.DUPLICATE_EFFECT}


def test_a_question_loses_nothing() -> None:
    asked = (Intent(intent="order", tenant="acme", inputs="red", wants_effect=False),)

    assert classes(run(*tried(State.COMPLETED), reported(State.COMPLETED), intents=asked)) == {DONE}
