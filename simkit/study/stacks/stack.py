"""A stack: who calls whom, each by its ID in the catalog, down to one system of record, through one write path.

================================  =============================================================================
write path                        the tool
================================  =============================================================================
`no key`                          keeps no record and sends nothing that tells a repeat from another wish
`key passed on`                   keeps no record and sends the agent's operation ID as the key
`recorded first`                  reserves the operation ID, makes the effect with it as the key, keeps a receipt;
                                  of a reservation whose worker died it asks the system of record, where that can
                                  be asked about one operation and is not further behind than such a reservation
                                  is old, and otherwise holds
================================  =============================================================================

Each is a scenario of the catalog, `stack-no-key` and so on, in which the stack takes its places.
"""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from simkit.catalog import SystemEntry
from simkit.choices import Deduplication, ReadbackBy
from simkit.contract import Composed, composed, named_scenario
from simkit.contract.named_entry import system_named
from simkit.contract.parts import plain_part
from simkit.distributions import Wait
from simkit.scenario import TO_GATEWAY, Hop, Scenario
from simkit.terms import LayerName, StalePolicy

__all__ = ["Stack", "WritePath", "composed_stack", "is_named_by_arguments", "stack_scenario", "system_entry"]

READBACK_SITE: Final = "readback.cannot_tell"
OBJECT_NAME: Final = "object-1"

_TAKES_NAME_AS_WORD: Final = frozenset({Deduplication.NATURAL_KEY_UPSERT, Deduplication.CONDITIONAL_PUT})


class WritePath(StrEnum):
    """What the tool does with an operation's identity."""

    NO_KEY = "no key"
    KEY_PASSED_ON = "key passed on"
    RECORDED_FIRST = "recorded first"

    @property
    def scenario_name(self) -> str:
        """The scenario of the catalog that acts it out."""
        return f"stack-{self.value.replace(' ', '-')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """IDs of the catalog by place; what is None stays as the scenario of the write path has it.

    Parameters
    ----------
    gateway, client_sdk
        None where there is none.
    """

    downstream: str | None
    path: WritePath
    sdk: str | None = None
    agent: str | None = None
    gateway: str | None = None
    client_sdk: str | None = None

    @property
    def places(self) -> dict[str, str]:
        """What is taken from the catalog, by its place."""
        named = {
            "agent": self.agent,
            "gateway": self.gateway,
            "client_sdk": self.client_sdk,
            "sdk": self.sdk,
            "downstream": self.downstream,
        }
        return {place: name for place, name in named.items() if name is not None}


def system_entry(name: str) -> SystemEntry:
    """The system of record of that ID, or in the file of that path.

    Raises
    ------
    InputError
        If there is none; the message has the nearest IDs.
    """
    entry, _ = system_named(plain_part(name, "downstream"))
    return entry


def is_named_by_arguments(entry: SystemEntry) -> bool:
    """Whether the arguments of a call name the object that it makes, so that a repeat names it too.

    So it is where the system tells a repeat by the object and the name means something to people: it can be asked by
    it, or writing to it is the operation. A name that the tool has to make up is a key like any other.
    """
    kind = entry.behaviour.deduplication
    is_by_name = kind is Deduplication.NATURAL_KEY_REJECT and ReadbackBy.NATURAL_KEY in entry.behaviour.asked_by
    return is_by_name or kind in _TAKES_NAME_AS_WORD


def stack_scenario(stack: Stack) -> Scenario:
    """The world of a stack, as of `composed_stack`."""
    return composed_stack(stack).scenario


def composed_stack(stack: Stack) -> Composed:
    """The world of a stack, with what was taken from the catalog and what of it is guessed.

    Raises
    ------
    InputError
        If there is no entry of a name, or it does not fit its place.
    """
    world = named_scenario(stack.path.scenario_name)
    if stack.downstream is not None:
        world = _for_system(world, system_entry(stack.downstream))
    if stack.gateway is not None:
        world = _with_gateway(world)
    name = ", ".join((*stack.places.values(), str(stack.path)))
    whole = composed(world, **stack.places)
    return replace(whole, scenario=replace(whole.scenario, name=name))


def _for_system(world: Scenario, entry: SystemEntry) -> Scenario:
    """The world as the system of record needs it: what names the object, what counts as done, whether it can be asked.

    Where a system only ever says that it has accepted, that is the completion evidence, or nothing would ever be done.
    A view that may be older than a reservation is when it gets stale cannot tell what its worker did: there it is held.
    """
    if entry.behaviour.accepts_first:
        world = replace(world, agent=replace(world.agent, handover_completes=True))
    if is_named_by_arguments(entry):
        world = replace(world, calls=tuple(replace(call, target=OBJECT_NAME) for call in world.calls))
    lag_s_max = math.inf if entry.readback_offer is None else entry.readback_offer.lag.s_max
    if world.server.readback is None or lag_s_max <= (world.server.lease_s or 0.0):
        return world
    rates = tuple(rate for rate in world.conditions.rates if rate.site != READBACK_SITE)
    return replace(
        world,
        server=replace(world.server, readback=None, stale=StalePolicy.HOLD),
        conditions=replace(world.conditions, rates=rates),
    )


def _with_gateway(world: Scenario) -> Scenario:
    """The world with a hop to a gateway, and a place for its policy."""
    below = world.hop("gateway_to_server")
    hop: Hop = replace(below, name=TO_GATEWAY)
    place = replace(world.layers[0], name=LayerName.GATEWAY, attempts=1, backoff=Wait.of(0.0))
    return replace(world, hops=(hop, *world.hops), layers=(world.layers[0], place, *world.layers[1:]))
