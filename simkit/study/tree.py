"""All runs of a scenario, one for each list of answers, those with fewer faults first.

Every run starts from the beginning and repeats a script of answers; each other answer to each question
past the script is another script. Of other orders of steps only those are followed that the run says are
worth it. A run is asked the same questions in the same order, or
`Divergence` is raised; with `runs_twice` it must also end the same way twice.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from simkit.chance import Answered, Scripted, alternatives, fault_count
from simkit.errors import Divergence
from simkit.journal import Journal
from simkit.world import Run

__all__ = ["Leaf", "departure_count", "has_final_departure", "is_decision", "leaves"]

Script = tuple[Answered, ...]
DECIDING = (".action@", ".last@")
FOLLOWING_UP = ".next@"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One complete run.

    Parameters
    ----------
    departure_count
        How many decisions departed from what was declared.
    """

    trace: Script
    fault_count: int
    departure_count: int
    run: Run

    @property
    def faults(self) -> tuple[str, ...]:
        """The sites that failed, with their attempt paths, in order."""
        return tuple(answered.site for answered in self.trace if answered.fault_cost)


def leaves(
    play: Callable[[Scripted], Run],
    *,
    fault_budget: int | None,
    runs_twice: bool = False,
    is_dropped: Callable[[Script], bool] | None = None,
) -> Iterator[Leaf]:
    """Yield every leaf with at most `fault_budget` faults (None: all), by departures, then faults.

    Parameters
    ----------
    play
        Runs the scenario under a script.
    is_dropped
        Says of a script, when its turn comes, that its runs need not be seen.

    Raises
    ------
    Divergence
        If a run depends on anything but its answers.
    """
    waiting: dict[tuple[int, int], list[Script]] = {(0, 0): [()]}
    followed: dict[tuple[int, ...], list[int]] = {}
    while waiting:
        level = min(waiting)
        script = waiting[level].pop()
        if not waiting[level]:
            del waiting[level]
        if is_dropped is not None and is_dropped(script):
            continue
        chance = Scripted(script, fault_budget=fault_budget)
        run = play(chance)
        chance.assert_script_used()
        trace = tuple(chance.trace)
        if runs_twice:
            _insist_on_same_end(play, trace, run.journal, fault_budget)
        departures, faults = level
        if not run.is_redundant:
            yield Leaf(trace=trace, fault_count=faults, departure_count=departures, run=run)
        for other in _reversed(trace, run, followed):
            level = departure_count(other), fault_count(other)
            waiting.setdefault(level, []).append(other)
        # All answers past the script were those that cost nothing and depart from nothing, but for the last one.
        for other in alternatives(trace, len(script), fault_budget):
            level = departures + departure_count(other[-1:]), faults + other[-1].fault_cost
            waiting.setdefault(level, []).append(other)


def is_decision(site: str) -> bool:
    """Whether it is asked there what a layer does."""
    return DECIDING[0] in site or DECIDING[1] in site or FOLLOWING_UP in site


def departure_count(script: Script) -> int:
    """How often a layer departed from what it declares; what follows a question of its own belongs to that."""
    return sum(
        1 for answered in script if answered.answer and (DECIDING[0] in answered.site or DECIDING[1] in answered.site)
    )


def has_final_departure(script: Script) -> bool:
    """Whether a layer departed, that once, where it could send nothing more."""
    return any(answered.answer and DECIDING[1] in answered.site for answered in script)


def _reversed(trace: Script, run: Run, followed: dict[tuple[int, ...], list[int]]) -> Iterator[Script]:
    """Scripts with another order of two steps, unless one that leads there was followed already.

    `followed` has the answers of each order that were followed so far, by all answers before it.
    """
    for question_index, answers in run.reversals:
        asked = trace[question_index]
        node = tuple(answered.answer for answered in trace[:question_index])
        known = followed.setdefault(node, [asked.answer])
        if not set(known).intersection(answers):
            yield (*trace[:question_index], asked._replace(answer=answers[0], earlier=tuple(known)))
            known.append(answers[0])


def _insist_on_same_end(
    play: Callable[[Scripted], Run], trace: Script, journal: Journal, fault_budget: int | None
) -> None:
    again = play(Scripted(trace, fault_budget=fault_budget)).journal
    if not again.tells_the_same_as(journal):
        message = f"the same {len(trace)} answers ended in two ways: something other than chance decided"
        raise Divergence(message)
