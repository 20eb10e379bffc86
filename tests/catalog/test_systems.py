"""What every system of record of the catalog keeps to, whatever it says: names, sources, words, guesses."""

from datetime import date
from functools import cache

import pytest

from simkit.catalog import SourceKind, SystemEntry, SystemGrade, system_content, system_names
from simkit.choices import Deduplication
from simkit.contract.catalog_file import parse_system
from simkit.errors import InputError
from simkit.terms import RetentionKind
from tests.catalog.entry_fields import has

__all__: list[str] = []

NAMES = system_names()
SYSTEM_COUNT = 50
"""As many as there were notes on."""

IN_WORDS = ("key", "retention", "mismatch", "concurrent", "stored", "scope", "readback")
LISTS_OF_WORDS = ("cautions", "open_questions", "not_simulated")
SENTENCE_ENDS = (".", ".)", '."')
GUESSABLE = ("behaviour.", "readback_offer.")

SILENT = (
    ("retention", "behaviour.key_retention.retention"),
    ("mismatch", "behaviour.on_mismatch"),
    ("concurrent", "behaviour.on_concurrent"),
)
"""What the words may call unknown, and what is a guess then."""


@cache
def entry(name: str) -> SystemEntry:
    return parse_system(system_content(name), file=f"{name}.yaml")


def test_the_catalog_has_every_system_that_there_were_notes_on() -> None:
    assert len(NAMES) == SYSTEM_COUNT


@pytest.mark.parametrize("name", NAMES)
def test_a_system_loads_and_bears_the_name_of_its_file(name: str) -> None:
    assert entry(name).id == name


@pytest.mark.parametrize("name", NAMES)
def test_a_system_says_everything_in_words(name: str) -> None:
    system = entry(name)

    assert all(getattr(system, field).endswith(SENTENCE_ENDS) for field in ("summary", *IN_WORDS))
    assert all(text.endswith(SENTENCE_ENDS) for field in LISTS_OF_WORDS for text in getattr(system, field))


@pytest.mark.parametrize("name", NAMES)
def test_the_day_of_a_check_is_a_day(name: str) -> None:
    checked_at = entry(name).checked_at

    # Only what is written as a day is written alike again.
    assert date.fromisoformat(checked_at).isoformat() == checked_at


@pytest.mark.parametrize("name", NAMES)
def test_each_source_says_where_and_what(name: str) -> None:
    system = entry(name)

    assert all(source.where.strip() and source.says.strip() for source in system.sources)
    assert len({source.where for source in system.sources}) == len(system.sources)


@pytest.mark.parametrize("name", NAMES)
def test_a_grade_agrees_with_the_sources(name: str) -> None:
    system = entry(name)

    kinds = {source.kind for source in system.sources}
    if system.grade in (SystemGrade.OFFICIAL, SystemGrade.OFFICIAL_IN_PART):
        assert kinds & {SourceKind.OFFICIAL, SourceKind.VENDOR_CODE}
    if system.grade is SystemGrade.THIRD_PARTY:
        assert kinds
    if system.grade is SystemGrade.MEMORY:  # then somebody has to look, and is told what for
        assert system.open_questions


@pytest.mark.parametrize("name", NAMES)
def test_what_a_system_guesses_is_a_field_of_it_and_stands_there_once(name: str) -> None:
    system = entry(name)

    assert [path for path in system.guessed if not path.startswith(GUESSABLE) or not has(system, path)] == []
    assert len(set(system.guessed)) == len(system.guessed)


@pytest.mark.parametrize("name", NAMES)
def test_a_retention_that_nobody_states_is_listed_as_a_guess(name: str) -> None:
    system = entry(name)

    retention = system.behaviour.key_retention
    if retention is not None and retention.kind is RetentionKind.NOT_STATED:
        assert "behaviour.key_retention.retention" in system.guessed


@pytest.mark.parametrize("name", NAMES)
def test_where_the_words_say_unknown_the_data_is_listed_as_a_guess(name: str) -> None:
    system = entry(name)

    silent = [path for field, path in SILENT if getattr(system, field).startswith("Unknown")]
    assert [path for path in silent if has(system, path) and path not in system.guessed] == []


@pytest.mark.parametrize("name", NAMES)
def test_what_recognises_nothing_remembers_nothing_and_the_other_way_round(name: str) -> None:
    behaviour = entry(name).behaviour

    assert (behaviour.deduplication is Deduplication.NONE) is (behaviour.key_retention is None)


@pytest.mark.parametrize("name", NAMES)
def test_a_system_that_offers_a_readback_can_be_asked_in_that_way(name: str) -> None:
    system = entry(name)

    if system.readback_offer is not None:
        assert system.readback_offer.by in system.behaviour.asked_by


def test_a_path_that_leads_nowhere_is_found_out() -> None:
    assert has(entry("stripe-v1"), "behaviour.key_retention.counted_from")
    assert not has(entry("stripe-v1"), "behaviour.key_retention.counted_form")
    # What recognises nothing has no retention that could be guessed.
    assert not has(entry("github-issues"), "behaviour.key_retention.retention")


def test_an_unknown_system_gets_the_nearest_names() -> None:
    with pytest.raises(InputError, match="stripe-v1"):
        system_content("stripe")
