"""All that one attempt can do from a state: a tree of questions that ends in other states, or in the end of the run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import fsum

from simkit.chance import Answered, Question
from simkit.errors import Divergence
from simkit.world import AttemptRun

__all__ = ["Asked", "Attempt", "Onward", "Value"]

MASS_ERROR_MAX = 1e-12

Value = tuple[float, float]
"""Probability of a broken promise: with the most lenient picks, and with the worst."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Onward:
    """An attempt ended, and another one is about to be sent.

    Parameters
    ----------
    state
        Its number.
    origins
        For each instant of the new state its index in the old one, or -1.
    ages_us
        For each instant that is new: its age; for the others 0.
    elapsed_us
        How long the attempt took.
    """

    state: int
    origins: tuple[int, ...]
    ages_us: tuple[int, ...]
    elapsed_us: int

    def aged_us(self, before_us: Sequence[int]) -> Iterator[int]:
        """The age of each instant of the new state, given those of the old one."""
        for origin, age_us in zip(self.origins, self.ages_us, strict=True):
            yield age_us if origin < 0 else before_us[origin] + self.elapsed_us


@dataclass(slots=True, kw_only=True)
class Asked:
    """A question with what follows each answer: another question, another attempt, or the end, broken or not.

    Parameters
    ----------
    site
        Without the path of the attempt.
    weights
        None for a pick.
    """

    site: str
    weights: tuple[float, ...] | None
    answers: "dict[int, Asked | Onward | bool]" = field(default_factory=dict)

    def value(self, onward_value: Callable[[Onward], Value]) -> Value:
        """Backward induction; an answer that cannot come has no weight."""
        found = {answer: _value(follows, onward_value) for answer, follows in self.answers.items()}
        if self.weights is None:
            return min(low for low, _ in found.values()), max(high for _, high in found.values())
        weighted = [(self.weights[answer], value) for answer, value in found.items()]
        return fsum(weight * low for weight, (low, _) in weighted), fsum(
            weight * high for weight, (_, high) in weighted
        )

    def ends(self) -> Iterator[tuple[tuple[int, ...], Onward]]:
        """Every other attempt that may follow, with the answers that lead to it."""
        for answer, follows in self.answers.items():
            if isinstance(follows, Onward):
                yield (answer,), follows
            elif isinstance(follows, Asked):
                for answers, onward in follows.ends():
                    yield (answer, *answers), onward

    def insist_on_whole_mass(self) -> None:
        """Raise `Divergence` unless the answers hold all the probability."""
        if self.weights is not None:
            mass = fsum(self.weights[answer] for answer in self.answers)
            if abs(mass - 1) > MASS_ERROR_MAX:
                message = f"{self.site}: the answers hold {mass!r} of the probability, not 1"
                raise Divergence(message)
        for follows in self.answers.values():
            if isinstance(follows, Asked):
                follows.insist_on_whole_mass()


@dataclass(slots=True)
class Attempt:
    """One attempt from one state.

    Attributes
    ----------
    root
        The first question; what follows at once is its only answer.
    ages_us_min, ages_us_max
        With which ages of the state's instants it goes like this, least included and most not; None: any.
    """

    root: Asked = field(default_factory=lambda: Asked(site="", weights=None))
    ages_us_min: list[int | None] = field(default_factory=list)
    ages_us_max: list[int | None] = field(default_factory=list)

    def add(self, trace: Sequence[Answered], end: Onward | bool, found: AttemptRun) -> None:  # noqa: FBT001
        """Add one run: what was asked during the attempt, and how that ended."""
        node, answer = self.root, 0
        for kind, site, weights, following, *_ in trace:
            bare = tuple(weight or 0.0 for weight in weights)
            asked = Asked(site=site.partition("@")[0], weights=None if kind is Question.PICK else bare)
            below = node.answers.setdefault(answer, asked)
            if not isinstance(below, Asked):
                message = f"{site}: after the same answers this attempt ended once, and is asked now"
                raise Divergence(message)
            node, answer = below, following
        node.answers[answer] = end
        self.ages_us_min = _merged(max, self.ages_us_min, found.ages_us_min)
        self.ages_us_max = _merged(min, self.ages_us_max, found.ages_us_max)

    def holds_for(self, ages_us: Sequence[int]) -> bool:
        """Whether it goes like this with these ages."""
        return all(
            (least is None or least <= age_us) and (most is None or age_us < most)
            for least, age_us, most in zip(self.ages_us_min, ages_us, self.ages_us_max, strict=True)
        )


def _value(follows: Asked | Onward | bool, onward_value: Callable[[Onward], Value]) -> Value:  # noqa: FBT001
    if isinstance(follows, Asked):
        return follows.value(onward_value)
    if isinstance(follows, Onward):
        return onward_value(follows)
    return float(follows), float(follows)


def _merged(
    stricter: Callable[[int, int], int], known: Sequence[int | None], more: Sequence[int | None]
) -> list[int | None]:
    if not known:
        return list(more)
    return [
        one if other is None else other if one is None else stricter(one, other)
        for one, other in zip(known, more, strict=True)
    ]
