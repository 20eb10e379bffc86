"""Guesses of an entry, turned the other way: each other value that the field could well have.

=====================  ========================================================================================
guessed                turned to
=====================  ========================================================================================
a choice               the few other values that a system of this kind could have
a retention            nothing guaranteed, so that it may forget at any moment
what follows it        the key refused instead of run as new, or the reverse
a lag of a readback    none, and a day
how a repeat is known  not at all; or, where that is the guess, by its key for a day
=====================  ========================================================================================

A guess that has no such other way is named as not turned.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from simkit.catalog import SystemEntry
from simkit.choices import (
    CountedFrom,
    Deduplication,
    EffectKind,
    FailuresStored,
    KeyRecorded,
    OnConcurrent,
    ReadbackBy,
)
from simkit.errors import ScenarioError
from simkit.scenario import Retention, Scenario
from simkit.terms import OnExpired, OnMismatch, RetentionKind

__all__ = ["Turned", "can_be_turned", "turned_guesses"]

DAY_S: Final = 86_400.0
_BEHAVIOUR: Final = "behaviour."
_READBACK: Final = "readback_offer."

_CHOICES: Mapping[str, tuple[StrEnum, ...]] = MappingProxyType(
    {
        "on_mismatch": (OnMismatch.CONFLICT, OnMismatch.REPLAY, OnMismatch.RUN_AS_NEW),
        "on_concurrent": (OnConcurrent.CONFLICT_ERROR, OnConcurrent.ONE_WINS_REPLAY, OnConcurrent.BOTH_EXECUTE),
        "key_recorded": (KeyRecorded.BEFORE_EFFECT, KeyRecorded.WITH_EFFECT, KeyRecorded.ON_SUCCESS),
        "failures_stored": (FailuresStored.NONE, FailuresStored.DEFINITE, FailuresStored.ALL),
        "effect": (EffectKind.CREATE, EffectKind.ADD),
    }
)
_OF_RETENTION: Mapping[str, tuple[StrEnum, ...]] = MappingProxyType(
    {
        "kind": (RetentionKind.EXACT, RetentionKind.NOT_STATED),
        "after": (OnExpired.RUN_AS_NEW, OnExpired.REFUSE),
        "counted_from": (CountedFrom.FIRST_ATTEMPT, CountedFrom.COMPLETION),
    }
)
_LAGS_S: Final = (0.0, DAY_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """A world in which one guess is another one.

    Parameters
    ----------
    field
        What was guessed, as the entry's list has it.
    value
        What it is here, in words.
    """

    field: str
    value: str
    scenario: Scenario


def turned_guesses(entry: SystemEntry, scenario: Scenario) -> Iterator[Turned]:
    """Each guess that matters in this world turned each other way, one at a time."""
    for field in entry.guessed:
        for value, change in _other_ways(field, entry):
            try:
                world = change(scenario)
            except ScenarioError:  # the entry's other fields exclude this value
                continue
            if world != scenario:
                yield Turned(field=field, value=value, scenario=world)


def can_be_turned(field: str, entry: SystemEntry) -> bool:
    """Whether there is another way to guess it."""
    return next(iter(_other_ways(field, entry)), None) is not None


Change = Callable[[Scenario], Scenario]


def _other_ways(field: str, entry: SystemEntry) -> Iterator[tuple[str, Change]]:
    name = field.removeprefix(_BEHAVIOUR)
    if field.startswith(_READBACK) or field == _READBACK.rstrip("."):
        yield from _other_readbacks(field.removeprefix(_READBACK))
    elif name in _CHOICES:
        for choice in _CHOICES[name]:
            if choice is not getattr(entry.behaviour, name):
                yield str(choice), _downstream_change({name: choice})
    elif name == "deduplication":
        yield _other_recognition(entry)
    elif entry.behaviour.key_retention is not None and name.startswith("key_retention"):
        yield from _other_retentions(
            name.removeprefix("key_retention").removeprefix("."), entry.behaviour.key_retention
        )


def _other_recognition(entry: SystemEntry) -> tuple[str, Change]:
    if entry.behaviour.deduplication is not Deduplication.NONE:
        fields: dict[str, Any] = {"deduplication": Deduplication.NONE, "key_retention": None}
        return "no repeat is recognised", _downstream_change(fields)
    retention = Retention(retention_s=DAY_S, kind=RetentionKind.AT_LEAST, after=OnExpired.RUN_AS_NEW)
    fields = {
        "deduplication": Deduplication.RESPONSE_CACHE,
        "key_retention": retention,
        "on_mismatch": OnMismatch.CONFLICT,
        "on_concurrent": OnConcurrent.CONFLICT_ERROR,
        "key_recorded": KeyRecorded.WITH_EFFECT,
    }
    return "a repeat is recognised by its key for a day", _downstream_change(fields)


def _other_retentions(name: str, retention: Retention) -> Iterator[tuple[str, Change]]:
    is_length = name in ("", "retention", "retention_s")
    choices = (RetentionKind.NOT_STATED,) if is_length else _OF_RETENTION.get(name, ())
    field = "kind" if is_length else name
    for choice in choices:
        if choice is not getattr(retention, field):
            fields: dict[str, Any] = {field: choice}
            yield str(choice), _downstream_change({"key_retention": replace(retention, **fields)})


def _other_readbacks(name: str) -> Iterator[tuple[str, Change]]:
    if name == "lag":
        for lag_s in _LAGS_S:
            yield f"{lag_s:g} s", _readback_change({"lag_s_max": lag_s})
    elif name in ("by", "readback_offer"):
        for by in (ReadbackBy.OPERATION_ID, ReadbackBy.LIST):
            yield str(by), _readback_change({"by": by})


def _downstream_change(fields: Mapping[str, Any]) -> Change:
    def change(scenario: Scenario) -> Scenario:
        (stage,) = scenario.stages
        (system,) = scenario.downstreams
        return replace(scenario, stages=(replace(stage, downstream=replace(system, **fields)),))

    return change


def _readback_change(fields: Mapping[str, Any]) -> Change:
    def change(scenario: Scenario) -> Scenario:
        if scenario.server.readback is None:
            return scenario
        readback = replace(scenario.server.readback, **fields)
        asked_by = tuple(dict.fromkeys((*scenario.downstreams[0].asked_by, readback.by)))
        # What it can be asked by comes first: a world whose server asks by anything else has no meaning.
        asked = _downstream_change({"asked_by": asked_by})(scenario)
        return replace(asked, server=replace(asked.server, readback=readback))

    return change
