"""The systems of record: what makes an effect, how a repeat is recognised, and how it can be asked."""

from dataclasses import dataclass

from simkit.choices import (
    Deduplication,
    EffectKind,
    FailuresStored,
    KeyRecorded,
    KeySent,
    OnConcurrent,
    ReadbackBy,
)
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario.ranges import insist_on_duration
from simkit.scenario.server import Retention
from simkit.terms import ErrorClass, OnMismatch

__all__ = ["Downstream", "Stage", "SystemBehaviour"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemBehaviour:
    """How a system of record recognises a repeat, and what it does with one.

    Parameters
    ----------
    key_retention
        How long it remembers what it recognises a repeat by; None where it recognises none.
    on_mismatch
        What a remembered key with other inputs gets.
    deduplication
        How it recognises a repeat. A response cache, where nothing else is said, by the operation ID.
    on_concurrent
        What a repeat gets while the first request is at work.
    key_recorded
        When it begins to remember; anything but `with the effect` has a window of its own.
    failures_stored
        Which failures it remembers and replays.
    effect
        What a repeat of the effect would do.
    accepts_first
        Whether its answer comes before the effect, and means accepted, not done.
    asked_by
        What a readback may name.
    """

    key_retention: Retention | None
    on_mismatch: OnMismatch
    deduplication: Deduplication = Deduplication.RESPONSE_CACHE
    on_concurrent: OnConcurrent = OnConcurrent.BOTH_EXECUTE
    key_recorded: KeyRecorded = KeyRecorded.WITH_EFFECT
    failures_stored: FailuresStored = FailuresStored.NONE
    effect: EffectKind = EffectKind.CREATE
    accepts_first: bool = False
    asked_by: tuple[ReadbackBy, ...] = (ReadbackBy.OPERATION_ID,)

    def __post_init__(self) -> None:
        if self.deduplication is Deduplication.NONE and self.key_retention is not None:
            message = (
                f"deduplication 'none' and a key_retention of {self.key_retention.retention_s:g} s "
                "exclude each other: nothing is recognised, so nothing is remembered"
            )
            raise ScenarioError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Downstream(SystemBehaviour):
    """The system of record that makes the effect.

    Parameters
    ----------
    work
        Time between a request's arrival and its effect, in which nothing is durable yet.
    rejects_until_s
        It rejects, definitely, whatever arrives before this instant, in seconds from the start.
    retry_after_s
        What an answer asks for that says overloaded or unavailable, in seconds; 0 where it asks for nothing.
    error
        As what an error of unknown outcome is answered.
    """

    name: str
    work: Wait
    rejects_until_s: float = 0.0
    retry_after_s: float = 0.0
    error: ErrorClass = ErrorClass.SERVER_ERROR

    def __post_init__(self) -> None:
        insist_on_duration(f"{self.name}.rejects_until_s", self.rejects_until_s)
        insist_on_duration(f"{self.name}.retry_after_s", self.retry_after_s)
        try:
            SystemBehaviour.__post_init__(self)
        except ScenarioError as error:
            message = f"{self.name}: {error}"
            raise ScenarioError(message) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One of the effects of a tool, in the order in which they are made.

    Parameters
    ----------
    key
        What the server sends as the key, None where it sends none; with several stages, each key bears
        its stage's name too.
    recomputes_audience
        Whether each delivery works out anew whom it reaches; otherwise the approved audience is kept.
    may_recompute_audience
        Whether the approved policy is to work it out anew, so that another audience breaks nothing.
    """

    name: str
    downstream: Downstream | None
    key: KeySent | None = KeySent.OPERATION_ID
    recomputes_audience: bool = False
    may_recompute_audience: bool = False

    def __post_init__(self) -> None:
        if self.downstream is None:
            message = (
                f"stages: name '{self.name}' and downstream 'none' exclude each other: some system makes an effect"
            )
            raise ScenarioError(message)
