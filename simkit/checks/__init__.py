"""Promises: each check reads a journal, and nothing else, and decides it for every intent."""

from simkit.checks.approvals import check_approval_respected, check_audience_approved
from simkit.checks.budget import check_work_in_budget
from simkit.checks.changed_input import check_changed_input_conflicts
from simkit.checks.clean_up import check_clean_up_waits
from simkit.checks.deciding import JUDGED, check_all, verdicts
from simkit.checks.distinct_intents import check_distinct_intents
from simkit.checks.effects import check_at_most_one_effect, check_effect_happens
from simkit.checks.finding import Finding
from simkit.checks.pending import check_nothing_pends
from simkit.checks.repeats import check_repeat_converges
from simkit.checks.settlements import check_nothing_after_settlement
from simkit.checks.tenants import check_tenants_apart
from simkit.checks.unknown_said import check_unknown_is_said
from simkit.checks.words import check_completed_means_done, check_rejected_means_nothing

__all__ = [
    "JUDGED",
    "Finding",
    "check_all",
    "check_approval_respected",
    "check_at_most_one_effect",
    "check_audience_approved",
    "check_changed_input_conflicts",
    "check_clean_up_waits",
    "check_completed_means_done",
    "check_distinct_intents",
    "check_effect_happens",
    "check_nothing_after_settlement",
    "check_nothing_pends",
    "check_rejected_means_nothing",
    "check_repeat_converges",
    "check_tenants_apart",
    "check_unknown_is_said",
    "check_work_in_budget",
    "verdicts",
]
