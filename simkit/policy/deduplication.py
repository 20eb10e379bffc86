"""What a request meets at a system of record that may know it already.

A system of record recognises a repeat by the request's key, by the object that it is about, or by its
content; what a repeat then gets is the kind's own business:

=====================  ===========  =================================================================
kind                   known by     a repeat with equal inputs
=====================  ===========  =================================================================
response cache         key          the stored response, whatever it was
lease, then cache      key          pending while the first is at work, then the stored response
intent resume          key          what the first made; one that failed is driven again
intent, latest status  key          how the first stands now
semantic equivalent    key          an equivalent answer about what the first made
window, drop           key          OK, and nothing is made
window, merge          key          OK, merged into what is open
sequence               key          OK, dropped: its number is not above the highest
resource registry      object       the object that is registered
natural key, reject    object       a conflict: it exists already
natural key, upsert    object       OK; equal content changes nothing, other content overwrites
conditional put        object       a conflict, whatever the content
heuristic              content      a conflict: it looks like an earlier one
none                   nothing      everything is made
=====================  ===========  =================================================================
"""

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from simkit.choices import Deduplication, FailuresStored, KeyRecorded, OnConcurrent
from simkit.terms import OnMismatch

__all__ = ["RECORDED_BEFORE", "AfterError", "KnownBy", "Met", "Progress", "Recognition", "Remembered", "known_by"]


class KnownBy(StrEnum):
    """What a repeat is recognised by."""

    KEY = "the key"
    OBJECT = "the object"
    CONTENT = "the content"
    NOTHING = "nothing"


class Progress(StrEnum):
    """How far a remembered request has come."""

    AT_WORK = "at work"
    ACCEPTED = "accepted"
    DONE = "done"
    REJECTED = "rejected"
    FAILED = "failed"


class Met(StrEnum):
    """What a request meets. The first five go on to the effect."""

    RUN = "nothing: it runs"
    OVERWRITE = "a remembered request that it overwrites"
    RUN_BESIDE = "one at work: it runs beside it"
    RACE = "one at work: the first to make the effect wins"
    FENCE = "one at work: it is fenced off"
    MAY_FAIL = "one at work: it may be refused"
    WAIT = "one at work: it waits for it"
    BUSY = "one at work: it is refused"
    PENDING = "one at work: it is told so"
    DEDUPED = "one at work: it is accepted and dropped"
    LOST = "one that was faster"
    REPLAY = "a stored response"
    CURRENT = "what an earlier one made"
    DROP = "an earlier one: it is dropped"
    EXISTS = "what exists already"
    LOOKALIKE = "one that looks the same"
    MISMATCH = "one with other inputs"


class AfterError(StrEnum):
    """What a system of record remembers of a request that it answered with an error."""

    ERROR = "the error, as its response"
    KEY = "the key"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What is remembered of an earlier request, as far as a decision needs it."""

    inputs: str
    progress: Progress


_RESPONSES = frozenset({Deduplication.RESPONSE_CACHE, Deduplication.LEASE_THEN_CACHE})

_ID_ONLY = frozenset({Deduplication.WINDOW_DROP, Deduplication.WINDOW_MERGE, Deduplication.SEQUENCE})
"""Kinds that remember that an ID was there, not what became of it."""

_BY_OBJECT = frozenset(
    {
        Deduplication.RESOURCE_REGISTRY,
        Deduplication.NATURAL_KEY_REJECT,
        Deduplication.NATURAL_KEY_UPSERT,
        Deduplication.CONDITIONAL_PUT,
    }
)

_BLIND_TO_INPUTS = frozenset({Deduplication.CONDITIONAL_PUT, Deduplication.SEQUENCE, Deduplication.HEURISTIC})
"""Kinds for which other inputs make no difference, or cannot occur."""

RECORDED_BEFORE = frozenset({KeyRecorded.BEFORE_EFFECT, KeyRecorded.AT_START, KeyRecorded.ON_ACCEPT})
"""From a key that is recorded before its effect, the effect may still be missing."""

_ON_REPEAT = MappingProxyType(
    {
        Deduplication.RESPONSE_CACHE: Met.REPLAY,
        Deduplication.LEASE_THEN_CACHE: Met.REPLAY,
        Deduplication.INTENT_RESUME: Met.CURRENT,
        Deduplication.INTENT_LATEST_STATUS: Met.CURRENT,
        Deduplication.SEMANTIC_EQUIVALENT: Met.CURRENT,
        Deduplication.RESOURCE_REGISTRY: Met.CURRENT,
        Deduplication.NATURAL_KEY_REJECT: Met.EXISTS,
        Deduplication.NATURAL_KEY_UPSERT: Met.CURRENT,
        Deduplication.CONDITIONAL_PUT: Met.EXISTS,
        Deduplication.WINDOW_DROP: Met.DROP,
        Deduplication.WINDOW_MERGE: Met.DROP,
        Deduplication.SEQUENCE: Met.DROP,
        Deduplication.HEURISTIC: Met.LOOKALIKE,
        Deduplication.NONE: Met.RUN,
    }
)

_WHILE_AT_WORK = MappingProxyType(
    {
        OnConcurrent.CONFLICT_ERROR: Met.BUSY,
        OnConcurrent.ONE_WINS_REPLAY: Met.RACE,
        OnConcurrent.ONE_WINS_REJECTED: Met.RACE,
        OnConcurrent.BLOCK_THEN_REJECT: Met.WAIT,
        OnConcurrent.ACCEPTED_DEDUPED: Met.DEDUPED,
        OnConcurrent.MAY_FAIL_SECOND: Met.MAY_FAIL,
        OnConcurrent.BOTH_EXECUTE: Met.RUN_BESIDE,
        OnConcurrent.FENCED: Met.FENCE,
    }
)

_REJECTS_THE_SLOWER = frozenset({OnConcurrent.ONE_WINS_REJECTED, OnConcurrent.BLOCK_THEN_REJECT})


def known_by(kind: Deduplication) -> KnownBy:
    """Say what a kind recognises a repeat by."""
    if kind in _BY_OBJECT:
        return KnownBy.OBJECT
    if kind is Deduplication.HEURISTIC:
        return KnownBy.CONTENT
    return KnownBy.NOTHING if kind is Deduplication.NONE else KnownBy.KEY


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """How a system of record recognises a repeat, and what it does with one. `Downstream` says what the fields mean."""

    kind: Deduplication
    on_mismatch: OnMismatch
    on_concurrent: OnConcurrent
    key_recorded: KeyRecorded
    failures_stored: FailuresStored

    @property
    def looks_on_arrival(self) -> bool:
        """Whether a request is compared with others as it arrives, not only as it makes its effect."""
        if self.kind is Deduplication.NONE:
            return False
        return (
            self.key_recorded in RECORDED_BEFORE
            or self.on_concurrent is not OnConcurrent.BOTH_EXECUTE
            or self.failures_stored is not FailuresStored.NONE
            or self.kind in (Deduplication.LEASE_THEN_CACHE, Deduplication.SEQUENCE)
        )

    def meet(self, first: Remembered | None, inputs: str, *, is_concurrent: bool = False) -> Met:
        """Say what a request with these inputs meets as it arrives.

        Parameters
        ----------
        first
            The remembered request; None where nothing is remembered.
        is_concurrent
            Whether `first` was still at work when this request arrived.
        """
        if first is None:
            return Met.RUN
        is_made = first.progress in (Progress.ACCEPTED, Progress.DONE)
        if is_concurrent and is_made and self.on_concurrent in _REJECTS_THE_SLOWER:
            return Met.LOST
        if first.inputs != inputs and self.kind not in _BLIND_TO_INPUTS:
            mismatch = self._mismatch()
            if mismatch is Met.OVERWRITE and first.progress is Progress.AT_WORK:
                return self._at_work()
            if mismatch is not None:
                return mismatch
        if first.progress is Progress.AT_WORK:
            return self._at_work()
        if is_made:
            return _ON_REPEAT[self.kind]
        return Met.RUN if self.kind is Deduplication.INTENT_RESUME else Met.REPLAY

    def meet_with_effect(self, first: Remembered | None, inputs: str, *, is_concurrent: bool, runs_beside: bool) -> Met:
        """Say what a request meets in the step that makes its effect: what is still at work no longer counts.

        Parameters
        ----------
        first
            As for `meet`; not the request itself.
        runs_beside
            Whether it runs beside one that was at work. Only a key that is recorded with the effect stops it then.
        """
        if first is None or first.progress is Progress.AT_WORK:
            return Met.RUN
        if runs_beside and self.key_recorded is not KeyRecorded.WITH_EFFECT:
            return Met.RUN
        return self.meet(first, inputs, is_concurrent=is_concurrent)

    def stores_rejection(self) -> bool:
        """Whether a definite rejection is remembered under its key."""
        return self.failures_stored is not FailuresStored.NONE

    def after_error(self, *, is_effect_made: bool) -> AfterError:
        """Say what is remembered after an error that leaves its caller in the dark.

        What remembers responses has none to remember; what remembers what was made has it if it was made.
        """
        if self.failures_stored is FailuresStored.ALL:
            return AfterError.ERROR
        if not is_effect_made:
            is_left = self.kind in _ID_ONLY and self.key_recorded in RECORDED_BEFORE
            return AfterError.KEY if is_left else AfterError.NOTHING
        if self.key_recorded is KeyRecorded.WITH_EFFECT:
            return AfterError.KEY
        is_lost = self.key_recorded is KeyRecorded.ON_SUCCESS or self.kind in _RESPONSES
        return AfterError.NOTHING if is_lost else AfterError.KEY

    def _mismatch(self) -> Met | None:
        """What other inputs meet; None where they are taken for equal ones."""
        if self.kind is Deduplication.NATURAL_KEY_UPSERT:
            return Met.OVERWRITE
        match self.on_mismatch:
            case OnMismatch.CONFLICT:
                return Met.MISMATCH
            case OnMismatch.RUN_AS_NEW:
                return Met.RUN
            case OnMismatch.DROP:
                return Met.DROP
            case OnMismatch.OVERWRITE:
                return Met.OVERWRITE
            case OnMismatch.REPLAY:
                return None

    def _at_work(self) -> Met:
        if self.kind is Deduplication.LEASE_THEN_CACHE:
            return Met.PENDING
        if self.kind is Deduplication.INTENT_LATEST_STATUS and self.on_concurrent is OnConcurrent.ONE_WINS_REPLAY:
            return Met.PENDING
        return _WHILE_AT_WORK[self.on_concurrent]
