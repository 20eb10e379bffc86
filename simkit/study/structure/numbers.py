"""The numbers of a scenario that are times, by name, and the same scenario with one of them changed.

They are found in the fields themselves: whatever is a duration or an instant in seconds, and both ends of a wait.
A wait of one length is one number; of a wait between two ends each end is one.
Left out are how long an episode lasts and what a wait typically takes, since no order of steps depends on them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any

from simkit.chance import MICROSECONDS_PER_S, microseconds
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario import Scenario
from simkit.study.structure.whole_multiples import paths_not_followed

__all__ = ["Number", "numbers_not_moved", "numbers_of", "range_of", "with_number", "with_value"]

Path = tuple[str | int, ...]

LIMIT_FACTOR = 10

_UNIT = re.compile(r"_s(_max|_min)?$")
_NOT_COMPARED = frozenset({"episode_s", "s_typical"})
_UNSAID = frozenset({"conditions", "downstream", "stages", "hops", "layers", "calls", "s_min", "s_max"})
_GIVEN = frozenset({"latest_landing_s", "request", "response", "downstream", "clocks", "pause_s_max", "after_effect"})
_GIVEN_OF_READBACK = frozenset({"lag_s_max", "latency"})
_ENDS = MappingProxyType({"s_min": ", at least", "s_max": ", at most"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One time in a scenario.

    Parameters
    ----------
    name
        Its field, such as `hops.gateway_to_server.latest_landing_s`.
    words
        What people call it, such as `gateway to server: latest landing`.
    value
        In whole microseconds.
    path
        Fields and indices that lead to it; a wait of one length is led to as a whole.
    is_given
        Whether it is how the surroundings are, and not what somebody sets.
    """

    name: str
    words: str
    value: int
    path: Path
    is_given: bool


def numbers_of(scenario: Scenario) -> tuple[Number, ...]:
    """Every number of a scenario, in the order of its fields; when an only call begins is none, as all follows it."""
    is_alone, left_out = len(scenario.calls) == 1, paths_not_followed(scenario)
    return tuple(
        number
        for number in _numbers(scenario, (), ())
        if number.path not in left_out and not (is_alone and number.path[0] == "calls")
    )


def numbers_not_moved(scenario: Scenario) -> tuple[Number, ...]:
    """Those that a margin cannot follow, since some wait takes them in parts, or too often."""
    left_out = paths_not_followed(scenario)
    return tuple(number for number in _numbers(scenario, (), ()) if number.path in left_out and number.value)


def with_value(scenario: Scenario, number: Number, value: int) -> Scenario:
    """The same scenario with another value of a number, in microseconds.

    Raises
    ------
    ScenarioError
        If the scenario has no meaning with it.
    """
    return with_number(scenario, number, value / MICROSECONDS_PER_S)


def with_number(scenario: Scenario, number: Number, value_s: float) -> Scenario:
    """The same scenario with another value of a number, in seconds, which may know more than its value."""
    changed: Scenario = _changed(scenario, number.path, value_s)
    return changed


def range_of(scenario: Scenario, number: Number) -> tuple[int, int]:
    """The least and the largest value of a number that are looked at, in microseconds.

    From 0 to 10 times the value, or to the retry horizon where that is more, as far as the scenario has a meaning.
    """
    limit = max(LIMIT_FACTOR * number.value, microseconds(scenario.conditions.retry_horizon_s))

    def has_meaning(value: int) -> bool:
        try:
            with_value(scenario, number, value)
        except ScenarioError:
            return False
        return True

    return _furthest(number.value, 0, has_meaning), _furthest(number.value, limit, has_meaning)


def _furthest(good: int, wanted: int, has_meaning: Callable[[int], bool]) -> int:
    """The value nearest to `wanted` that still has a meaning."""
    if good == wanted or has_meaning(wanted):
        return wanted
    bad = wanted
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if has_meaning(middle) else (good, middle)
    return good


def _numbers(part: Any, path: Path, names: tuple[str, ...]) -> Iterator[Number]:
    for field in fields(part):
        content = getattr(part, field.name)
        here, called = (*path, field.name), (*names, field.name)
        if isinstance(content, Wait):
            yield from _ends(content, here, called)
        elif isinstance(content, float) and _UNIT.search(field.name) and field.name not in _NOT_COMPARED:
            yield _number(content, here, called)
        elif is_dataclass(content):
            yield from _numbers(content, here, called)
        elif isinstance(content, tuple):
            for index, element in enumerate(content):
                if is_dataclass(element):
                    yield from _numbers(element, (*here, index), (*called, _name_of(element, index)))


def _ends(wait: Wait, path: Path, names: tuple[str, ...]) -> Iterator[Number]:
    if wait.s_min == wait.s_max:
        yield _number(wait.s_min, path, names)
        return
    for end in _ENDS:
        yield _number(getattr(wait, end), (*path, end), (*names, end))


def _number(value_s: float, path: Path, names: tuple[str, ...]) -> Number:
    end = next((said for ending, said in _ENDS.items() if names[-1].endswith(ending)), "")
    words = [_UNIT.sub("", name).replace("_", " ") for name in names if name not in _UNSAID]
    words = [word for word, before in zip(words, ["", *words], strict=False) if not before.endswith(word)]
    is_given = not _GIVEN.isdisjoint(names) or ("readback" in names and not _GIVEN_OF_READBACK.isdisjoint(names))
    return Number(
        name=".".join(names),
        words=(f"{words[0]}: {' '.join(words[1:])}" if len(words) > 1 else words[0]) + end,
        value=microseconds(value_s),
        path=path,
        is_given=is_given,
    )


def _name_of(element: Any, index: int) -> str:
    for field in ("name", "intent", "party", "site"):
        if hasattr(element, field):
            return str(getattr(element, field))
    return str(index + 1)


def _changed(part: Any, path: Path, value_s: float) -> Any:
    if isinstance(part, Wait):
        return _changed_wait(part, path[0] if path else "", value_s)
    if not path:
        return value_s
    first, rest = path[0], path[1:]
    if isinstance(first, int):
        return (*part[:first], _changed(part[first], rest, value_s), *part[first + 1 :])
    return replace(part, **{first: _changed(getattr(part, first), rest, value_s)})


def _changed_wait(wait: Wait, end: str | int, value_s: float) -> Wait:
    """A wait with one end, or all of it, changed; its law and its typical duration make no difference here."""
    if not end:
        return Wait.of(value_s)
    least_s, most_s = (value_s, wait.s_max) if end == "s_min" else (wait.s_min, value_s)
    return Wait(s_min=least_s, s_typical=most_s, s_max=most_s)
