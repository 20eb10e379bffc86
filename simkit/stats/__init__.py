"""Numbers with their uncertainty: what was counted, out of how many, and what follows from it."""

from simkit.stats.binomial import (
    clopper_pearson_interval,
    trials_needed,
    wilson_interval,
    zero_hits_upper_bound,
)
from simkit.stats.replications import t_interval
from simkit.stats.weighted import effective_count, fay_feuer_interval, why_no_interval

__all__ = [
    "clopper_pearson_interval",
    "effective_count",
    "fay_feuer_interval",
    "t_interval",
    "trials_needed",
    "why_no_interval",
    "wilson_interval",
    "zero_hits_upper_bound",
]
