"""From a scenario to results: explore, judge, weigh, sample."""

from simkit.study.applicability import FAULT_KIND, NOT_APPLYING, excluded
from simkit.study.incidents import FormResult, IncidentResult, study_incident
from simkit.study.judgement import judge, judge_without_simulation
from simkit.study.margin_results import Lift, Margin, Margins
from simkit.study.outcome_classes import outcome_classes
from simkit.study.probability import bounds_of, probability
from simkit.study.replaying import Replayed, Searched, breaking_index, replay
from simkit.study.results import StudyResult
from simkit.study.running import Story, run_story
from simkit.study.sampling import SampledIntent, sample, sampled_intents
from simkit.study.story import site_in_words, story
from simkit.study.structure import (
    Explored,
    MatrixRow,
    SiteCell,
    ViolationMatrix,
    crash_windows,
    explore,
    margins,
    violation_matrix,
)
from simkit.study.study import AS_REQUESTED, ONE_ATTEMPT, design_verdict, permission_table, proofs, study
from simkit.study.tree import Leaf, leaves

__all__ = [
    "AS_REQUESTED",
    "FAULT_KIND",
    "NOT_APPLYING",
    "ONE_ATTEMPT",
    "Explored",
    "FormResult",
    "IncidentResult",
    "Leaf",
    "Lift",
    "Margin",
    "Margins",
    "MatrixRow",
    "Replayed",
    "SampledIntent",
    "Searched",
    "SiteCell",
    "Story",
    "StudyResult",
    "ViolationMatrix",
    "bounds_of",
    "breaking_index",
    "crash_windows",
    "design_verdict",
    "excluded",
    "explore",
    "judge",
    "judge_without_simulation",
    "leaves",
    "margins",
    "outcome_classes",
    "permission_table",
    "probability",
    "proofs",
    "replay",
    "run_story",
    "sample",
    "sampled_intents",
    "site_in_words",
    "story",
    "study",
    "study_incident",
    "violation_matrix",
]
