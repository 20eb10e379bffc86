"""Storm solves a PRISM program exactly; it is an oracle of the tests, and simkit never imports it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import stormpy

__all__ = ["Solved", "solve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """What Storm found: for each formula the smallest and the largest probability of ever reaching it."""

    ranges: tuple[tuple[Fraction, Fraction], ...]
    state_count: int
    choice_count: int

    @property
    def is_chain(self) -> bool:
        """Whether nothing is left open in any state, so that the process is a Markov chain."""
        return self.choice_count == self.state_count


def solve(program: str, formulas: Sequence[str], folder: Path) -> Solved:
    """Build a program over rational numbers and solve it; Storm reads it from a file in `folder`."""
    path = folder / "model.prism"
    path.write_text(program, encoding="utf-8")
    parsed = stormpy.parse_prism_program(str(path))
    asked = "; ".join(f"{least}=? [F {formula}]" for formula in formulas for least in ("Pmin", "Pmax"))
    properties = stormpy.parse_properties(asked, parsed)
    model = stormpy.build_model[stormpy.Rational](parsed, properties)
    (start,) = model.initial_states
    found = iter(
        [
            Fraction(str(stormpy.model_checking(model, one, only_initial_states=True).get_value(start)))
            for one in properties
        ]
    )
    return Solved(
        ranges=tuple(zip(found, found, strict=True)),
        state_count=model.nr_states,
        choice_count=model.nr_choices,
    )
