"""Prints what one run costs: `python -m tests.benchmarks.structure_and_enumeration`. Nothing here is a test.

Beside the world, with its journal and its checks, stands a bare enumerator of the same three policies: a heap of
closures that knows nothing but the faults and counts effects. The ratio of the two, in CPU time and in interleaved
rounds, says what the world costs on any machine; seconds say little on a busy one. A model of that size written
with SimPy's processes takes about six times as long as the bare one.
"""

import heapq
from collections.abc import Callable, Iterator
from itertools import count
from statistics import median
from time import process_time

from simkit.checks import verdicts
from simkit.contract import load_review, scenario_of
from simkit.records import Effect
from simkit.study.structure import explore
from simkit.study.tree import leaves
from simkit.world import planned, run_concrete
from tests.builders import engine_policy

__all__ = ["main"]

POLICIES = (1, 2, 3)
ROUND_COUNT = 9
ATTEMPT_COUNT = 3
HOP_S, TIMEOUT_S = 0.01, 1.0
TICKET = "review_templates/examples/create_ticket.yaml"
FAULT_BUDGET = 2

Ask = Callable[[], bool]
"""Whether the next thing that can go wrong does."""


class BareRun:
    """One run of a policy: the agent, the server and the system of record as closures on a heap.

    Parameters
    ----------
    question_count_max
        How often the system of record is asked before a stale reservation runs again; 0: not at all.
    """

    def __init__(self, ask: Ask, question_count_max: int) -> None:
        self._fails = ask
        self._question_count_max = question_count_max
        self._row = "none"
        self._attempt_number = 0
        self._numbers = count()
        self._heap: list[tuple[float, int, Callable[[float], None]]] = []
        self.effect_count = 0

    def play(self) -> int:
        """Take every step, and return the number of effects."""
        self._try(0.0)
        while self._heap:
            at_s, _, step = heapq.heappop(self._heap)
            step(at_s)
        return self.effect_count

    def _after(self, at_s: float, step: Callable[[float], None]) -> None:
        heapq.heappush(self._heap, (at_s, next(self._numbers), step))

    def _try(self, now_s: float) -> None:
        self._attempt_number += 1
        number = self._attempt_number
        if number > ATTEMPT_COUNT:
            return
        self._after(now_s + TIMEOUT_S, lambda at_s: self._give_up(at_s, number))
        if not self._fails():
            self._after(now_s + HOP_S, self._arrive)

    def _give_up(self, now_s: float, number: int) -> None:
        if number == self._attempt_number:
            self._try(now_s)

    def _arrive(self, now_s: float) -> None:
        if self._fails():
            return
        if self._row == "settled" or (self._row == "reserved" and self._is_found()):
            self._settle(now_s)
            return
        self._row = "reserved"
        if not self._fails() and not self._fails():
            self._after(now_s + HOP_S, self._write)

    def _is_found(self) -> bool:
        told = any(not self._fails() for _ in range(self._question_count_max))
        return told and self.effect_count > 0

    def _write(self, now_s: float) -> None:
        self.effect_count += 1
        if not self._fails():
            self._settle(now_s)

    def _settle(self, now_s: float) -> None:
        self._row = "settled"
        if not self._fails() and not self._fails():
            self._after(now_s + HOP_S, self._hear)

    def _hear(self, _: float) -> None:
        self._attempt_number = ATTEMPT_COUNT


def bare_leaves(question_count_max: int) -> Iterator[tuple[tuple[bool, ...], int]]:
    """Every list of answers of one policy, with the number of effects, depth first."""
    scripts: list[tuple[bool, ...]] = [()]
    while scripts:
        script = scripts.pop()
        trace: list[bool] = []

        def ask(script: tuple[bool, ...] = script, trace: list[bool] = trace) -> bool:
            trace.append(len(trace) < len(script) and script[len(trace)])
            return trace[-1]

        effect_count = BareRun(ask, question_count_max).play()
        yield tuple(trace), effect_count
        scripts.extend((*trace[:index], True) for index in range(len(script), len(trace)))


def bare(number: int) -> tuple[int, int]:
    """Count the leaves of a policy, and those with a duplicate, without the world."""
    found = [effect_count for _, effect_count in bare_leaves(number - 1)]
    return len(found), sum(effect_count > 1 for effect_count in found)


def world(number: int, *, runs_twice: bool = False) -> tuple[int, int]:
    """Count them in the world, with its journal and every check."""
    plan = planned(engine_policy(number))
    found = []
    for leaf in leaves(lambda chance: run_concrete(plan, chance), fault_budget=None, runs_twice=runs_twice):
        verdicts(leaf.run.journal)
        found.append(len(leaf.run.journal.of(Effect)))
    return len(found), sum(effect_count > 1 for effect_count in found)


def cpu_s(act: Callable[[], object]) -> float:
    """CPU time of one call, in seconds."""
    started_s = process_time()
    act()
    return process_time() - started_s


def enumeration(number: int) -> None:
    """Print what the world costs on top of the bare enumerator."""
    if (found := bare(number)) != world(number):
        message = f"policy {number}: the bare enumerator counts {found}, the world {world(number)}"
        raise RuntimeError(message)
    rounds = [
        (
            cpu_s(lambda: bare(number)),
            cpu_s(lambda: world(number)),
            cpu_s(lambda: world(number, runs_twice=True)),
        )
        for _ in range(ROUND_COUNT)
    ]
    once, twice = (median(spans_s[index] / spans_s[0] for spans_s in rounds) for index in (1, 2))
    bare_s, world_s = (median(spans_s[index] for spans_s in rounds) for index in (0, 1))
    print(  # noqa: T201 (a benchmark prints)
        f"policy {number}: {found[0]} leaves, {found[1]} with a duplicate: bare {1e3 * bare_s:.1f} ms, "
        f"world {1e3 * world_s:.1f} ms, x {once:.1f}; each leaf run twice x {twice:.1f}"
    )


def structure(*, has_trials: bool) -> None:
    """Print what an exploration of the example takes."""
    review = load_review(TICKET)
    scenario = scenario_of(review, review.effects[0]).scenario
    started_s = process_time()
    found = explore(scenario, fault_budget=FAULT_BUDGET, policy="benchmark", has_trials=has_trials).exploration
    span_s = process_time() - started_s
    print(  # noqa: T201 (a benchmark prints)
        f"{TICKET} to {FAULT_BUDGET} faults{', each permission tried' if has_trials else ''}: "
        f"{found.run_count:,} runs in {span_s:.2f} s, {1e6 * span_s / found.run_count:.0f} microseconds each"
    )


def main() -> None:
    """Print all of it."""
    for number in POLICIES:
        enumeration(number)
    structure(has_trials=False)
    structure(has_trials=True)


if __name__ == "__main__":
    main()
