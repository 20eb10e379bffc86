"""Pure decisions: what a call meets, what a layer knows, what it does next. No clock, no luck."""

from simkit.policy.claims import Entry, after_failure, claim, fingerprint
from simkit.policy.deduplication import (
    RECORDED_BEFORE,
    AfterError,
    KnownBy,
    Met,
    Progress,
    Recognition,
    Remembered,
    known_by,
)
from simkit.policy.reactions import (
    can_try,
    declared_action,
    failure_of,
    is_nothing_sent,
    is_settled,
    outcome_after_conflict,
    outcome_to_report,
    worst_knowledge,
)
from simkit.policy.stages import (
    KnownStages,
    Stages,
    conclusion,
    knowledge_of_stages,
    merged_stages,
    outcome_of_stages,
)
from simkit.policy.throttling import Admission, Breaker, Concurrency, Share
from simkit.policy.token_bucket import Bucket

__all__ = [
    "RECORDED_BEFORE",
    "Admission",
    "AfterError",
    "Breaker",
    "Bucket",
    "Concurrency",
    "Entry",
    "KnownBy",
    "KnownStages",
    "Met",
    "Progress",
    "Recognition",
    "Remembered",
    "Share",
    "Stages",
    "after_failure",
    "can_try",
    "claim",
    "conclusion",
    "declared_action",
    "failure_of",
    "fingerprint",
    "is_nothing_sent",
    "is_settled",
    "knowledge_of_stages",
    "known_by",
    "merged_stages",
    "outcome_after_conflict",
    "outcome_of_stages",
    "outcome_to_report",
    "worst_knowledge",
]
