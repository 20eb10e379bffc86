"""One attempt from each state, chained: the number of attempts only decides how often.

Where nothing is in flight between two attempts, all that the next one can depend on is a state (`simkit.world`
reads it), and equal states are merged. Each is reached by one list of answers that leads there, and all that an
attempt can do from there is enumerated; how many attempts there are then costs no run. What it comes to is
backward induction: sums at chance, min and max at picks. A promise that is broken stays broken, so there it ends.

Ages grow with each attempt, so that no state would ever come back. But all that an attempt can ask of an age is
whether it has passed some duration; so with every attempt stand the ages with which it goes the same way, and an age
that cannot reach the next such border any more before the last attempt counts as the border that it has passed.

Guards: what is in flight between attempts is refused; each attempt is enumerated from a second way into its state
too, where there is one, and must look the same; an instant whose age is asked for must be part of the state.

References
----------
Kemeny & Snell, "Finite Markov Chains" (1960), section 6.3, for merging states of a chain.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from simkit.chance import MICROSECONDS_PER_S, Answered, Question, Scripted, alternatives
from simkit.choices import Drift, KeySent, OnRejected
from simkit.errors import Divergence, ScenarioError
from simkit.journal import Journal
from simkit.records import End
from simkit.scenario import Scenario
from simkit.study.probability.ages import Borders
from simkit.study.probability.attempts import Attempt, Onward, Value
from simkit.study.probability.estimates import Task
from simkit.study.probability.history import history
from simkit.terms import Identity, Promise
from simkit.world import AttemptRun, InFlight, Plan, Standing, planned, run_attempt

__all__ = ["Chain"]

STATE_COUNT_MAX = 2_000
PASS_COUNT_MAX = 1_000

NOTHING: Value = (0.0, 1.0)
"""What is known where nothing was looked at."""


class _Place(NamedTuple):
    """The number of a state, and the ages of its instants as far as they matter, in microseconds."""

    state: int
    ages_us: tuple[int, ...]


class _Way(NamedTuple):
    """Answers that lead to a place, through so many attempts."""

    answers: tuple[int, ...]
    attempt_count: int


class Chain:
    """The attempts of one task, each from one state.

    Attributes
    ----------
    was_stopped
        Whether something was not looked at, because of a limit.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self.attempt_count = task.scenario.layers[0].attempts or 0  # without an end there is no chain
        self.run_count, self.was_stopped = 0, False
        self._names_attempts = _names_attempts(task.scenario)
        self._numbers: dict[Hashable, int] = {}
        self._borders = Borders()
        self._longest_us, self._last_s = 0, 0.0
        self._attempts: dict[tuple[int, bool], list[Attempt]] = {}
        self._plans: dict[int, Plan] = {self.attempt_count: task.plan}
        self._ways: dict[_Place, _Way] = {}
        self._other_ways: dict[_Place, _Way] = {}
        self._levels: list[dict[_Place, Attempt | None]] = []

    @property
    def state_count(self) -> int:
        """States that are told apart, whatever the ages."""
        return len({state for state, _ in self._attempts})

    def value(self) -> Value:
        """Probability of a broken promise, from the first attempt on.

        Raises
        ------
        ScenarioError
            If something is in flight between two attempts, states do not come back, or a run may be too long.
        Divergence
            If two ways into one state are followed by different attempts.
        """
        start = self.follow()
        try:
            self._insist_on_one_attempt_for_all_ways()
        except KeyboardInterrupt:  # what was found so far still holds, though not all of it was looked at twice
            self.was_stopped = True
        self._insist_on_deadline()
        values: dict[_Place, Value] = {}
        for index in reversed(range(self.attempt_count)):
            values = {
                place: self._value(index, place, attempt, values) for place, attempt in self._levels[index].items()
            }
        return values[start]

    def follow(self) -> _Place:
        """Follow the attempts until nothing about them is new; return where the first one starts."""
        first = self._run(self.attempt_count, Scripted(), 0)
        for _ in range(PASS_COUNT_MAX):
            start = self._start(first)
            if self._is_through(start):
                return start
        message = f"after {PASS_COUNT_MAX} passes the same ages still make new differences"
        raise Divergence(message)

    def _differences(self) -> tuple[int, int]:
        """What decides which ages are merged; it only grows."""
        return len(self._borders), self._longest_us

    def _start(self, first: AttemptRun) -> _Place:
        if first.before is None:
            raise Divergence("the run ended before the agent sent anything")
        return _Place(self._state(first, first.before), self._merged_us(first.before.ages_us, 0))

    def _is_through(self, start: _Place) -> bool:
        """Follow every attempt from every place, level by level; False as soon as other ages are to be told apart."""
        self._ways, self._other_ways, self._levels = {start: _Way((), 0)}, {}, []
        places = [start]
        for index in range(self.attempt_count):
            known = self._differences()
            level = {place: self._attempt(place, is_last=index == self.attempt_count - 1) for place in places}
            if known != self._differences():
                return False
            self._levels.append(level)
            places = list(self._after(index, level))
            if len(places) > STATE_COUNT_MAX:
                message = (
                    f"merged chain: not offered here: states do not come back, there are over {STATE_COUNT_MAX:,} "
                    f"before attempt {index + 2}"
                )
                raise ScenarioError(message)
        return True

    def _after(self, index: int, level: Mapping[_Place, Attempt | None]) -> dict[_Place, None]:
        """Where the attempts of a level lead, with ways."""
        after: dict[_Place, None] = {}
        for place, attempt in level.items():
            way = self._ways[place]
            for answers, onward in () if attempt is None else attempt.root.ends():
                next_place = self._place(index + 1, place, onward)
                after[next_place] = None
                self._note(next_place, _Way(way.answers + answers[1:], way.attempt_count + 1))
        return after

    def _note(self, place: _Place, way: _Way) -> None:
        known = self._ways.setdefault(place, way)
        # What is new in an attempt may be named after it: then only equally long ways see it under one name.
        is_comparable = known.attempt_count == way.attempt_count or not self._names_attempts
        if known.answers != way.answers and is_comparable:
            self._other_ways.setdefault(place, way)

    def _place(self, index: int, place: _Place, onward: Onward) -> _Place:
        """Where an attempt leads, before attempt `index`."""
        return _Place(onward.state, self._merged_us(onward.aged_us(place.ages_us), index))

    def _merged_us(self, ages_us: Iterable[int], index: int) -> tuple[int, ...]:
        ahead_us = (self.attempt_count - 1 - index) * self._longest_us
        return tuple(self._borders.merged_us(age_us, ahead_us) for age_us in ages_us)

    def _attempt(self, place: _Place, *, is_last: bool) -> Attempt | None:
        """The attempt from a place, enumerated where it is new; None where a limit forbids that."""
        known = self._attempts.setdefault((place.state, is_last), [])
        for attempt in known:
            if attempt.holds_for(place.ages_us):
                return attempt
        try:
            found = self._enumerated(place.state, self._ways[place], is_last=is_last)
        except KeyboardInterrupt:  # what was found so far still holds
            self.was_stopped = True
            return None
        if found is not None:
            known.append(found)
            self._borders.add((*found.ages_us_min, *found.ages_us_max))
        return found

    def _enumerated(self, state: int, way: _Way, *, is_last: bool) -> Attempt | None:
        """All that an attempt can do that is sent when a way was gone; None where a limit cuts it short."""
        attempt = Attempt()
        # In a shorter run as well as in the whole one, this attempt is the last one, or is not.
        allowed = way.attempt_count + (1 if is_last else 2)
        waiting: list[tuple[Scripted, int]] = [(_Replayed(way.answers), len(way.answers))]
        while waiting:
            self.was_stopped |= self.run_count == self._task.run_count_max or self._task.is_over()
            if self.was_stopped:
                return None
            chance, script_length = waiting.pop()
            found = self._run(allowed, chance, way.attempt_count)
            self._insist_on_state(state, way, found)
            attempt.add(chance.trace[found.question_index :], self._end(found), found)
            others = alternatives(chance.trace, script_length, None)
            waiting.extend((Scripted(script), len(script)) for script in others)
        attempt.root.insist_on_whole_mass()
        return attempt

    def _state(self, found: AttemptRun, standing: Standing) -> int:
        """Number of the state, which is all that what follows can depend on but for ages."""
        so_far = Journal(islice(found.run.journal, standing.fact_count))
        return self._numbers.setdefault((standing.state, history(so_far)), len(self._numbers))

    def _insist_on_state(self, state: int, way: _Way, found: AttemptRun) -> None:
        """Raise `Divergence` unless a way leads to its state again."""
        before = found.before
        if before is None or found.question_index != len(way.answers) or self._state(found, before) != state:
            message = f"the {len(way.answers)} answers that led to a state lead elsewhere now"
            raise Divergence(message)

    def _run(self, attempt_count: int, chance: Scripted, index: int) -> AttemptRun:
        """One run of an agent with so many attempts, through the one with this index."""
        plan = self._plan(attempt_count)
        try:
            found = run_attempt(plan, chance, index, has_episodes=self._task.has_episodes)
        except InFlight as in_flight:
            message = f"merged chain: not offered here: when an attempt is about to be sent, {in_flight} is in flight"
            raise ScenarioError(message) from None
        chance.assert_script_used()
        self.run_count += 1
        if self._task.runs_twice:
            again = run_attempt(plan, Scripted(chance.trace), index, has_episodes=self._task.has_episodes)
            if again.run.journal.digest() != found.run.journal.digest():
                raise Divergence("the same answers ended in two ways: something other than chance decided")
        return found

    def _plan(self, attempt_count: int) -> Plan:
        if attempt_count not in self._plans:
            agent, *others = self._task.scenario.layers
            layers = (replace(agent, attempts=attempt_count), *others)
            self._plans[attempt_count] = planned(replace(self._task.scenario, layers=layers))
        return self._plans[attempt_count]

    def _end(self, found: AttemptRun) -> Onward | bool:
        """What follows an attempt."""
        is_broken = self._task.is_hit(found.run)
        if found.after is None or found.before is None or is_broken:
            self._last_s = max(self._last_s, found.run.journal.of(End)[-1].at_s - _at_s(found))
            return is_broken
        elapsed_us = found.after.at_us - found.before.at_us
        self._longest_us = max(self._longest_us, elapsed_us)
        new = (age_us if origin < 0 else 0 for origin, age_us in zip(found.origins, found.after.ages_us, strict=True))
        return Onward(
            state=self._state(found, found.after), origins=found.origins, ages_us=tuple(new), elapsed_us=elapsed_us
        )

    def _value(self, index: int, place: _Place, attempt: Attempt | None, values: Mapping[_Place, Value]) -> Value:
        if attempt is None:
            return NOTHING
        return attempt.root.value(lambda onward: values[self._place(index + 1, place, onward)])

    def _insist_on_one_attempt_for_all_ways(self) -> None:
        """Enumerate each attempt from another way into its state too, and compare."""
        seen: list[Attempt] = []
        for index, level in enumerate(self._levels):
            for place, attempt in level.items():
                way = self._other_ways.get(place)
                if attempt is None or way is None or any(attempt is one for one in seen):
                    continue
                seen.append(attempt)
                again = self._enumerated(place.state, way, is_last=index == self.attempt_count - 1)
                if again is not None and again != attempt:
                    message = "two ways into one state are followed by different attempts: the state forgets something"
                    raise Divergence(message)

    def _insist_on_deadline(self) -> None:
        """Refuse chains so long that an effect may come later after its acknowledgement than is promised."""
        longest_s = (self.attempt_count - 1) * self._longest_us / MICROSECONDS_PER_S + self._last_s
        deadline_s = self._task.scenario.conditions.deadline_s
        if Promise.EFFECT_HAPPENS in self._task.promises and 0 < deadline_s < longest_s:
            message = (
                f"merged chain: not offered here: a run may take {longest_s:g} s, longer than the deadline of "
                f"{deadline_s:g} s, and a state does not hold when something was acknowledged"
            )
            raise ScenarioError(message)


def _names_attempts(scenario: Scenario) -> bool:
    """Whether an attempt may make an ID, a key or a wording that bears its number."""
    agent = scenario.agent
    return (
        agent.identity in (Identity.PER_ATTEMPT, Identity.BY_MODEL)
        or agent.on_rejected is OnRejected.NEW_ID
        or agent.drift is not Drift.NONE
        or any(stage.key is KeySent.PER_ATTEMPT for stage in scenario.stages)
        or scenario.layers[-1].mints_key is not None
    )


def _at_s(found: AttemptRun) -> float:
    return 0.0 if found.before is None else found.before.at_us / MICROSECONDS_PER_S


class _Replayed(Scripted):
    """Repeats answers by their number alone: the paths in the names of the sites may be those of other attempts."""

    def __init__(self, answers: tuple[int, ...]) -> None:
        super().__init__()
        self._answers = answers

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        index = len(self.trace)
        answer = self._answers[index] if index < len(self._answers) else 0
        self.trace.append(Answered(kind, site, weights, answer, int(answer > 0 and kind is not Question.PICK)))
        return answer
