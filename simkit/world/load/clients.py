"""The clients: each begins operations, hands them to its own stack of layers, and notes what it is told."""

from collections.abc import Iterator
from math import inf, log

from simpy import Environment

from simkit.chance import uniform_numbers
from simkit.scenario import Arrivals, LoadScenario
from simkit.terms import ErrorClass, OnExhausted, Outcome
from simkit.world.load.layers import NOTHING_DONE, Layer
from simkit.world.load.ledger import Ledger
from simkit.world.load.messages import Acting, Below, Call, Draw
from simkit.world.load.service import Service
from simkit.world.load.ways import VersionedWay, Way

__all__ = ["Client", "clients_of", "starts_at_s"]


def starts_at_s(arrivals: Arrivals, draw: Draw) -> Iterator[float]:
    """Instants at which one client begins an operation, in order."""
    if arrivals.are_at_once:
        yield 0.0
        return
    ends_s = [*(step.from_s for step in arrivals.steps[1:]), inf]
    for step, end_s in zip(arrivals.steps, ends_s, strict=True):
        until_s, at_s = min(end_s, arrivals.until_s), step.from_s
        # What is left of a gap at a change of the rate is drawn anew: a Poisson process forgets.
        while step.calls_per_s > 0:
            at_s -= log(draw()) / step.calls_per_s
            if at_s >= until_s:
                break
            yield at_s


class Client:
    """One client with its stack of layers.

    Its draws (when it calls, how long it waits, how long its messages take and which of them fail) come from a
    stream of its own.
    """

    def __init__(
        self, scenario: LoadScenario, index: int, service: Service, env: Environment, ledger: Ledger, *, draw: Draw
    ) -> None:
        self._scenario = scenario
        self._index = index
        self._env = env
        self._ledger = ledger
        self._draw = draw
        self._top = self._stack(service)
        self._says_failed = scenario.layers[0].on_exhausted is OnExhausted.SAY_FAILED

    def call(self) -> Acting:
        """Begin operations, one after the other, whatever becomes of them."""
        env = self._env
        for at_s in starts_at_s(self._scenario.arrivals, self._draw):
            if at_s > env.now:
                yield env.timeout(at_s - env.now)
            env.process(self._operation())

    def _operation(self) -> Acting:
        operation = self._ledger.begin(self._index, self._env.now)
        key = str(operation.index) if self._scenario.calls_bear_key else None
        failure = yield from self._top.serve(Call(operation, key))
        operation.finished_at_s = self._env.now
        operation.outcome = self._outcome(failure)

    def _outcome(self, failure: ErrorClass | None) -> Outcome:
        """What the user is told: a failure that leaves it open is unknown, unless the outermost layer says failed."""
        if failure is None:
            return Outcome.OK
        return Outcome.FAILED if self._says_failed or failure in NOTHING_DONE else Outcome.UNKNOWN

    def _stack(self, service: Service) -> Below:
        scenario, env, draw = self._scenario, self._env, self._draw
        below: Below = service
        for index, policy in reversed(tuple(enumerate(scenario.layers))):
            if below is service and scenario.service.is_versioned:
                below = VersionedWay(policy.link, service, env, draw)
            else:
                below = Way(policy.link, below, env, draw)
            below = Layer(
                policy,
                index,
                below,
                env,
                draw,
                self._ledger,
                method=scenario.method,
                # No server looks at a key that somebody above the innermost SDK minted.
                minted=policy.mints_key if index == len(scenario.layers) - 1 else None,
                asked_s=scenario.service.retry_after_s,
            )
        return below


def clients_of(
    scenario: LoadScenario, service: Service, env: Environment, ledger: Ledger, *, seed: int, replication_index: int
) -> Iterator[Client]:
    """All clients of a scenario, each with its stream."""
    for index in range(scenario.arrivals.client_count):
        draw = uniform_numbers(seed, replication_index, f"client {index}")
        yield Client(scenario, index, service, env, ledger, draw=draw)
