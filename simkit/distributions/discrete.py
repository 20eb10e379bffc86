"""A law of single durations: with it an enumeration stays exact for the model."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from simkit.distributions.law import Cell, Law
from simkit.errors import ScenarioError

__all__ = ["Atom", "Discrete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """One duration, and how often it occurs relative to the others."""

    duration_s: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrete(Law):
    """One of a few durations; for instance what was measured, in classes."""

    atoms: tuple[Atom, ...]

    def __post_init__(self) -> None:
        durations_s = [atom.duration_s for atom in self.atoms]
        if not durations_s or durations_s != sorted(set(durations_s)) or durations_s[0] < 0:
            message = f"discrete: atoms, each duration once, the shortest first; got {durations_s}"
            raise ScenarioError(message)
        for atom in self.atoms:
            if not (math.isfinite(atom.weight) and atom.weight > 0 and math.isfinite(atom.duration_s)):
                message = f"discrete: an atom is finite and its weight above 0, got {atom.duration_s}, {atom.weight}"
                raise ScenarioError(message)

    @classmethod
    def of(cls, seconds: float) -> "Discrete":
        """Always the same duration."""
        return cls(atoms=(Atom(duration_s=seconds, weight=1.0),))

    def beyond_probability(self, duration_s: float) -> float:
        """Probability that it takes longer."""
        longer = math.fsum(atom.weight for atom in self.atoms if atom.duration_s > duration_s)
        return longer / math.fsum(atom.weight for atom in self.atoms)

    def quantile_beyond_s(self, probability: float) -> float:
        """Shortest duration that is exceeded with no more than that probability."""
        return next(atom.duration_s for atom in self.atoms if self.beyond_probability(atom.duration_s) <= probability)

    def cells(self, s_min: float, s_max: float, cuts_s: Iterable[float]) -> tuple[Cell, ...]:
        """Each duration between the bounds by itself; no cut could tell more."""
        inside = [atom for atom in self.atoms if s_min <= atom.duration_s <= s_max]
        total = math.fsum(atom.weight for atom in inside)
        return tuple(
            Cell(law=self, s_min=atom.duration_s, s_max=atom.duration_s, probability=atom.weight / total)
            for atom in inside
        )
