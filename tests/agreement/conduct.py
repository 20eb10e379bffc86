"""What somebody does with one write under a fault, really or simulated: how often it sends, and how long it waits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

from simkit.catalog import policy_content
from simkit.catalog.entries import PolicyEntry
from simkit.contract.catalog_file import parse_policy
from simkit.distributions import Wait
from simkit.scenario import RetryPolicy
from tests.agreement.clock import VirtualClock
from tests.agreement.fault_server import FaultServer
from tests.agreement.faults import RealFault

__all__ = ["READ_TIMEOUT_S", "Case", "Conduct", "behaviour_of", "catalog_entry", "law_before", "real_conducts"]

READ_TIMEOUT_S: Final = 0.05
"""How long a library waits for an answer, in real time, and the simulated policy on its clock."""

PATIENCE_S: Final = 30.0
"""The same under other faults, where something comes back at once: that the machine is busy is no fault."""

TRIES_UNTIL_CLEAR: Final = 5
"""For policies without an end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """One write, with all its attempts.

    Parameters
    ----------
    waits_s
        What passed between an attempt and the next.
    """

    attempt_count: int
    waits_s: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A real library, and the entry of the catalog that speaks of it.

    Parameters
    ----------
    entry
        ID of the entry.
    package
        By which the installed version is asked for.
    client
        Given where to send and how long to wait for an answer, returns what sends one write.
    attempts
        How many attempts were measured under each fault, when the entry was written.
    has_end
        Whether the policy gives up by itself while the fault lasts; otherwise the fault clears after five tries.
    sampled_under
        Faults under which many writes are sent, if waits are drawn, so that their law can be seen.
    keeps_monotonic
        See `VirtualClock`.
    """

    entry: str
    package: str
    client: Callable[[str, float], Callable[[], None]]
    attempts: Mapping[RealFault, int]
    method: str = "POST"
    has_end: bool = True
    sampled_under: tuple[RealFault, ...] = ()
    keeps_monotonic: bool = False

    @property
    def name(self) -> str:
        """The entry, with the method of the write."""
        return f"{self.entry} {self.method}"

    @property
    def clears_after(self) -> int | None:
        """Attempts after which the fault is over; None where it lasts."""
        return None if self.has_end else TRIES_UNTIL_CLEAR


@cache
def catalog_entry(name: str) -> PolicyEntry:
    """Read an entry of the catalog; once, since each is compared under many faults."""
    return parse_policy(policy_content(name), file=f"{name}.yaml")


def behaviour_of(entry: PolicyEntry) -> RetryPolicy:
    """What a scenario takes over from an entry."""
    assert entry.behaviour is not None, f"{entry.id} has no behaviour, only a queue"
    return entry.behaviour


def law_before(policy: RetryPolicy, retry_number: int, fault: RealFault) -> Wait:
    """What the policy's formula says of the wait before a retry, after that fault."""
    backoff = policy.wait_before(retry_number, fault.failure)
    return policy.wait_asked(backoff, float(fault.retry_after_s or 0))


def real_conducts(case: Case, fault: RealFault, *, write_count: int) -> list[Conduct]:
    """Let the library send so many writes, one after the other, and note what it does with each."""
    clock = VirtualClock(keeps_monotonic=case.keeps_monotonic)
    marks: list[int] = []
    conducts = []
    timeout_s = READ_TIMEOUT_S if fault is RealFault.READ_TIMEOUT else PATIENCE_S
    with FaultServer(fault, lambda: marks.append(clock.sleep_count), clears_after=case.clears_after) as server:
        write = case.client(server.url, timeout_s)
        for index in range(write_count):
            if index:
                server.begin_again()
            marks.clear()
            with clock.in_place_of_time():
                write()
            assert fault is RealFault.REFUSE or server.has_received(len(marks)), "a connection was made in vain"
            waits_s = tuple(clock.slept_s(before, after) for before, after in pairwise(marks))
            conducts.append(Conduct(attempt_count=len(marks), waits_s=waits_s))
    return conducts
