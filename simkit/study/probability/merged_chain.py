"""Exact, whatever the number of attempts, where nothing is in flight between two: attempts from each state, chained.

It is offered for one call, of an agent that does not restart, for promises about effects. `chain` says how it works.
"""

from dataclasses import replace

from simkit.choices import Drift
from simkit.distributions import Backoff
from simkit.errors import ScenarioError
from simkit.scenario import RetryLayer
from simkit.study.probability.chain import Chain
from simkit.study.probability.estimates import EXACT, RIGOROUS, Estimate, Task
from simkit.terms import FaultKind

__all__ = ["starts_anew", "weigh_merged_chain"]

ATTEMPT_COUNT_MAX = 1_000
TRIED_RUN_COUNT_MAX, TRIED_WITH_EPISODES = 300, 1_200
"""Runs after which the rule takes another driver: one attempt alone has too many endings then.

Which parties are struck is part of a state, so there are some times more with episodes.
"""


def weigh_merged_chain(task: Task) -> Estimate:
    """Chain the attempts of the agent.

    Raises
    ------
    ScenarioError
        If something is in flight between two attempts, states do not come back, or the promises need more of a run's
        history than a state holds.
    Divergence
        If a run depends on anything but its answers, or two ways into a state are followed by different attempts.
    """
    _insist_on_chain(task)
    chain = Chain(task)
    lower, upper = chain.value()
    return Estimate(
        lower=lower,
        upper=upper,
        kind=RIGOROUS if chain.was_stopped else EXACT,
        how=f"of {chain.attempt_count:,} attempts, {chain.state_count:,} states, all faults",
        run_count=chain.run_count,
        is_complete=not chain.was_stopped,
    )


def _insist_on_chain(task: Task) -> None:
    """Refuse what is no chain, as far as the scenario alone says so."""
    scenario, plan = task.scenario, task.plan
    attempts = scenario.layers[0].attempts
    others = sorted(promise for promise in task.promises if not promise.is_about_effects)
    restarts = [rate.site for rate in scenario.conditions.rates if rate.kind is FaultKind.RESTART]
    if others:
        why = f"'{others[0]}' is judged by more of the history than a state holds"
    elif len(plan.errands) > 1:
        why = f"{len(plan.errands)} calls are under way side by side"
    elif restarts:
        why = f"after '{restarts[0]}' attempts are counted anew"
    elif attempts is None or attempts > ATTEMPT_COUNT_MAX:
        count = "attempts without an end" if attempts is None else f"{attempts:,} attempts"
        why = f"{count} are more than {ATTEMPT_COUNT_MAX:,}"
    elif _follows_number(scenario.layers[0]):
        why = "the agent's wait follows the number of the attempt, which a state does not hold"
    elif scenario.agent.drift is Drift.INPUTS:
        why = "the inputs change with each attempt"
    else:
        return
    message = f"merged chain: not offered here: {why}"
    raise ScenarioError(message)


def _follows_number(agent: RetryLayer) -> bool:
    return any(isinstance(backoff, Backoff) for backoff in (agent.backoff, agent.backoff_overloaded))


def starts_anew(task: Task) -> bool:
    """Whether attempts follow each other with nothing in flight between them, and states soon come back."""
    if task.scenario.layers[0].attempts in (1, None):
        return False
    run_count_max = TRIED_WITH_EPISODES if task.has_episodes else TRIED_RUN_COUNT_MAX
    chain = Chain(replace(task, run_count_max=run_count_max, runs_twice=False))
    try:
        _insist_on_chain(task)
        chain.follow()
    except ScenarioError:
        return False
    return not chain.was_stopped
