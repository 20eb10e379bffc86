"""Many operations at once: who calls how often, through which layers, and what becomes of a service under that.

====================  ==========================================================================================
part                  what it describes
====================  ==========================================================================================
`Arrivals`            how many clients, and when each of them begins an operation
`LoadLayer`           a retry policy, as in the world of single calls, and the link below it
`Link`                how long a message takes each way, and what goes wrong on the way
`LoadService`         what answers in the end, and makes the effects (`simkit.scenario.load_service`)
`LoadScenario`        all of it, and when the run is cut
====================  ==========================================================================================

Each client has its own stack of layers, so a token bucket, a breaker or a budget belongs to one client; with one
client all operations share them. A timeout ends the waiting and nothing else: what was sent goes on below, retries
included. Draws are inverse transforms of uniform numbers, of which each client and the service have a stream of
their own (`simkit.chance.uniform_numbers`).
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise

from simkit.distributions import Discrete, Law
from simkit.errors import ScenarioError
from simkit.scenario.layers import RetryPolicy
from simkit.scenario.load_service import LoadFault, LoadService
from simkit.scenario.ranges import insist_on_count, insist_on_duration, insist_on_fraction

__all__ = ["AT_ONCE", "Arrivals", "Link", "LoadLayer", "LoadScenario", "RateStep"]

AT_ONCE = Discrete.of(0.0)
"""Takes no time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateStep:
    """From an instant on each client begins so many operations in a second, as a Poisson process."""

    from_s: float
    calls_per_s: float

    def __post_init__(self) -> None:
        insist_on_duration("arrivals.steps.from_s", self.from_s)
        if not 0 <= self.calls_per_s < float("inf"):
            message = f"arrivals.steps.calls_per_s is finite and at least 0, got {self.calls_per_s}"
            raise ScenarioError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """When operations begin.

    Parameters
    ----------
    steps
        Rates of each client, in order of time; none where each client begins one operation, at the start.
    until_s
        No operation begins later than this; of an open loop alone.
    """

    client_count: int
    steps: tuple[RateStep, ...] = ()
    until_s: float = 0.0

    def __post_init__(self) -> None:
        insist_on_count("arrivals.client_count", self.client_count, 1)
        insist_on_duration("arrivals.until_s", self.until_s)
        if any(step.from_s >= following.from_s for step, following in pairwise(self.steps)):
            message = "arrivals.steps: each begins later than the one before"
            raise ScenarioError(message)
        if bool(self.steps) != (self.until_s > 0):
            message = "arrivals.steps and arrivals.until: rates need an end, and without rates there is none"
            raise ScenarioError(message)

    @property
    def are_at_once(self) -> bool:
        """Whether each client begins one operation, at the start."""
        return not self.steps

    def calls_per_s_at(self, at_s: float) -> float:
        """Rate of each client at an instant; 0 before the first step and after the end."""
        if at_s >= self.until_s:
            return 0.0
        return next((step.calls_per_s for step in reversed(self.steps) if step.from_s <= at_s), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The way to the party below and back.

    Parameters
    ----------
    request, response
        How long a message takes, each way.
    faults
        What goes wrong on it, with the probability for each message.
    """

    request: Law = AT_ONCE
    response: Law = AT_ONCE
    faults: tuple[LoadFault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadLayer(RetryPolicy):
    """One layer of the stack of each client: its policy, and the link below it.

    Parameters
    ----------
    failure_fraction
        It repeats nothing while its failures are more than this part of its calls, both counted from the start;
        None where it does not count them. A failed repeat is a failure more, and no call more.
    """

    name: str
    link: Link = Link()
    failure_fraction: float | None = None

    def __post_init__(self) -> None:
        if self.attempts is not None:
            insist_on_count(f"{self.name}.attempts", self.attempts, 1)
        insist_on_duration(f"{self.name}.timeout_s", self.timeout_s)
        insist_on_duration(f"{self.name}.budget_s", self.budget_s)
        if self.failure_fraction is not None:
            insist_on_fraction(f"{self.name}.failure_fraction", self.failure_fraction)

    @classmethod
    def of(cls, policy: RetryPolicy, *, name: str, link: Link) -> "LoadLayer":
        """A layer with the policy of another world, or of an entry of the catalog."""
        taken = {field.name: getattr(policy, field.name) for field in fields(RetryPolicy)}
        return cls(**taken, name=name, link=link)

    @property
    def holds_back(self) -> bool:
        """Whether its calls share something that may keep one of them from being repeated or sent."""
        return self.is_throttled or self.failure_fraction is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadScenario:
    """One world under load; run twice with the same seed it gives the same numbers.

    Parameters
    ----------
    source
        Who published it, or `own`.
    layers
        Outermost first; the last one sends to the service.
    calls_bear_key
        Whether each operation has a key from its start, which every attempt of every layer bears.
    method
        Of every call; some policies repeat some methods only.
    cut_at_s
        The run ends then, whatever is still under way; it ends earlier where nothing is.
    """

    name: str
    source: str
    arrivals: Arrivals
    layers: tuple[LoadLayer, ...]
    service: LoadService
    cut_at_s: float
    calls_bear_key: bool = False
    method: str = "POST"

    def __post_init__(self) -> None:
        for problem in self._problems():
            raise ScenarioError(problem)

    def _problems(self) -> Iterator[str]:
        """What has no meaning, most basic first."""
        if not self.layers:
            yield "layers: at least one, which sends to the service"
        names = [layer.name for layer in self.layers]
        if len(set(names)) < len(names):
            yield f"layers: each name once, got {', '.join(names)}"
        if not self.arrivals.until_s <= self.cut_at_s < float("inf") or self.cut_at_s == 0:
            last_s = self.arrivals.until_s
            yield f"cut_at: later than the last arrival, {last_s:g} s, and finite; got {self.cut_at_s:g} s"

    def digest(self) -> str:
        """SHA-256 of all of it, in hex."""
        laws = [(type(layer.link.request).__name__, type(layer.link.response).__name__) for layer in self.layers]
        described = json.dumps((asdict(self), laws, type(self.service.work).__name__), sort_keys=True)
        return hashlib.sha256(described.encode()).hexdigest()

    def with_client_count(self, count: int) -> "LoadScenario":
        """The same with another number of clients."""
        return replace(self, arrivals=replace(self.arrivals, client_count=count))

    def with_innermost(self, layer: LoadLayer) -> "LoadScenario":
        """The same with another layer in the place of the last one."""
        return replace(self, layers=(*self.layers[:-1], layer))
