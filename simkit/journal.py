"""The append-only list of facts of one run, its digest, and its tables.

Checks and statistics read journals and nothing else, so that the simulator and a probe of a real
server are judged by the same code.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from simkit.records import Attempt, Effect, Fact, Report, StateChange

__all__ = ["Journal"]

F = TypeVar("F")


class Journal:
    """What happened in one run, in the order in which it happened."""

    __slots__ = ("_facts",)

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self._facts: list[Fact] = list(facts)

    def append(self, fact: Fact) -> None:
        """Add a fact at the end; facts are never changed or taken away."""
        self._facts.append(fact)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def of(self, kind: type[F]) -> list[F]:
        """All facts of one kind, in order."""
        return [fact for fact in self._facts if isinstance(fact, kind)]

    def tells_the_same_as(self, other: "Journal") -> bool:
        """Whether another journal holds equal facts in the same order, without the cost of two digests."""
        facts, twins = self._facts, list(other)
        return facts == twins and all(type(fact) is type(twin) for fact, twin in zip(facts, twins, strict=True))

    def to_json_lines(self) -> str:
        """One JSON object a line, keys sorted, the kind of the fact under `fact`."""
        return "".join(f"{_line(fact)}\n" for fact in self._facts)

    def digest(self) -> str:
        """SHA-256 of the JSON lines: equal for equal runs in any process."""
        return hashlib.sha256(self.to_json_lines().encode()).hexdigest()

    def to_frames(self) -> Mapping[str, Any]:
        """Tidy pandas frames `attempts`, `effects`, `states` and `reports`, instants in seconds."""
        import pandas as pd

        tables: dict[str, type[Attempt | Effect | StateChange | Report]] = {
            "attempts": Attempt,
            "effects": Effect,
            "states": StateChange,
            "reports": Report,
        }
        frames = {}
        for name, kind in tables.items():
            rows = [fact._asdict() for fact in self._facts if isinstance(fact, kind)]
            frames[name] = pd.DataFrame(rows, columns=kind._fields)
        return frames


def _line(fact: Fact) -> str:
    content = {"fact": type(fact).__name__} | fact._asdict()
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
