"""The closed sets from which the policies of the parties are chosen.

Like `terms`, but about what a party does rather than about what is said: the value of a member is
what people write in a scenario or a review.
"""

from enum import StrEnum

__all__ = [
    "Acknowledgement",
    "ApprovalCheck",
    "ApprovalUse",
    "AskedWait",
    "BeyondLongest",
    "Binding",
    "Content",
    "CountedFrom",
    "Deduplication",
    "Dispatch",
    "Drift",
    "EffectKind",
    "FailuresStored",
    "Fencing",
    "Holder",
    "KeyMinted",
    "KeyRecorded",
    "KeySent",
    "LeaseClock",
    "OnConcurrent",
    "OnConflict",
    "OnNotSeen",
    "OnOutage",
    "OnRejected",
    "OnRestart",
    "OnTimeout",
    "OnUnknown",
    "ReadbackBy",
    "Resume",
    "ScopePart",
    "StoreKind",
    "StoredFailure",
    "WriteOrder",
]


class OnTimeout(StrEnum):
    """What a caller that stops waiting does to the work below."""

    RUNS_ON = "the work runs on"
    INTERRUPTED = "interrupted at its next step"


class WriteOrder(StrEnum):
    """In which order a server makes its durable steps."""

    EFFECT_ONLY = "effect only"
    EFFECT_THEN_RECEIPT = "effect, receipt"
    RESERVE_FIRST = "reservation, effect, receipt"
    RECORD_FIRST = "record as done, effect"
    ONE_TRANSACTION = "one transaction"
    OUTBOX = "outbox and relay"


class Fencing(StrEnum):
    """What keeps a worker that lost its claim from going on."""

    NONE = "none"
    RECEIPT_CHECKS_OWNER = "the receipt checks the owner"
    TOKEN_DOWNSTREAM = "a token that the downstream checks"  # noqa: S105 (no password)


class Binding(StrEnum):
    """Which inputs the server's fingerprint covers."""

    CONSEQUENTIAL = "the consequential inputs"
    TOO_LOOSE = "ignores a consequential field"
    TOO_STRICT = "includes how it is written"


class ScopePart(StrEnum):
    """What may be part of the scope of an operation ID."""

    TENANT = "tenant"
    PRINCIPAL = "principal"
    CREDENTIAL = "credential"
    ACTION = "action"
    TARGET = "target"
    OPERATION_ID = "operation ID"


class StoredFailure(StrEnum):
    """What a server's record does with an attempt that failed."""

    REPLAY_FOR_EVER = "replay for ever"
    RELEASE_RESULT = "release the result, keep the fingerprint"
    REPLAY_DEFINITE = "replay definite failures only"
    DELETE_RECORD = "delete the record"


class StoreKind(StrEnum):
    """Where the operation record is kept."""

    SHARED = "shared"
    PROCESS_MEMORY = "process memory"


class LeaseClock(StrEnum):
    """Whose clock says that a lease is over."""

    STORE = "the record store's"
    WORKERS = "each worker's own"


class OnOutage(StrEnum):
    """What a server does while its record store is away."""

    FAIL_CLOSED = "fail closed"
    FAIL_OPEN = "fail open"


class Resume(StrEnum):
    """From where a server goes on with an operation that was begun."""

    OPEN_STAGES = "the stages without a receipt"
    ALL_STAGES = "all stages"


class ApprovalCheck(StrEnum):
    """When a server checks the approval."""

    AT_EACH_START = "at each start"
    ON_ARRIVAL = "on arrival"
    NEVER = "never"


class ApprovalUse(StrEnum):
    """When a server marks an approval that is good for one intent as used."""

    WITH_THE_CLAIM = "in the step of the claim"
    BEFORE_THE_CLAIM = "before the claim"
    NEVER = "never"


class Content(StrEnum):
    """Which content a repeat or a recovery sends."""

    BOUND = "what was bound"
    CURRENT = "what the source holds now"


class EffectKind(StrEnum):
    """What a repeat of the effect would do."""

    CREATE = "create"
    SET = "set"
    ADD = "add"
    TOGGLE = "toggle"
    DELETE = "delete"
    MESSAGE = "message"


class KeySent(StrEnum):
    """Which key the server sends to the system of record."""

    OPERATION_ID = "operation ID"
    PER_ATTEMPT = "derived per attempt"


class KeyMinted(StrEnum):
    """For what a layer mints a key of its own where the call bears none."""

    PER_CALL = "per call"
    PER_ATTEMPT = "per attempt"


class AskedWait(StrEnum):
    """What a layer makes of the wait that an answer asks for (Retry-After)."""

    LONGER = "whichever is longer"
    INSTEAD = "instead of the backoff"


class BeyondLongest(StrEnum):
    """What a layer does where an answer asks for a longer wait than the layer is willing to make."""

    CAP = "wait the longest"
    BACKOFF = "wait the backoff"
    STOP = "stop"


class CountedFrom(StrEnum):
    """When a retention begins; one that is counted from completion prunes nothing that is not settled."""

    FIRST_ATTEMPT = "first attempt"
    COMPLETION = "completion"


class Deduplication(StrEnum):
    """How a system of record recognises a repeat."""

    RESPONSE_CACHE = "response cache"
    INTENT_RESUME = "intent resume"
    INTENT_LATEST_STATUS = "intent, latest status"
    SEMANTIC_EQUIVALENT = "semantic equivalent"
    RESOURCE_REGISTRY = "resource registry"
    NATURAL_KEY_REJECT = "natural key, reject"
    NATURAL_KEY_UPSERT = "natural key, upsert"
    CONDITIONAL_PUT = "conditional put"
    WINDOW_DROP = "window, drop"
    WINDOW_MERGE = "window, merge"
    SEQUENCE = "sequence"
    LEASE_THEN_CACHE = "lease, then cache"
    HEURISTIC = "heuristic"
    NONE = "none"


class OnConcurrent(StrEnum):
    """What a system of record does with a repeat while the first request is at work."""

    CONFLICT_ERROR = "conflict error"
    ONE_WINS_REPLAY = "one wins, replay"
    ONE_WINS_REJECTED = "one wins, other rejected"
    BLOCK_THEN_REJECT = "block, then reject"
    ACCEPTED_DEDUPED = "accepted, deduplicated"
    MAY_FAIL_SECOND = "may fail the second"
    BOTH_EXECUTE = "both execute"
    FENCED = "fenced"


class KeyRecorded(StrEnum):
    """When a system of record begins to remember a key."""

    BEFORE_EFFECT = "before the effect"
    AT_START = "when the endpoint starts"
    WITH_EFFECT = "with the effect"
    ON_SUCCESS = "on success"
    ON_ACCEPT = "on acceptance"


class FailuresStored(StrEnum):
    """Which failures a system of record remembers under a key."""

    NONE = "none"
    DEFINITE = "definite"
    ALL = "all"


class ReadbackBy(StrEnum):
    """How the system of record is asked."""

    OPERATION_ID = "operation ID"
    CLIENT_REFERENCE = "client reference"
    NATURAL_KEY = "natural key"
    CONTENT = "content"
    LIST = "list"
    SEARCH = "search"


class OnConflict(StrEnum):
    """What an agent does when its own operation ID or natural key is taken."""

    HOLD = "hold"
    ADOPT = "read back and adopt"
    TAKE_AS_DONE = "take as done after an own attempt"
    SAY_FAILED = "say failed"


class OnRejected(StrEnum):
    """What an agent does after a rejection."""

    STOP = "stop"
    SAME_ID = "try again with the same ID"
    NEW_ID = "try again with a new ID"


class OnUnknown(StrEnum):
    """What an agent does in the end while the outcome is unknown."""

    HOLD = "hold for the owner"
    CLEAN_UP = "clean up"
    CLEAN_UP_IF_ABSENT = "clean up after a readback without a finding"


class OnRestart(StrEnum):
    """What follows a restart of the agent."""

    FORGET = "forget"
    RESUME = "resume the open step"
    RUN_AGAIN = "run the whole step again"


class Drift(StrEnum):
    """What changes in the arguments from attempt to attempt."""

    NONE = "none"
    WORDING = "wording"
    INPUTS = "inputs"
    CREDENTIAL = "credential"


class Dispatch(StrEnum):
    """What the agent's dispatcher does with identical calls of one batch."""

    SEND_ALL = "send all"
    ONE_FOR_CONTENT = "one for equal content"
    BY_OCCURRENCE = "one for each numbered occurrence"


class Holder(StrEnum):
    """Who keeps a queued call until it is due."""

    BROKER = "broker"
    WORKER = "worker"


class Acknowledgement(StrEnum):
    """When a consumer acknowledges a queued call."""

    AFTER_WORK = "after the work"
    ON_RECEIPT = "on receipt"


class OnNotSeen(StrEnum):
    """What a reconciler does when the system of record shows nothing."""

    ESCALATE = "escalate"
    SAME_ID = "retry with the same ID"
    NEW_ID = "retry with a new ID"
    SETTLE_AS_ABSENT = "settle as absent"
