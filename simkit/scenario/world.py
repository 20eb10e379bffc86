"""One whole world: the planned calls, the layers, the hops between them, the parties, the conditions."""

import hashlib
import json
from dataclasses import asdict, dataclass, replace

from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario.conditions import Conditions
from simkit.scenario.parties import Agent, Downstream, RetryLayer, Server
from simkit.scenario.ranges import insist_on_duration
from simkit.terms import ClaimKind, Identity, LayerName

__all__ = ["Hop", "PlannedCall", "Scenario"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """A link between two neighbours.

    Parameters
    ----------
    latest_landing_s
        A late message lands at most this long after it was sent, in seconds.
    """

    name: str
    request: Wait
    response: Wait
    latest_landing_s: float

    def __post_init__(self) -> None:
        insist_on_duration(f"{self.name}.latest_landing_s", self.latest_landing_s)
        if self.latest_landing_s < max(self.request.s_max, self.response.s_max):
            message = (
                f"{self.name}.latest_landing_s {self.latest_landing_s} is shorter than the slowest usual latency "
                f"{max(self.request.s_max, self.response.s_max)}"
            )
            raise ScenarioError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """Something that somebody wants once, `start_s` seconds after the start of the run.

    Parameters
    ----------
    operation
        Label from which the agent makes the operation ID. Two calls with one label reuse an ID.
    inputs
        The consequential inputs, as a label: two calls that differ in them differ in content.
    """

    intent: str
    operation: str
    tenant: str
    inputs: str
    start_s: float

    def __post_init__(self) -> None:
        insist_on_duration(f"calls, {self.intent}: start_s", self.start_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A frozen description of one world; running it twice on the same luck gives the same journal.

    Parameters
    ----------
    layers
        Outermost first; the agent is the first, a downstream SDK, if there is one, the last.
    hops
        One before each layer below the agent except the client SDK, which is a library inside its
        caller: agent to gateway (if there is a gateway), to server, server to downstream.
    schedule
        Sites with their attempt paths that fail when the scenario is run as one story, such as
        `server.after_effect@1/1`. Explorations and samples don't read it.
    """

    name: str
    calls: tuple[PlannedCall, ...]
    agent: Agent
    layers: tuple[RetryLayer, ...]
    hops: tuple[Hop, ...]
    server: Server
    downstream: Downstream
    conditions: Conditions
    schedule: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [layer.name for layer in self.layers]
        order = [name for name in LayerName if name in names]
        if names != order or not names or names[0] is not LayerName.AGENT:
            message = f"layers: agent first, each once, in the order {', '.join(LayerName)}; got {', '.join(names)}"
            raise ScenarioError(message)
        if not self.calls:
            message = "calls: at least one, or nothing happens"
            raise ScenarioError(message)
        if self.agent.identity is Identity.NONE and self.server.claim is not ClaimKind.NONE:
            message = f"agent.identity 'none' and server.claim '{self.server.claim}' exclude each other: no ID to claim"
            raise ScenarioError(message)

        hops = [hop.name for hop in self.hops]
        if len(set(hops)) < len(hops):
            message = f"hops: each once, got {', '.join(hops)}"
            raise ScenarioError(message)
        known = self.sites()
        for rate in self.conditions.rates:
            if rate.site not in known:
                message = f"conditions.rates: nothing ever passes the site {rate.site!r}; sites: {', '.join(known)}"
                raise ScenarioError(message)

    def sites(self) -> tuple[str, ...]:
        """Every site at which something can go wrong in this world, in the order in which a call passes them."""
        endings = ("request_lost", "request_late", "response_lost", "response_late")
        claim = self.server.claim
        windows = ["before_reservation", "after_reservation"] if claim is ClaimKind.UNIQUE else ["before_effect"]
        windows += ["after_effect"] if claim is ClaimKind.NONE else ["after_effect", "after_receipt"]
        return (
            *(f"{hop.name}.{ending}" for hop in self.hops for ending in endings),
            *(f"server.{window}" for window in windows),
            *(() if self.server.readback is None else ("readback.cannot_tell",)),
            "downstream.error",
        )

    def layer(self, name: LayerName) -> RetryLayer | None:
        """The layer of that name, or None where the scenario has none."""
        return next((layer for layer in self.layers if layer.name is name), None)

    def hop(self, name: str) -> Hop:
        """The hop of that name."""
        found = next((hop for hop in self.hops if hop.name == name), None)
        if found is None:
            message = f"hops: no hop {name!r}; there are {', '.join(hop.name for hop in self.hops)}"
            raise ScenarioError(message)
        return found

    def with_one_attempt(self) -> "Scenario":
        """The same world under policy S: every layer sends once, and nobody repeats."""
        return replace(self, layers=tuple(replace(layer, attempts=1) for layer in self.layers))

    def with_reused_id(self) -> "Scenario":
        """Every layer sends once; later, somebody else's wish arrives under the first one's operation ID.

        Later means after all that the first call sent has landed, so that only the record can tell.
        """
        first = self.calls[0]
        readback_s = 0.0 if self.server.readback is None else self.server.readback.latency.s_max
        start_s = 2 * sum(hop.latest_landing_s for hop in self.hops) + self.downstream.work.s_max + readback_s
        second = replace(first, intent=f"{first.intent}, changed", inputs=f"{first.inputs}, changed", start_s=start_s)
        return replace(self.with_one_attempt(), calls=(first, second))

    def digest(self) -> str:
        """SHA-256 of the content: equal for equal scenarios in any process."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()
