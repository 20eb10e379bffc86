"""Pure decisions: what a call meets, what a layer knows, what it does next. No clock, no luck."""

from simkit.policy.claims import Entry, claim
from simkit.policy.reactions import can_try, declared_action, outcome_to_report, worst_knowledge

__all__ = ["Entry", "can_try", "claim", "declared_action", "outcome_to_report", "worst_knowledge"]
