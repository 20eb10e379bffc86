"""What every retry policy of the catalog keeps to, whatever it says: names, sources, guesses, places."""

import re

import pytest

from simkit.catalog import CheckedAgainst, PolicyEntry, PolicyGrade, SourceKind, policy_content, policy_names
from simkit.contract.catalog_file import parse_policy
from simkit.errors import InputError
from tests.catalog.entry_fields import has

NAMES = policy_names()
POLICY_COUNT = 74
"""As many as there were notes on."""

IN_WORDS = ("name", "package", "version", "summary", "retried", "waits", "budget", "retry_after", "key")


def entry(name: str) -> PolicyEntry:
    return parse_policy(policy_content(name), file=f"{name}.yaml")


def test_the_catalog_has_every_policy_that_there_were_notes_on() -> None:
    assert len(NAMES) == POLICY_COUNT


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_loads_and_bears_the_name_of_its_file(name: str) -> None:
    assert entry(name).id == name


@pytest.mark.parametrize("name", NAMES)
def test_what_a_policy_guesses_is_a_field_of_it(name: str) -> None:
    policy = entry(name)

    assert [path for path in policy.guessed if not has(policy, path)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_says_everything_in_words_and_names_a_source(name: str) -> None:
    policy = entry(name)

    assert all(getattr(policy, field).strip() for field in IN_WORDS)
    assert policy.sources
    assert policy.takes_place_of
    assert (policy.behaviour is None) != (policy.queue is None)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_holds_no_counts_or_waits_that_were_measured(name: str) -> None:
    """They are what the tests compare with: an entry that held them could not be wrong."""
    assert re.search(r"measured|p95|\bhits\b", policy_content(name).decode()) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_grade_agrees_with_the_sources_and_with_what_was_compared(name: str) -> None:
    policy = entry(name)

    kinds = {source.kind for source in policy.sources}
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", policy.checked_at)
    if policy.checked_against is CheckedAgainst.RUN:
        assert policy.grade is PolicyGrade.EXECUTED
    if policy.grade in (PolicyGrade.EXECUTED, PolicyGrade.SOURCE):
        assert SourceKind.VENDOR_CODE in kinds
    if policy.grade is PolicyGrade.NOT_VERIFIED:  # then all that decides is a guess, and says so
        assert {"behaviour.attempts", "behaviour.retries_on", "behaviour.timeout"} <= set(policy.guessed)
        assert policy.open_questions


@pytest.mark.parametrize("name", NAMES)
def test_the_longest_backoff_of_a_policy_can_be_told(name: str) -> None:
    behaviour = entry(name).behaviour

    if behaviour is not None:
        assert behaviour.longest_backoff_s() >= behaviour.wait_before(1).s_max or behaviour.attempts == 1


def test_an_unknown_policy_gets_the_nearest_names() -> None:
    with pytest.raises(InputError, match="botocore-standard-v2"):
        policy_content("botocore-standard-v3")
