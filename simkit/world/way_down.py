"""The way from the agent to the server: the gateway and the client SDK, where there are any, and the hops."""

from simkit.choices import OnTimeout
from simkit.scenario import TO_GATEWAY, TO_SERVER
from simkit.terms import LayerName
from simkit.world.link import InProcess
from simkit.world.messages import Receiver, Sender
from simkit.world.setting import Setting, leaves_local

__all__ = ["way_down"]


def way_down(server: Receiver, setting: Setting) -> Sender:
    """Whatever the agent sends its attempts to."""
    scenario = setting.scenario
    agent, gateway = scenario.layers[0], scenario.layer(LayerName.GATEWAY)
    client_sdk = scenario.layer(LayerName.CLIENT_SDK)
    agent_is_local = not (agent.is_throttled or setting.plan.shares_a_process)
    to_gateway = None if gateway is None else scenario.hop(TO_GATEWAY)
    is_local = agent_is_local if gateway is None else not gateway.is_throttled and leaves_local(to_gateway)
    if any(rate.site == f"{TO_GATEWAY}.request_duplicated" for rate in scenario.conditions.rates):
        is_local = False  # two calls share a caller then, and what the gateway answers to one bears on the other
    below = setting.link(TO_SERVER, server, is_local=is_local and client_sdk is None)
    if client_sdk is not None:
        interrupts = to_gateway is not None and to_gateway.on_timeout is OnTimeout.INTERRUPTED
        below = InProcess(setting.layer(client_sdk, below), setting.timeline, interrupts=interrupts)
    if gateway is not None:
        below = setting.link(TO_GATEWAY, setting.layer(gateway, below), is_local=agent_is_local)
    return below
