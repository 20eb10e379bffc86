"""Promises: each check reads a journal, and nothing else, and decides it for every intent."""

from simkit.checks.changed_input import check_changed_input_conflicts
from simkit.checks.deciding import JUDGED, check_all, verdicts
from simkit.checks.effects import check_at_most_one_effect, check_effect_happens
from simkit.checks.finding import Finding
from simkit.checks.unknown_said import check_unknown_is_said
from simkit.checks.words import check_completed_means_done, check_rejected_means_nothing

__all__ = [
    "JUDGED",
    "Finding",
    "check_all",
    "check_at_most_one_effect",
    "check_changed_input_conflicts",
    "check_completed_means_done",
    "check_effect_happens",
    "check_rejected_means_nothing",
    "check_unknown_is_said",
    "verdicts",
]
