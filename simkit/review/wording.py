"""How names, sites, counts and answers are said on the page."""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

from simkit.contract import UNKNOWN, Duration, NotApplicable
from simkit.study.story import site_in_words
from simkit.terms import LayerName

__all__ = [
    "LABEL_LENGTH_MAX",
    "answer_words",
    "count_words",
    "effect_words",
    "hop_words",
    "layer_words",
    "list_words",
    "range_words",
    "schedule_words",
    "window_words",
]


LABEL_LENGTH_MAX: Final = 24

_LAYERS = MappingProxyType(
    {
        LayerName.AGENT: "agent",
        LayerName.GATEWAY: "gateway",
        LayerName.CLIENT_SDK: "MCP client SDK",
        LayerName.DOWNSTREAM_SDK: "downstream SDK",
    }
)


def layer_words(name: LayerName) -> str:
    """Name of a layer as people write it."""
    return _LAYERS[name]


def effect_words(name: str, number: int) -> str:
    """Name of an effect where it is short enough for a label, else its number from 1."""
    return name if len(name) <= LABEL_LENGTH_MAX else f"effect {number}"


def hop_words(hop: str) -> str:
    """`agent_to_gateway` as words."""
    return hop.replace("_", " ")


def window_words(site: str) -> str:
    """A crash window by the durable step that was passed last.

    Examples
    --------
    >>> window_words("server.after_effect")
    'after the effect'
    """
    when, _, step = site.rpartition(".")[2].partition("_")
    return f"{when} the {step.replace('_', ' ')}"


def schedule_words(faults: tuple[str, ...]) -> str:
    """A list of faults as words, in order."""
    return ", then ".join(site_in_words(fault) for fault in faults)


def count_words(count: int, noun: str, nouns: str) -> str:
    """`1 fault`, `1,200 faults`."""
    return f"{count:,} {noun if count == 1 else nouns}"


def range_words(count_min: int, count_max: int) -> str:
    """`1`, or `0 to 2`."""
    return str(count_min) if count_min == count_max else f"{count_min} to {count_max}"


def list_words(words: Iterable[str], *, length_max: int = 150) -> str:
    """Words joined by commas; those that would make the text longer than that are counted."""
    shown: list[str] = []
    rest = list(words)
    while rest and (not shown or len(", ".join([*shown, rest[0]])) <= length_max):
        shown.append(rest.pop(0))
    text = ", ".join(shown)
    return f"{text} and {len(rest):,} more" if rest else text


def answer_words(value: object) -> str:
    """Any answer of a review file: a value, a list, `unknown`, or why the question has no meaning."""
    if value is UNKNOWN:
        return "unknown"
    if isinstance(value, NotApplicable):
        return f"none, because {value.because}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Duration):
        return value.text.replace(" ", "\u00a0")
    if isinstance(value, tuple):
        return list_words(str(item) for item in value) or "none"
    return str(value)
