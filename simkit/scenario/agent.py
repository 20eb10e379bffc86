"""The agent: who makes the operation ID, what it does on each reply, and what a restart does to it."""

from dataclasses import dataclass

from simkit.choices import Dispatch, Drift, OnConflict, OnRejected, OnRestart, OnUnknown
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.terms import Identity

__all__ = ["Agent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Who makes the operation ID, and what is done beside repeating. Its retries are the layer named `agent`.

    Parameters
    ----------
    is_id_persisted
        Whether the ID was written down before sending, so that a restart finds it.
    on_restart
        What follows a restart of the agent, `restart` later.
    drift
        What changes in the arguments from attempt to attempt.
    dispatch
        What becomes of several identical calls of one batch.
    handover_completes
        Whether `accepted` counts as done, because the review names handover as the completion evidence.
    """

    identity: Identity
    is_id_persisted: bool = True
    on_restart: OnRestart = OnRestart.FORGET
    restart: Wait = Wait.of(0.0)  # noqa: RUF009 (frozen)
    drift: Drift = Drift.NONE
    dispatch: Dispatch = Dispatch.SEND_ALL
    on_conflict: OnConflict = OnConflict.HOLD
    on_rejected: OnRejected = OnRejected.STOP
    on_unknown: OnUnknown = OnUnknown.HOLD
    handover_completes: bool = False

    def __post_init__(self) -> None:
        if self.identity is Identity.NONE and self.on_conflict is OnConflict.ADOPT:
            message = "agent.identity 'none' and agent.on_conflict 'read back and adopt' exclude each other: by what?"
            raise ScenarioError(message)
