"""What a study of one scenario found, as data that a page can be rebuilt from without running anything."""

from dataclasses import dataclass

from simkit.study.margin_results import Margins
from simkit.terms import Action, Driver, Knowledge, LayerName, Outcome, Promise, Verdict

__all__ = [
    "Bounds",
    "Cell",
    "Exploration",
    "Judgement",
    "Level",
    "PermissionTable",
    "Probability",
    "PromiseResult",
    "Sampling",
    "Schedule",
    "StudyResult",
    "UndecidedStep",
    "WindowRow",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A smallest list of faults that breaks a promise, with a run that shows it.

    Parameters
    ----------
    schedule_id
        Short, the same as long as the scenario is.
    faults
        Sites with their attempt paths, in order, for instance `server.after_effect@1/1/1`.
    story
        The run in words, one line for each fact, with concrete instants.
    """

    schedule_id: str
    faults: tuple[str, ...]
    story: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UndecidedStep:
    """A step before which runs were cut, and which could have decided a promise.

    Parameters
    ----------
    waiting_for
        The step, by its label.
    run_count
        Runs that were cut there and left the promise open.
    fault_count_min
        Faults of the run among them that had fewest.
    """

    waiting_for: str
    run_count: int
    fault_count_min: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The runs of an exploration that had one number of faults, as far as every layer acted as declared.

    Parameters
    ----------
    schedule_count
        Different lists of faults among them, in whatever order.
    run_count
        Runs: each schedule in each order of steps that was told apart.
    is_complete
        Whether all of them were made.
    """

    fault_count: int
    schedule_count: int
    run_count: int
    is_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseResult:
    """What a structure exploration says about one promise.

    Parameters
    ----------
    fewest_faults
        Size of the smallest schedule that breaks it; None where none was found.
    is_proved
        No schedule within the fault budget breaks it, and nothing was left undecided or unexplored; also
        where it does not apply, as `scope` then says.
    undecided_count
        Runs in which it could not be decided.
    schedules
        All smallest schedules, or none.
    scope
        What else the scenario did so that the promise could be broken at all, or why it does not apply.
    is_smallest
        Whether every schedule of fewer faults was seen and keeps it.
    are_all_listed
        Whether the schedules are all of that size, rather than those that were found before the end.
    undecided_steps
        The later steps that could decide the runs in which it was not decided.
    """

    promise: Promise
    fewest_faults: int | None
    is_proved: bool
    undecided_count: int
    schedules: tuple[Schedule, ...]
    scope: str = ""
    is_smallest: bool = False
    are_all_listed: bool = False
    undecided_steps: tuple[UndecidedStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """All schedules up to a fault budget under one policy of the callers.

    Parameters
    ----------
    policy
        `as requested` (every layer as declared) or `one attempt` (nobody repeats).
    explored_faults
        The largest number of faults of which all schedules were seen; -1 where not even those without.
    is_complete
        Whether that is the fault budget. Otherwise it was stopped, and proves nothing.
    run_count
        All runs, with those in which a layer departed from what it declares.
    levels
        Those without a departure, by their number of faults.
    """

    policy: str
    fault_budget: int
    explored_faults: int
    is_complete: bool
    run_count: int
    promises: tuple[PromiseResult, ...]
    levels: tuple[Level, ...] = ()

    @property
    def is_exhausted(self) -> bool:
        """Whether no run could have had as many faults as the budget, so that more are covered as well."""
        return self.is_complete and bool(self.levels) and self.levels[-1].fault_count < self.fault_budget

    def of(self, promise: Promise) -> PromiseResult:
        """The result for one promise."""
        return next(result for result in self.promises if result.promise is promise)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRow:
    """What one crash in one window leads to, over all orders: the range of effects, and what was reported."""

    site: str
    effect_count_min: int
    effect_count_max: int
    outcomes: tuple[Outcome, ...]
    broken: tuple[Promise, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of the permission table.

    Parameters
    ----------
    stage
        Name of the stage that something is known of.
    is_id_persisted
        False where a restart lost the ID of something that was sent.
    is_permitted
        None where it was not explored within the limits: the page says hold.
    reason
        Why it was refused: the smallest schedule, in words. Empty otherwise.
    is_withdrawn
        Whether it broke nothing as the only departure, and was refused when every layer picked freely.
    """

    layer: LayerName
    stage: str
    known: Knowledge
    is_id_persisted: bool
    action: Action
    is_declared: bool
    is_permitted: bool | None
    reason: str
    is_withdrawn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionTable:
    """What each layer may do next, by what it knows of each stage.

    Parameters
    ----------
    is_complete, run_count
        Whether every action was tried to the end, alone and together, and in how many runs.
    """

    cells: tuple[Cell, ...]
    is_complete: bool
    run_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """A probability between two ends, both always shown; `upper - lower` is what was not enumerated."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Probability:
    """Probability, per operation, that some effect promise is broken.

    Parameters
    ----------
    independent, common_cause
        With faults independent, and with the share of each rate in episodes. None where a rate is unknown.
    method
        How it was computed, in words, for instance `enumerated up to 2 faults, exact for the model`.
    unknown_sites
        Sites whose rate is unknown.
    driver, reason
        What computed it, and why it was taken, in words; None and empty where nothing was computed.
    is_complete
        Whether all that was asked for was done; otherwise it was stopped, and the rest is in the upper ends.
    """

    independent: Bounds | None
    common_cause: Bounds | None
    common_cause_share: float
    leaf_count: int
    method: str
    unknown_sites: tuple[str, ...]
    driver: Driver | None = None
    reason: str = ""
    is_complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Independent intents, sampled at their rates.

    Parameters
    ----------
    duplicate_count, lost_count, open_count
        Intents with more than one effect in a stage; with none although something else than failure
        was reported; and reported unknown.
    upper_probability, lower_probability
        Clopper-Pearson interval for a duplicate; with no hits the one-sided upper bound, and 0.
    interval_kind
        In words, for instance `95 % interval (Clopper-Pearson)` or `95 % upper bound, no hits`.
    needed_count
        Intents without a hit that it would take to claim the risk limit; None where hits were seen.
    mean_attempt_count
        Calls that reached the server's door per intent, mean.
    """

    intent_count: int
    duplicate_count: int
    lost_count: int
    open_count: int
    lower_probability: float
    upper_probability: float
    interval_kind: str
    confidence: float
    needed_count: int | None
    mean_attempt_count: float
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict, and why.

    Parameters
    ----------
    design_verdict
        What the declaration deserves, by simulation alone.
    verdict
        What a gate acts on: `allow` only with fresh observed evidence.
    wording
        The verdict in words.
    reasons
        Most important first, in words, each with its kind of evidence.
    is_report_unsafe
        Whether a report promise is broken within the fault budget.
    """

    design_verdict: Verdict
    verdict: Verdict
    wording: str
    reasons: tuple[str, ...]
    is_report_unsafe: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResult:
    """Everything that a study found about one scenario.

    Parameters
    ----------
    are_cells_complete, cell_run_count
        Whether the permission table was tried to its end, alone and together, and in how many runs.
    """

    scenario_digest: str
    seed: int
    as_requested: Exploration
    one_attempt: Exploration
    windows: tuple[WindowRow, ...]
    cells: tuple[Cell, ...]
    are_cells_complete: bool
    cell_run_count: int
    probability: Probability
    sampling: Sampling | None
    judgement: Judgement
    excluded: tuple[str, ...]
    margins: Margins | None = None
