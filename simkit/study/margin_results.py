"""How near a verdict is to another one, as data: margins of numbers, and what would lift it."""

from dataclasses import dataclass

from simkit.terms import Verdict

__all__ = ["Lift", "Margin", "Margins"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """By how much one time of the scenario may move, in one direction, before the verdict by structure flips.

    Parameters
    ----------
    number, called
        Its field, and what people call it.
    is_given
        Whether it is how the surroundings are, and not what somebody sets.
    value_s
        What the scenario says.
    direction
        `less` or `more`.
    flips_at_s
        The first value with another verdict, to the microsecond; None where none was found.
    kept_to_s
        The furthest value up to which the verdict is proved to stay.
    verdict_beyond
        At `flips_at_s`; None where none was found, or no time was left to see it.
    is_verified
        Whether both sides of the flip were explored anew: the verdict stays one microsecond short of it, and not there.
    is_exhaustive
        Whether the flip is proved to be the nearest, or, where none was found, that there is none up to
        `kept_to_s`, the end of what is looked at. Otherwise the limits ended the search there.
    """

    number: str
    called: str
    is_given: bool
    value_s: float
    direction: str
    flips_at_s: float | None
    kept_to_s: float
    verdict_before: Verdict
    verdict_beyond: Verdict | None
    is_verified: bool
    is_exhaustive: bool

    @property
    def distance_s(self) -> float:
        """Seconds from the value to the flip; infinite where there is none."""
        return float("inf") if self.flips_at_s is None else abs(self.flips_at_s - self.value_s)

    @property
    def is_lifting(self) -> bool:
        """Whether the verdict is a better one beyond the flip."""
        verdicts = (*Verdict,)
        beyond = self.verdict_beyond
        return beyond is not None and verdicts.index(beyond) < verdicts.index(self.verdict_before)

    @property
    def factor(self) -> float:
        """How many times more or less the flip is; infinite from or to 0, and where there is none."""
        ends_s = sorted((self.value_s, self.value_s if self.flips_at_s is None else self.flips_at_s))
        return ends_s[1] / ends_s[0] if self.flips_at_s is not None and ends_s[0] > 0 else float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lift:
    """A single change that would lift the verdict by structure, in words, and the verdict with it."""

    change: str
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Margins:
    """How near the verdict by structure is to another one.

    Parameters
    ----------
    numbers
        Each time of the scenario in both directions, in the order of its fields; none where the verdict was not known
        in time.
    lifts
        Declared choices each of which, changed alone, would lift the verdict.
    smallest
        The smallest single change that would; None where none was found or nothing is to be lifted.
    not_moved
        Times, as people call them, whose margins were not sought, since the waits are no whole multiples of them.
    """

    numbers: tuple[Margin, ...]
    lifts: tuple[Lift, ...]
    smallest: Lift | None
    not_moved: tuple[str, ...] = ()
