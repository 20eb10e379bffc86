"""The MCP server's write path, as a point in a space of policies that combine."""

from dataclasses import dataclass

from simkit.choices import (
    ApprovalCheck,
    ApprovalUse,
    Binding,
    Content,
    CountedFrom,
    Fencing,
    LeaseClock,
    OnOutage,
    ReadbackBy,
    Resume,
    ScopePart,
    StoredFailure,
    StoreKind,
    WriteOrder,
)
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario.ranges import insist_on_count, insist_on_duration
from simkit.terms import (
    ClaimKind,
    OnExpired,
    OnMismatch,
    OnPending,
    OnUncertainReadback,
    RetentionKind,
    StalePolicy,
)

__all__ = ["Readback", "Retention", "Server", "Store"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long something is remembered, in seconds from its recording or from its completion, and what follows."""

    retention_s: float
    kind: RetentionKind
    after: OnExpired
    counted_from: CountedFrom = CountedFrom.FIRST_ATTEMPT

    def __post_init__(self) -> None:
        insist_on_duration("retention_s", self.retention_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Readback:
    """How the system of record is asked about one operation.

    Parameters
    ----------
    attempts
        How often it is asked before "cannot tell" stands.
    lag_s_max
        An effect may stay unseen for this long after it was made, in seconds.
    latency
        Time that one question takes.
    by
        What the question names. Only an identity that one operation alone has can confirm it.
    """

    attempts: int
    lag_s_max: float
    latency: Wait
    on_uncertain: OnUncertainReadback
    by: ReadbackBy = ReadbackBy.OPERATION_ID

    def __post_init__(self) -> None:
        insist_on_count("readback.attempts", self.attempts, 1)
        insist_on_duration("readback.lag_s_max", self.lag_s_max)


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Where operation records are kept, and how they get lost.

    Parameters
    ----------
    failover_loss_s
        Rows written within this time before a failover are gone after it, in seconds.
    row_count_max
        The oldest row is evicted when there are more; None where nothing is evicted.
    outage_s
        How long an outage lasts, in seconds.
    """

    kind: StoreKind = StoreKind.SHARED
    failover_loss_s: float = 0.0
    row_count_max: int | None = None
    outage_s: float = 0.0
    on_outage: OnOutage = OnOutage.FAIL_CLOSED

    def __post_init__(self) -> None:
        insist_on_duration("store.failover_loss_s", self.failover_loss_s)
        insist_on_duration("store.outage_s", self.outage_s)
        if self.row_count_max is not None:
            insist_on_count("store.row_count_max", self.row_count_max, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The MCP server's write path.

    Parameters
    ----------
    claim
        How two calls with one operation ID are kept apart; `ClaimKind.NONE` keeps no record at all.
    order
        In which order the durable steps are made.
    lease_s
        A reservation without a receipt is stale after this time, in seconds; None where it never is.
    is_lease_renewed
        Whether a worker that lives renews its lease while it works.
    lease_clock
        Whose clock says that a lease is over. Between workers' own clocks the skew counts.
    wait_s
        How long a duplicate waits where `on_pending` says so, in seconds.
    readback
        None where the server cannot ask the system of record.
    after_effect
        Slow steps between an effect and its receipt.
    replica_count
        Processes behind the load balancer; any of them may get a call.
    worker_count
        Calls that one replica works on at once; None where there is no limit.
    resume
        Which stages a repeat of an operation that was begun runs.
    content
        What a repeat or a recovery sends where the source has moved on.
    passes_errors_on
        Whether an error of unknown outcome from below is answered as that error, not as `unknown`.
    ends_with_object
        Whether deleting what was made ends the operation record too.
    """

    claim: ClaimKind
    order: WriteOrder
    lease_s: float | None
    on_pending: OnPending
    stale: StalePolicy
    on_mismatch: OnMismatch
    retention: Retention
    readback: Readback | None
    is_lease_renewed: bool = False
    lease_clock: LeaseClock = LeaseClock.STORE
    wait_s: float = 0.0
    fencing: Fencing = Fencing.NONE
    binding: Binding = Binding.CONSEQUENTIAL
    scope: tuple[ScopePart, ...] = (ScopePart.TENANT, ScopePart.OPERATION_ID)
    stored_failure: StoredFailure = StoredFailure.REPLAY_DEFINITE
    store: Store = Store()
    after_effect: Wait = Wait.of(0.0)  # noqa: RUF009 (frozen)
    replica_count: int = 1
    worker_count: int | None = None
    resume: Resume = Resume.OPEN_STAGES
    content: Content = Content.BOUND
    approval_check: ApprovalCheck = ApprovalCheck.NEVER
    approval_use: ApprovalUse = ApprovalUse.NEVER
    passes_errors_on: bool = False
    ends_with_object: bool = False

    def __post_init__(self) -> None:
        insist_on_duration("server.lease_s", self.lease_s)
        insist_on_duration("server.wait_s", self.wait_s)
        insist_on_count("server.replica_count", self.replica_count, 1)
        if self.worker_count is not None:
            insist_on_count("server.worker_count", self.worker_count, 1)
        if self.stale is StalePolicy.READ_BACK and self.claim is ClaimKind.UNIQUE and self.readback is None:
            message = "server.stale 'read back' and server.readback None exclude each other"
            raise ScenarioError(message)
        if (self.claim is ClaimKind.NONE) is not (self.order is WriteOrder.EFFECT_ONLY):
            message = (
                f"server.claim '{self.claim}' and server.order '{self.order}' exclude each other: "
                "without a record there is only the effect, and with one it is written"
            )
            raise ScenarioError(message)
        if self.order is WriteOrder.ONE_TRANSACTION and self.store.kind is StoreKind.PROCESS_MEMORY:
            message = (
                f"server.order '{self.order}' and server.store.kind '{self.store.kind}' exclude each other: "
                "what dies with the process is in no transaction"
            )
            raise ScenarioError(message)
        if self.fencing is Fencing.TOKEN_DOWNSTREAM and self.claim is ClaimKind.NONE:
            message = f"server.claim 'none' and server.fencing '{self.fencing}' exclude each other: no claim, no token"
            raise ScenarioError(message)
