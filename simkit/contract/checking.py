"""What is wrong with a file of any kind, or, where nothing is, what it leaves open."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

from simkit.contract.file_kinds import FileKind, kind_of_file
from simkit.contract.incident_file import parse_incident
from simkit.contract.known_entries import read_entry
from simkit.contract.load_file import parse_load
from simkit.contract.loading import parse_review
from simkit.contract.scenario_file import parse_composed

__all__ = ["Checked", "check_content"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A file that is valid.

    Parameters
    ----------
    gaps
        What is contradicted, unknown or guessed in it, or what it took from the catalog.
    """

    kind: FileKind
    gaps: tuple[str, ...]


def check_content(content: bytes, *, file: str) -> Checked:
    """Read a file of any kind, which its fields tell; `file` names it in messages.

    Raises
    ------
    InputError
        With every problem that was found, in file order.
    """
    kind = kind_of_file(content, file=file)
    return Checked(kind=kind, gaps=_GAPS[kind](content, file))


def _of_review(content: bytes, file: str) -> tuple[str, ...]:
    review = parse_review(content, file=file)
    unknown = (f"unknown: {field}" for field in review.unknown_in_words())
    return (*(f"contradiction: {text}" for text in review.contradictions()), *unknown)


def _of_entry(content: bytes, file: str) -> tuple[str, ...]:
    return tuple(f"guessed: {field}" for field in read_entry(content, file=file).guessed)


def _of_scenario(content: bytes, file: str) -> tuple[str, ...]:
    return tuple(f"from the catalog: {taken.in_words}" for taken in parse_composed(content, file=file).taken)


def _of_incident(content: bytes, file: str) -> tuple[str, ...]:
    parse_incident(content, file=file)
    return ()


def _of_load(content: bytes, file: str) -> tuple[str, ...]:
    parse_load(content, file=file)
    return ()


_GAPS: MappingProxyType[FileKind, Callable[[bytes, str], tuple[str, ...]]] = MappingProxyType(
    {
        FileKind.REVIEW: _of_review,
        FileKind.POLICY: _of_entry,
        FileKind.SYSTEM: _of_entry,
        FileKind.INCIDENT: _of_incident,
        FileKind.LOAD: _of_load,
        FileKind.SCENARIO: _of_scenario,
    }
)
