"""Pure decisions: what a call meets, what a layer knows, what it does next. No clock, no luck."""

from simkit.policy.claims import Entry, after_failure, claim, fingerprint
from simkit.policy.reactions import can_try, declared_action, outcome_to_report, worst_knowledge
from simkit.policy.throttling import Admission, Breaker, Bucket, Share

__all__ = [
    "Admission",
    "Breaker",
    "Bucket",
    "Entry",
    "Share",
    "after_failure",
    "can_try",
    "claim",
    "declared_action",
    "fingerprint",
    "outcome_to_report",
    "worst_knowledge",
]
