"""Guesses of an entry: each names a field of its data, and what the data leaves out is guessed as well."""

import pytest

from simkit.catalog import system_content
from simkit.contract.catalog_file import parse_system
from simkit.errors import InputError

STRIPE = system_content("stripe-v1").decode()
GUESSED = STRIPE[STRIPE.index("guessed:\n") : STRIPE.index("not_simulated:")]


def guessing(*fields: str) -> bytes:
    return STRIPE.replace(GUESSED, f"guessed: [{', '.join(fields)}]\n").encode()


@pytest.mark.parametrize("field", ("behaviour.key_recordet", "key_recorded", "behaviour", "readback_offer.lag.most"))
def test_a_guess_that_names_no_field_is_refused_by_line_with_the_nearest_ones(field: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_system(guessing("readback_offer.lag", field), file="own.yaml")

    (problem,) = caught.value.problems
    line = STRIPE[: STRIPE.index("guessed:\n")].count("\n") + 1
    assert (problem.file, problem.line, problem.field, problem.value) == ("own.yaml", line, "guessed.1", field)
    assert "behaviour." in problem.allowed or "readback_offer." in problem.allowed


def test_what_the_data_does_not_say_of_a_repeat_is_guessed() -> None:
    # By default a key is recorded with the effect, which protects: nobody has said so of this system.
    silent = STRIPE.replace("  key_recorded: when the endpoint starts\n", "").replace("  failures_stored: all\n", "")

    entry = parse_system(silent.replace(GUESSED, "guessed: []\n").encode(), file="own.yaml")

    assert entry.guessed == ("behaviour.key_recorded", "behaviour.failures_stored")


def test_what_recognises_no_repeat_leaves_nothing_to_guess_about_one() -> None:
    slack = parse_system(system_content("slack"), file="slack.yaml")

    assert "behaviour.key_recorded" not in slack.guessed


def test_a_guessed_retention_is_a_guess_of_each_of_its_fields() -> None:
    # Somebody who states how long it lasts has not stated what follows.
    entry = parse_system(guessing("behaviour.key_retention"), file="own.yaml")

    assert entry.guessed == tuple(
        f"behaviour.key_retention.{field}" for field in ("retention", "kind", "after", "counted_from")
    )
