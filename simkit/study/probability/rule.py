"""Which driver answers how often: a rule over a few facts about the scenario, with its reason in words.

===============================================  ================  ==========================================
situation, first that holds                      driver            why
===============================================  ================  ==========================================
the server dies at a rate per second             crash gaps        one run for each gap of a trajectory
latencies have continuous laws                   latency cells     no enumeration of runs covers them
attempts begin anew with nothing in flight       merged chain      exact, whatever their number
many faults are expected, or needed, or there    tilted sampling   too many to enumerate
are too many schedules, and it is known how
many faults it takes
anything else                                    best first        bounds, to the wanted width
===============================================  ================  ==========================================
"""

from dataclasses import dataclass

from simkit.terms import Driver

__all__ = ["LEAF_COUNT_MAX", "Choice", "Situation", "choice_for"]

EXPECTED_FAULT_COUNT_MAX = 0.1
FEWEST_FAULTS_MAX = 4
LEAF_COUNT_MAX = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What the rule looks at.

    Parameters
    ----------
    expected_fault_count
        Λ: the sum of the probabilities of all faults over the choice points of the run without a fault.
    fewest_faults
        Size of the smallest schedule that breaks a promise; None where no schedule is known.
    leaf_count
        Leaves seen so far, where it was tried before; 0 otherwise.
    has_continuous_latencies
        Whether some latency has a continuous law, so that it is neither constant nor discrete.
    is_regenerative
        Whether attempts follow each other with nothing in flight between them.
    is_workload
        Whether it is a whole workload under load, not one operation.
    """

    expected_fault_count: float
    fewest_faults: int | None
    leaf_count: int
    has_continuous_latencies: bool
    is_regenerative: bool
    is_workload: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A driver, and why it."""

    driver: Driver
    reason: str


def choice_for(situation: Situation) -> Choice:
    """Apply the rule."""
    if situation.is_workload:
        return Choice(driver=Driver.CRASH_GAPS, reason="the server dies at a rate per second: one run for each gap")
    if situation.has_continuous_latencies:
        return Choice(driver=Driver.LATENCY_CELLS, reason="latencies have laws: cells, and a draw inside the cell")
    if situation.is_regenerative:
        return Choice(driver=Driver.MERGED_CHAIN, reason="nothing is in flight between attempts: equal states merge")
    why_many = _why_many(situation)
    if why_many and situation.fewest_faults is not None:
        return Choice(driver=Driver.TILTED, reason=f"{why_many}: too many to enumerate")
    if why_many:
        reason = f"{why_many}, but nobody knows how many it takes: bounds, as near as they get"
        return Choice(driver=Driver.BEST_FIRST, reason=reason)
    expected = situation.expected_fault_count
    return Choice(driver=Driver.BEST_FIRST, reason=f"{expected:.2g} faults are expected in a run: the likeliest first")


def _why_many(situation: Situation) -> str:
    """Why enumerating would not end in time, in words; empty where it would."""
    fewest, expected = situation.fewest_faults or 0, situation.expected_fault_count
    if situation.leaf_count >= LEAF_COUNT_MAX:
        return f"{LEAF_COUNT_MAX:,} schedules were not enough"
    if fewest > FEWEST_FAULTS_MAX:
        return f"it takes {fewest} faults to break a promise"
    return f"{expected:.2g} faults are expected in a run" if expected > EXPECTED_FAULT_COUNT_MAX else ""
