"""The layers of the scenario that a review amounts to, as requested."""

import dataclasses
import math
from dataclasses import replace

from simkit.contract.choices import NoLimit, OnOff
from simkit.contract.layers import Backoff, Layer
from simkit.contract.review import Review
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario import RetryLayer
from simkit.terms import LayerName, OnExhausted

__all__ = ["layers_of"]


def layers_of(review: Review, notes: list[str]) -> tuple[RetryLayer, ...]:
    """The layers as requested. A client SDK that sends once only bounds the wait of the layer above it."""
    declared = {name: review.layers.of(name) for name in LayerName}
    layers: dict[LayerName, RetryLayer] = {}
    for name, layer in declared.items():
        if isinstance(layer, Layer):
            layers[name] = _layer(review, name, layer)
        elif name is LayerName.AGENT:
            message = "layers.agent: somebody must call; it cannot be not applicable"
            raise ScenarioError(message)
        elif name is LayerName.DOWNSTREAM_SDK:
            layers[name] = _single_attempt(name)
            notes.append("no downstream SDK is declared: the server is taken to send once and to wait without limit")
    client_sdk = layers.get(LayerName.CLIENT_SDK)
    if client_sdk is not None and client_sdk.attempts == 1:
        del layers[LayerName.CLIENT_SDK]
        above = LayerName.GATEWAY if LayerName.GATEWAY in layers else LayerName.AGENT
        timeout_s = _shorter(layers[above].timeout_s, client_sdk.timeout_s)
        layers[above] = replace(layers[above], timeout_s=timeout_s)
    agent = layers[LayerName.AGENT]
    if agent.repeats:
        layers[LayerName.AGENT] = _until_the_horizon(agent, review.conditions.retry_horizon_s or 0.0)
    return tuple(layers[name] for name in LayerName if name in layers)


def _until_the_horizon(agent: RetryLayer, horizon_s: float) -> RetryLayer:
    """The agent with a last attempt that may come as late as the retry horizon.

    The horizon is the longest time until the last attempt that anything or anybody makes, so the
    agent's own budget, which others don't know, does not bound it.
    """
    before = agent.wait_before(1)
    longest_s = agent.longest_backoff_s()
    latest_s = max(before.s_typical, horizon_s if math.isinf(longest_s) else max(longest_s, horizon_s))
    wait = Wait(s_min=before.s_min, s_typical=before.s_typical, s_max=latest_s)
    return replace(agent, backoff=wait, backoff_overloaded=None, budget_s=None)


def _layer(review: Review, name: LayerName, layer: Layer) -> RetryLayer:
    is_on = review.requested.automatic_retries.of(name) is OnOff.ON
    policy = review.from_catalog.policy_of(name)
    if policy is not None:
        fields = {field.name: getattr(policy, field.name) for field in dataclasses.fields(policy)}
        return RetryLayer(name=name, **fields | ({} if is_on else {"attempts": 1}))
    declared = None if layer.attempts is NoLimit.NONE else layer.attempts
    attempts = declared if is_on and (declared is None or isinstance(declared, int)) else 1
    backoff = layer.backoff
    if attempts != 1 and not isinstance(backoff, Backoff):
        message = f"layers.{name}: attempts {layer.attempts} and backoff 'not applicable' exclude each other"
        raise ScenarioError(message)
    return RetryLayer(
        name=name,
        attempts=attempts,
        timeout_s=_finite(layer.timeout_s),
        backoff=(
            Wait(s_min=backoff.least_s, s_typical=backoff.least_s, s_max=backoff.most_s)
            if isinstance(backoff, Backoff)
            else Wait.of(0.0)
        ),
        budget_s=_finite(layer.budget_s),
        on_exhausted=layer.when_exhausted if isinstance(layer.when_exhausted, OnExhausted) else OnExhausted.SAY_UNKNOWN,
    )


def _single_attempt(name: LayerName) -> RetryLayer:
    return RetryLayer(
        name=name,
        attempts=1,
        timeout_s=None,
        backoff=Wait.of(0.0),
        budget_s=None,
        on_exhausted=OnExhausted.SAY_UNKNOWN,
    )


def _finite(duration_s: float | None) -> float | None:
    return None if duration_s is None or math.isinf(duration_s) else duration_s


def _shorter(one_s: float | None, other_s: float | None) -> float | None:
    return min((value for value in (one_s, other_s) if value is not None), default=None)
