"""The exception tree.

::

    SimkitError
    ├── InputError        somebody wrote something that cannot be used; carries every problem found
    ├── ScenarioError     a scenario has no meaning: two fields exclude each other
    ├── Divergence        a replay was asked another question, or ended otherwise: simkit's own bug
    ├── OutOfReach        an order of steps is not possible at the value that is tried; caught where it is tried
    └── PageError         a text does not fit on the one page; names what to shorten

Simulated faults are values, never exceptions.
"""

from dataclasses import dataclass

__all__ = ["Divergence", "InputError", "OutOfReach", "PageError", "Problem", "ScenarioError", "SimkitError"]


class SimkitError(Exception):
    """Root of everything that simkit raises on purpose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a file that somebody wrote.

    Parameters
    ----------
    file
        Path as the person gave it.
    line
        Line from 1; 0 where the file as a whole is meant.
    field
        Dotted path of the field, empty where there is none.
    value
        The offending value as text, already shortened; empty where there is none.
    message
        What is wrong, in plain words.
    allowed
        What is allowed, in plain words; empty where the message says it.
    """

    file: str
    line: int
    field: str
    value: str
    message: str
    allowed: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        field = f" {self.field}:" if self.field else ""
        value = f" (got {self.value})" if self.value else ""
        allowed = f"; allowed: {self.allowed}" if self.allowed else ""
        return f"{where}:{field} {self.message}{value}{allowed}"


class InputError(SimkitError):
    """A file, or an argument, cannot be used. `problems` lists all that was found, in file order."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type["InputError"], tuple[tuple[Problem, ...]]]:
        """Come whole out of another process, where the message alone would be taken for the problems."""
        return type(self), (self.problems,)


class ScenarioError(SimkitError):
    """A scenario has no meaning; the message names the fields that exclude each other."""


class Divergence(SimkitError):
    """A replay was asked another question than the run that it replays, or ended otherwise."""


class OutOfReach(SimkitError):
    """An order of steps that was asked for is not possible at the present values of the numbers.

    Parameters
    ----------
    lacking
        What it lacks: packed forms that would have to reach zero.
    """

    def __init__(self, lacking: tuple[int, ...]) -> None:
        super().__init__(f"lacking {lacking}")
        self.lacking = lacking


class PageError(SimkitError):
    """The page cannot hold what it must hold; the message names the field to shorten."""
