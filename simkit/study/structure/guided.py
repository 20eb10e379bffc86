"""Runs that are guided through their decisions by what each decision is about, not by how many ways are open.

An order of steps that is not possible at the present value of a number may be possible at another one, so a
script of a plain exploration, whose answers count the possible ways only, says nothing there. Here every
way is an option, possible or not: of a way that is not possible is kept what it lacks, as a form that has to
reach zero. Where a script asks for such a way, the run ends with what is lacking.

What is lacking is the sum of the constraints around one cycle, and there may be others, so it tells how far the
number has to move at least. The least of several lines through a point is concave: between a value at
which a way lacks something and the value at which that is made up for, the way is never possible.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from simkit.chance import Chance, Question, Zone
from simkit.chance.zone import START
from simkit.errors import Divergence, OutOfReach
from simkit.study.structure.measured import Microseconds, Scale

__all__ = ["Choice", "Guide", "GuidedZone", "Other"]

Lacking = tuple[int, ...]

NOTHING: Lacking = ()


class Choice(NamedTuple):
    """What was taken at one decision: the option, and whether it is a fault."""

    site: str
    option: int
    fault_cost: int = 0


class Other(NamedTuple):
    """Another option of a decision, or where there is no choice, another verdict on the whole run.

    Parameters
    ----------
    at
        Index of the decision in the run.
    lacking
        Forms that must reach zero before it is possible; none where it is possible now.
    """

    at: int
    choice: Choice | None
    lacking: Lacking


class Guide(Chance):
    """Takes the options of a script, then the first possible one, and keeps the others.

    Parameters
    ----------
    fault_budget
        Other options are kept only within it.

    Raises
    ------
    OutOfReach
        If the script asks for what is not possible at the present values.
    Divergence
        If it was written for other decisions.
    """

    def __init__(self, script: Sequence[Choice], fault_budget: int, scale: Scale) -> None:
        self.trace: list[Choice] = []
        self.others: list[Other] = []
        self.fault_count = 0
        self._script = script
        self._fault_budget = fault_budget
        self._scale = scale

    def decide(self, site: str, lacking: Sequence[Lacking]) -> int:
        """Index of the option that is taken, of as many as there are entries of what each of them lacks."""
        index = len(self.trace)
        if index < len(self._script):
            choice = self._script[index]
            if choice.site != site or choice.option >= len(lacking):
                message = f"decision {index}: the script has {choice.site} {choice.option}, the world asks {site}"
                raise Divergence(message)
            if lacking[choice.option]:
                raise OutOfReach(lacking[choice.option])
            return self._take(choice)
        taken = next(option for option, missing in enumerate(lacking) if not missing)
        for option, missing in enumerate(lacking):
            if option != taken and all(map(self._scale.slopes, missing)):
                self.others.append(Other(index, Choice(site, option), missing))
        return self._take(Choice(site, taken))

    @property
    def is_past_script(self) -> bool:
        """Never: every order is an option of its own, so that no other order needs to be proposed."""
        return False

    def compare(self, is_less: bool, to_fail: int, to_hold: int) -> None:  # noqa: FBT001 (an answer, as Scale tells it)
        """Take the outcome of a comparison of two durations for a decision."""
        lacking = [NOTHING, (to_hold,)] if not is_less else [(to_fail,), NOTHING]
        self.decide("comparison", lacking)

    def reconsider(self, is_less: bool, to_fail: int, to_hold: int) -> None:  # noqa: FBT001 (as above)
        """Keep that the run, which is over, is to be judged again where a comparison of its judge ends otherwise."""
        self.others.append(Other(len(self.trace), None, (to_fail if is_less else to_hold,)))

    def assert_script_used(self) -> None:
        """Raise `Divergence` where the world ended before it had come to all decisions of the script."""
        if len(self.trace) < len(self._script):
            message = f"the world ended before decision {len(self.trace)}: {self._script[len(self.trace)].site}"
            raise Divergence(message)

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        index = len(self.trace)
        if index < len(self._script):
            return self.decide(site, [NOTHING] * len(weights))
        cost = 0 if kind is Question.PICK else 1
        if self.fault_count + cost <= self._fault_budget:
            self.others += [
                Other(index, Choice(site, option, cost), NOTHING)
                for option in range(1, len(weights))
                if weights[option] != 0
            ]
        return self._take(Choice(site, 0))

    def _take(self, choice: Choice) -> int:
        self.trace.append(choice)
        self.fault_count += choice.fault_cost
        return choice.option


class GuidedZone(Zone):
    """A zone whose bounds are packed forms, and in which a guide decides what is first."""

    __slots__ = ("_floors", "_guide", "_scale")

    def __init__(self, scale: Scale, guide: Guide) -> None:
        super().__init__()
        self._scale = scale
        self._guide = guide
        self._floors = scale.floor(0), scale.floor(1)

    def add(self, step: int, after: int, least: int, most: int) -> None:
        """Add a step, as any zone does."""
        super().add(step, after, self._scale.packed(least), self._scale.packed(most))

    def upper(self, step: int, other: int) -> int:
        """Most that t_step - t_other can be, in microseconds, at the present values."""
        return Microseconds.of(self._bounds[step][other], self._scale)

    def earliest(self, step: int) -> int:
        """Earliest instant of a step, with what it is made of."""
        return Microseconds.of(-self._bounds[START][step], self._scale)

    def possible_first(self, priorities: Mapping[int, int], touches: Mapping[int, int]) -> list[int]:
        """The one step that the guide takes."""
        steps = list(touches)
        if len(steps) <= 1:
            return steps
        bounds, shift, floors = self._bounds, self._scale.shift, self._floors
        lacking = []
        for step, places in touches.items():
            missing, priority = [], priorities[step]
            for other, other_places in touches.items():
                margin = priorities[other] < priority
                if other_places & places and bounds[other][step] < floors[margin] and other != step:
                    missing.append(bounds[other][step] - (margin << shift))
            lacking.append(tuple(missing))
        return [steps[self._guide.decide("order", lacking)]]

    def put_first(self, step: int, priorities: Mapping[int, int], touches: Mapping[int, int]) -> None:
        """Require that `step` is first among the steps that touch a place in common with it."""
        priority, places = priorities[step], touches[step]
        for other, other_places in touches.items():
            if other_places & places and other != step:
                self.tighten(step, other, -1 if priorities[other] < priority else 0)

    def sides(self, later: int, earlier: int, least: int) -> tuple[bool, bool]:
        """The one side that the guide takes."""
        bounds, packed, (none, _) = self._bounds, self._scale.packed(least), self._floors
        apart = bounds[later][earlier] - packed
        sooner = bounds[earlier][later] + packed - (1 << self._scale.shift)
        lacking = [NOTHING if form >= none else (form,) for form in (apart, sooner)]
        is_sooner = self._guide.decide("side", lacking) == 1
        return not is_sooner, is_sooner

    def put_side(self, later: int, earlier: int, least: int, *, is_apart: bool) -> None:
        """Require one of two sides, as any zone does."""
        packed, shift = self._scale.packed(least), self._scale.shift
        if is_apart:
            self._require(earlier, later, -packed)
        else:
            self._require(later, earlier, packed - (1 << shift))

    def tighten(self, step: int, other: int, most: int) -> bool:
        """Require t_step - t_other <= most, as any zone does; what is impossible ends the run."""
        self._require(step, other, self._scale.packed(most))
        return True

    def _require(self, step: int, other: int, most: int) -> None:
        bounds, (none, one) = self._bounds, self._floors
        if bounds[step][other] - most < one:
            return
        left = most + bounds[other][step]
        if left < none:
            raise OutOfReach((left,))
        self._relax(step, other, most)
