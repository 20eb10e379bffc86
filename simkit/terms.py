"""The words of the workbench, each with one meaning.

A word that appears in a review file, in a journal and on the page is the same word everywhere, so
every closed set of answers is an enumeration of this module. The value of a member is what people
read and write; its name is what code says.
"""

from enum import StrEnum

__all__ = [
    "Action",
    "CaseEvidence",
    "Claim",
    "ClaimKind",
    "Clock",
    "Driver",
    "ErrorClass",
    "EvidenceKind",
    "FaultKind",
    "Identity",
    "Knowledge",
    "LayerName",
    "OnExhausted",
    "OnExpired",
    "OnMismatch",
    "OnPending",
    "OnUncertainReadback",
    "Outcome",
    "OutcomeClass",
    "Promise",
    "PromiseVerdict",
    "ReadbackAnswer",
    "RetentionKind",
    "Settled",
    "StalePolicy",
    "State",
    "Verdict",
]


class State(StrEnum):
    """What is recorded or reported about one stage of an operation, or said by one reply."""

    REFUSED = "refused"
    CONFLICT = "conflict"
    EXPIRED = "expired"
    REJECTED = "rejected"
    ACCEPTED = "accepted"
    PENDING = "pending"
    NOT_STARTED = "not started"
    COMPLETED = "completed"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """What may be concluded about a stage, or about a whole operation."""

    OK = "OK"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"
    PARTIAL = "PARTIAL"


class Verdict(StrEnum):
    """What a gate acts on."""

    ALLOW = "allow"
    HOLD = "hold"
    DISABLE = "disable"


class PromiseVerdict(StrEnum):
    """What a check found about one promise in one run, or an exploration in all of them."""

    KEPT = "kept"
    BROKEN = "broken"
    UNDECIDED = "undecided"


class Promise(StrEnum):
    """A property of the tool's contract that a check decides."""

    EFFECT_HAPPENS = "the effect happens"
    AT_MOST_ONE_EFFECT = "at most one effect"
    COMPLETED_MEANS_DONE = "completed means done"
    CHANGED_INPUT_CONFLICTS = "changed input conflicts"
    DISTINCT_INTENTS = "distinct intents stay distinct"
    TENANTS_APART = "tenants stay apart"
    APPROVAL_RESPECTED = "approval is respected"
    AUDIENCE_APPROVED = "the audience is the approved one"
    NOTHING_AFTER_SETTLEMENT = "nothing lands after settlement"
    CLEAN_UP_WAITS = "clean-up waits"
    REJECTED_MEANS_NOTHING = "rejected means nothing happened"
    UNKNOWN_IS_SAID = "unknown is said"
    REPEAT_CONVERGES = "a repeat converges"
    NOTHING_PENDS = "nothing pends for ever"
    WORK_IN_BUDGET = "work stays in budget"

    @property
    def is_about_effects(self) -> bool:
        """Whether a broken one makes the tool effect-unsafe."""
        return self not in _ABOUT_REPORTS and self is not Promise.WORK_IN_BUDGET

    @property
    def subject(self) -> str:
        """What it is about: `effects`, `reports` or `work`."""
        return "effects" if self.is_about_effects else "reports" if self.is_about_reports else "work"

    @property
    def is_about_reports(self) -> bool:
        """Whether a broken one makes the tool report-unsafe."""
        return self in _ABOUT_REPORTS


_ABOUT_REPORTS = frozenset(
    {
        Promise.REJECTED_MEANS_NOTHING,
        Promise.UNKNOWN_IS_SAID,
        Promise.REPEAT_CONVERGES,
        Promise.NOTHING_PENDS,
    }
)


class Driver(StrEnum):
    """How a probability is computed: who answers what a scenario leaves open."""

    ENUMERATED = "enumerated"
    BEST_FIRST = "best first"
    MERGED_CHAIN = "merged chain"
    CRASH_GAPS = "crash gaps"
    LATENCY_CELLS = "latency cells"
    TILTED = "tilted sampling"


class EvidenceKind(StrEnum):
    """Where a statement on the page comes from. One kind never stands for another."""

    DECLARED = "declared"
    SIMULATED = "simulated"
    OBSERVED = "observed"


class LayerName(StrEnum):
    """The layers that may repeat a call, outermost first."""

    AGENT = "agent"
    GATEWAY = "gateway"
    CLIENT_SDK = "client_sdk"
    DOWNSTREAM_SDK = "downstream_sdk"


class FaultKind(StrEnum):
    """The kinds of fault that conditions include or exclude."""

    REQUEST_LOST = "request lost"
    RESPONSE_LOST = "response lost"
    LATE = "late"
    CRASH = "crash"
    READBACK_CANNOT_TELL = "readback cannot tell"
    DOWNSTREAM_ERROR = "downstream error"
    CONNECTION_REFUSED = "connection refused"
    CONNECTION_CLOSED = "connection closed"
    RESPONSE_REPLACED = "response replaced by an error"
    DUPLICATED = "delivered twice"
    ERROR_OF_UNKNOWN_OUTCOME = "error of unknown outcome"
    ERROR_AFTER_EFFECT = "error after the effect"
    OVERLOADED = "overloaded"
    UNAVAILABLE = "unavailable"
    FALSE_CONFLICT = "false conflict"
    CREDENTIAL_REFUSED = "credential refused"
    LOST_AFTER_ACCEPTANCE = "lost after acceptance"
    PAUSE = "pause"
    STORE_OUTAGE = "record store outage"
    STORE_FAILOVER = "record store failover"
    RESTART = "agent restart"
    HUMAN_ERROR = "error of the reconciler"


class Identity(StrEnum):
    """Who makes the operation ID, and for which span."""

    PER_INTENT = "per intent"
    PER_ATTEMPT = "per attempt"
    PER_PROCESS = "per process"
    HASH_OF_ARGUMENTS = "hash of the arguments"
    BY_MODEL = "by the model"
    NONE = "none"


class ClaimKind(StrEnum):
    """How a server keeps two calls with one operation ID apart."""

    NONE = "none"
    CHECK_THEN_ACT = "check then act"
    UNIQUE = "unique reservation"


class Claim(StrEnum):
    """What a call that bears an operation ID meets at the record store."""

    GRANTED = "granted"
    MISMATCH = "mismatch"
    REPLAY = "replay"
    IN_PROGRESS = "in progress"
    STALE = "stale"
    RELEASED = "released"
    EXPIRED = "expired"


class OnPending(StrEnum):
    """What a duplicate gets while the first call is still at work."""

    RETURN_PENDING = "return pending"
    WAIT = "wait"
    CONFLICT = "conflict"
    RUN_AGAIN = "run again"


class StalePolicy(StrEnum):
    """What is done with a reservation whose lease ran out without a receipt."""

    HOLD = "hold"
    RUN_AGAIN = "run again"
    READ_BACK = "read back"


class OnUncertainReadback(StrEnum):
    """What follows a readback that cannot tell."""

    HOLD = "hold"
    TREAT_AS_ABSENT = "treat as absent"


class OnMismatch(StrEnum):
    """What a reused operation ID with other bound inputs gets."""

    CONFLICT = "conflict"
    REPLAY = "replay the first result"
    RUN_AS_NEW = "run as new"
    DROP = "drop silently"
    OVERWRITE = "overwrite"


class OnExpired(StrEnum):
    """What an operation ID past its retention meets. Refusing or holding needs a tombstone."""

    RUN_AS_NEW = "run as new"
    REFUSE = "refuse"
    HOLD = "hold"


class OnExhausted(StrEnum):
    """What a layer says upward when its attempts are used up while the outcome is open."""

    SAY_UNKNOWN = "say unknown"
    SAY_FAILED = "say failed"
    SAY_LAST = "say what the last attempt heard"


class RetentionKind(StrEnum):
    """How firmly a retention is promised."""

    EXACT = "exact"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    NOT_STATED = "not stated"
    WITH_OBJECT = "as long as the object"


class Clock(StrEnum):
    """Whose clock it is."""

    SERVER = "server"
    RECORD_STORE = "record store"
    DOWNSTREAM = "downstream"


class ReadbackAnswer(StrEnum):
    """What the system of record says when asked about one operation."""

    FOUND = "found"
    NOT_SEEN = "not seen"
    CANNOT_TELL = "cannot tell"


class Knowledge(StrEnum):
    """What a layer knows, the worst over all attempts that it and the layers below made."""

    NOTHING_SENT = "nothing sent"
    POSSIBLY_SENT = "possibly sent"
    PENDING = "pending"
    FOUND = "found"
    NOT_SEEN = "not seen"
    CONFIRMED_ABSENT = "confirmed absent"
    CONFLICT_OTHER_INPUTS = "conflict with other inputs"
    CONFLICT_POSSIBLY_MINE = "conflict possibly mine"
    REJECTED = "rejected"
    STORED_FAILURE = "stored failure, still open"
    EXPIRED = "expired"
    APPROVAL_LAPSED = "approval lapsed"


class Action(StrEnum):
    """What a layer may do next."""

    SAME_ID = "same ID"
    STATUS_FIRST = "status first"
    POLL = "poll"
    RESUME_STAGE = "resume stage"
    NEW_OPERATION = "new operation under new approval"
    HOLD = "hold for owner"
    STOP = "stop"


class ErrorClass(StrEnum):
    """How an attempt fails on its way; what a retry layer decides by."""

    CONNECTION_REFUSED = "connection refused"
    CONNECTION_CLOSED = "connection closed"
    TIMEOUT = "timeout"
    REQUEST_TIMEOUT = "408"
    OVERLOADED = "429"
    SERVER_ERROR = "500"
    BAD_GATEWAY = "502"
    UNAVAILABLE = "503"
    GATEWAY_TIMEOUT = "504"
    CONFLICT = "409"
    PENDING = "pending"
    UNKNOWN = "unknown"


class Settled(StrEnum):
    """How an operation was settled without an effect."""

    ABSENT = "confirmed absent"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"


class CaseEvidence(StrEnum):
    """How well the report of an incident is supported."""

    PRODUCTION = "production"
    REPRODUCED = "reproduced"
    CONFIRMED = "confirmed"
    REASONED = "reasoned"


class OutcomeClass(StrEnum):
    """What kind of harm an incident did, or a run did: several may hold at once."""

    NONE = "none"
    DUPLICATE_EFFECT = "duplicate effect"
    LOST_EFFECT = "lost effect"
    EFFECT_DONE_REPORTED_FAILED = "effect done, reported failed"
    FAILURE_REPORTED_SUCCESS = "failure reported as success"
    LEGITIMATE_OPERATION_SUPPRESSED = "legitimate operation suppressed"
    STUCK = "stuck"
    UNAUTHORISED_EFFECT = "unauthorised effect"
    WRONG_RESULT_REPLAYED = "wrong result replayed"
    LOAD_AMPLIFICATION = "load amplification"
    CORRUPTION_BY_CLEAN_UP = "corruption by clean-up"
    DATA_LEAK = "data leak"
