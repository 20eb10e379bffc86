"""The policy of an entry of the catalog in the simulator, under a fault at every attempt."""

from collections.abc import Iterable
from dataclasses import fields

from simkit.chance import Chance, Question, Sampled
from simkit.distributions import Wait
from simkit.records import Attempt, Reply
from simkit.scenario import Hop, RetryLayer, RetryPolicy, Scenario
from simkit.terms import LayerName
from simkit.world import run_concrete
from tests.agreement.conduct import READ_TIMEOUT_S, Conduct
from tests.agreement.faults import RealFault
from tests.builders import a_call, a_layer, a_scenario, conditions_with, downstream_with, rates_at

__all__ = ["simulated_conduct"]


class FaultFirst(Chance):
    """Luck, but for one fault: it happens at each attempt, or at so many first ones and then never again."""

    def __init__(self, luck: Sampled, fault_count: int | None) -> None:
        self._luck = luck
        self._left = fault_count

    def latency(self, site: str, wait: Wait, cuts_s: Iterable[float]) -> float:
        """Seconds that a wait with a law takes, as luck has it."""
        return self._luck.latency(site, wait, cuts_s)

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        assert kind is Question.FLIP, f"nothing but one fault is left open here, not {site}"
        if self._left is None:
            return 1
        self._left -= 1
        return int(self._left >= 0)


def simulated_conduct(
    policy: RetryPolicy, fault: RealFault, *, method: str, clears_after: int | None, luck: Sampled
) -> Conduct:
    """Let one write pass a layer with that policy, and read from the journal what the layer did."""
    scenario = _scenario(policy, fault, method)
    journal = run_concrete(scenario, FaultFirst(luck, clears_after)).journal
    sent = [fact.at_s for fact in journal.of(Attempt) if fact.layer is LayerName.DOWNSTREAM_SDK]
    heard = [fact.at_s for fact in journal.of(Reply) if fact.layer is LayerName.DOWNSTREAM_SDK]
    waits_s = tuple(after - before for before, after in zip(heard, sent[1:], strict=False))
    return Conduct(attempt_count=len(sent), waits_s=waits_s)


def _scenario(policy: RetryPolicy, fault: RealFault, method: str) -> Scenario:
    """One write, in a world where everything but a wait for an answer takes no time."""
    settings = {field.name: getattr(policy, field.name) for field in fields(RetryPolicy)}
    layer = RetryLayer(name=LayerName.DOWNSTREAM_SDK, **settings | {"timeout_s": READ_TIMEOUT_S})
    at_once = Wait.of(0.0)
    hops = tuple(
        Hop(name=name, request=at_once, response=at_once, latest_landing_s=0.0)
        for name in ("gateway_to_server", "server_to_downstream")
    )
    scenario = a_scenario(
        calls=(a_call(method=method),), layers=(a_layer(LayerName.AGENT, timeout_s=None), layer), hops=hops
    )
    scenario = downstream_with(
        scenario, work=at_once, retry_after_s=float(fault.retry_after_s or 0), error=fault.failure
    )
    return conditions_with(scenario, rates=rates_at(1.0, fault.site))
