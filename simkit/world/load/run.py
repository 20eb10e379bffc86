"""Run one world under load, once: what became of each operation and of each request, as columns."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray
from simpy import Environment

from simkit.chance import uniform_numbers
from simkit.scenario import LoadScenario
from simkit.terms import Outcome
from simkit.world.load.clients import clients_of
from simkit.world.load.ledger import Ledger
from simkit.world.load.service import Service

__all__ = ["REQUEST_COUNT_MAX", "LoadRun", "Operations", "Requests", "run_load"]

REQUEST_COUNT_MAX = 2_000_000
"""A run with more requests at its service is cut, and says so: a stack without an end under a dead server has no
last one."""

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Operations:
    """One row for each operation, in the order in which they began.

    Parameters
    ----------
    finished_at_s
        When its client was told something; no number where it was still open at the end of the run.
    outcomes
        What its client was told; None where it was still open.
    attempt_counts
        Shape (operations, layers), the outermost layer first: attempts over all calls of that layer.
    request_counts
        Requests that reached the service.
    effect_counts
        Effects that the service made, those included that came after the client was told something.
    """

    client_indices: Counts
    started_at_s: Floats
    finished_at_s: Floats
    outcomes: tuple[Outcome | None, ...]
    attempt_counts: Counts
    request_counts: Counts
    effect_counts: Counts

    def __len__(self) -> int:
        return len(self.started_at_s)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Requests:
    """One row for each request that reached the service, in the order of arrival.

    Parameters
    ----------
    begun_at_s, left_at_s
        When the work on it began and ended; no number where it did not. What failed at the door left at once.
    are_effective
        Whether it made an effect.
    """

    operation_indices: Counts
    arrived_at_s: Floats
    begun_at_s: Floats
    left_at_s: Floats
    are_effective: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.arrived_at_s)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoadRun:
    """What happened in one run.

    Parameters
    ----------
    cut
        Why it ended before everything was done, in words; empty where nothing was under way any more.
    """

    operations: Operations
    requests: Requests
    cut: str


def run_load(
    scenario: LoadScenario, *, seed: int, replication_index: int = 0, request_count_max: int = REQUEST_COUNT_MAX
) -> LoadRun:
    """Run a scenario once; the same seed and replication give the same run."""
    env = Environment()
    ledger = Ledger(layer_count=len(scenario.layers), request_count_max=request_count_max)
    service = Service(scenario.service, env, uniform_numbers(seed, replication_index, "service"), ledger)
    for client in clients_of(scenario, service, env, ledger, seed=seed, replication_index=replication_index):
        env.process(client.call())
    env.run(until=scenario.cut_at_s)
    env.step()  # the stop itself, which SimPy leaves in its queue
    is_over = env.peek() == inf
    open_count = sum(operation.outcome is None for operation in ledger.operations)
    if ledger.is_full:
        cut = f"cut after {request_count_max:,} requests: the stack sends without an end"
    elif not is_over or open_count:
        cut = f"cut at {scenario.cut_at_s:g} s while something was under way, {open_count:,} operations open"
    else:
        cut = ""
    return LoadRun(operations=_operations(ledger), requests=_requests(ledger), cut=cut)


def _operations(ledger: Ledger) -> Operations:
    rows = ledger.operations
    indices = np.asarray(ledger.operation_indices, dtype=np.int64)
    return Operations(
        client_indices=np.array([row.client_index for row in rows], dtype=np.int64),
        started_at_s=np.array([row.started_at_s for row in rows], dtype=float),
        finished_at_s=np.array([row.finished_at_s for row in rows], dtype=float),
        outcomes=tuple(row.outcome for row in rows),
        attempt_counts=np.array([row.attempt_counts for row in rows], dtype=np.int64).reshape(-1, ledger.layer_count),
        request_counts=np.bincount(indices, minlength=len(rows)),
        effect_counts=np.array([row.effect_count for row in rows], dtype=np.int64),
    )


def _requests(ledger: Ledger) -> Requests:
    return Requests(
        operation_indices=np.asarray(ledger.operation_indices, dtype=np.int64),
        arrived_at_s=np.asarray(ledger.arrived_at_s, dtype=float),
        begun_at_s=np.asarray(ledger.begun_at_s, dtype=float),
        left_at_s=np.asarray(ledger.left_at_s, dtype=float),
        are_effective=np.asarray(ledger.makes_effect, dtype=bool),
    )
