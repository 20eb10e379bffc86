"""Hand-made study results: what a study might find, so that the page can be drawn without one."""

from pathlib import Path

from simkit.contract import Review, load_review
from simkit.review import PageView, page_view
from simkit.study.results import (
    Bounds,
    Cell,
    Exploration,
    Judgement,
    Probability,
    PromiseResult,
    Sampling,
    Schedule,
    StudyResult,
    WindowRow,
)
from simkit.terms import Action, Knowledge, LayerName, Outcome, Promise, Verdict

__all__ = ["EXAMPLES", "STUDIES", "broken", "cell", "create_ticket", "disabled", "github_create_issue", "view_of"]

EXAMPLES = Path(__file__).resolve().parents[2] / "review_templates" / "examples"
DIGEST = "0123456789abcdef" * 4
DUPLICATE = ("gateway_to_server.response_lost@1/1",)


def broken(promise: Promise, *faults: str, way_count: int = 1) -> PromiseResult:
    """A promise that a smallest schedule of these faults breaks."""
    schedule = Schedule(schedule_id="s1", faults=faults, story=("0.0 s agent sends",))
    return PromiseResult(
        promise=promise,
        fewest_faults=len(faults),
        is_proved=False,
        undecided_count=0,
        schedules=(schedule,) * way_count,
    )


def exploration(policy: str, *breaks: PromiseResult, is_complete: bool = True) -> Exploration:
    """Every promise proved, but for those that are broken."""
    by_promise = {result.promise: result for result in breaks}
    proved = {
        promise: PromiseResult(
            promise=promise, fewest_faults=None, is_proved=is_complete, undecided_count=0, schedules=()
        )
        for promise in Promise
    }
    return Exploration(
        policy=policy,
        fault_budget=2,
        explored_faults=2 if is_complete else 1,
        is_complete=is_complete,
        run_count=14_210,
        promises=tuple((proved | by_promise).values()),
    )


def cell(
    known: Knowledge, action: Action, *, answer: bool | None, declared: bool = False, reason: str = "",
    layer: LayerName = LayerName.AGENT, stage: str = "ticket", is_id_persisted: bool = True,
    is_withdrawn: bool = False,
) -> Cell:  # fmt: skip
    """One cell of the permission table, of the agent and the one stage unless others are named."""
    return Cell(
        layer=layer,
        stage=stage,
        known=known,
        is_id_persisted=is_id_persisted,
        is_withdrawn=is_withdrawn,
        action=action,
        is_declared=declared,
        is_permitted=answer,
        reason=reason,
    )


def _agent_cells(known: Knowledge, declared: Action, refused: dict[Action, str]) -> tuple[Cell, ...]:
    tried = (Action.SAME_ID, Action.STATUS_FIRST, Action.NEW_OPERATION, Action.HOLD, Action.STOP)
    return tuple(
        cell(known, action, answer=action not in refused, declared=action is declared, reason=refused.get(action, ""))
        for action in tried
    )


def _windows(effect_count_max: int, *, broken_promises: tuple[Promise, ...] = ()) -> tuple[WindowRow, ...]:
    sites = ("server.before_reservation", "server.after_reservation", "server.after_effect", "server.after_receipt")
    return tuple(
        WindowRow(
            site=site,
            effect_count_min=1 if index else 0,
            effect_count_max=effect_count_max,
            outcomes=(Outcome.OK, Outcome.UNKNOWN) if index < 3 else (Outcome.OK,),
            broken=broken_promises if index == 2 else (),
        )
        for index, site in enumerate(sites)
    )


def _probability(independent: Bounds | None, common: Bounds | None, *unknown_sites: str) -> Probability:
    return Probability(
        independent=independent,
        common_cause=common,
        common_cause_share=0.1,
        leaf_count=1_204,
        method="enumerated up to 2 faults, an estimate with the residual in the upper end",
        unknown_sites=unknown_sites,
    )


def _sampling(duplicate_count: int, lower_probability: float, upper_probability: float, kind: str) -> Sampling:
    return Sampling(
        intent_count=10_000,
        duplicate_count=duplicate_count,
        lost_count=0,
        open_count=3,
        lower_probability=lower_probability,
        upper_probability=upper_probability,
        interval_kind=kind,
        confidence=0.95,
        needed_count=None if duplicate_count else 29_956,
        mean_attempt_count=1.004,
        seed=7,
    )


def create_ticket() -> StudyResult:
    """The design would allow; nothing was observed."""
    new_id = "two tickets after gateway to server: response lost (attempt 1/1); the new ID is a new operation"
    told = "the user is told nothing although a ticket exists"
    cells = (
        *_agent_cells(Knowledge.NOTHING_SENT, Action.SAME_ID, {}),
        *_agent_cells(Knowledge.POSSIBLY_SENT, Action.SAME_ID, {Action.NEW_OPERATION: new_id}),
        *_agent_cells(Knowledge.PENDING, Action.SAME_ID, {Action.NEW_OPERATION: new_id}),
        *_agent_cells(Knowledge.NOT_SEEN, Action.SAME_ID, {Action.NEW_OPERATION: new_id, Action.STOP: told}),
        *_agent_cells(Knowledge.FOUND, Action.STOP, {Action.NEW_OPERATION: new_id}),
        cell(Knowledge.POSSIBLY_SENT, Action.SAME_ID, answer=True, declared=True, layer=LayerName.GATEWAY),
        cell(Knowledge.POSSIBLY_SENT, Action.HOLD, answer=True, layer=LayerName.GATEWAY),
        cell(Knowledge.POSSIBLY_SENT, Action.POLL, answer=None, layer=LayerName.GATEWAY),
    )
    return StudyResult(
        scenario_digest=DIGEST,
        seed=7,
        as_requested=exploration("as requested"),
        one_attempt=exploration("one attempt"),
        windows=_windows(1),
        cells=cells,
        are_cells_complete=True,
        cell_run_count=0,
        probability=_probability(Bounds(lower=0.0, upper=3.31e-8), Bounds(lower=1.2e-7, upper=4.4e-6)),
        sampling=_sampling(0, 0.0, 0.000369, "95 % upper bound, no hits"),
        judgement=Judgement(
            design_verdict=Verdict.ALLOW,
            verdict=Verdict.HOLD,
            wording="the design would allow; not observed",
            reasons=(
                "simulated: every effect promise is proved up to 2 faults with retries as requested",
                "simulated: the upper end of the probability, 4.4 × 10⁻⁶, is within the risk limit of 0.0001",
                "observed: nothing; allow needs a test of the running server with effect counts",
            ),
            is_report_unsafe=False,
        ),
        excluded=(),
    )


def github_create_issue() -> StudyResult:
    """One lost reply makes a second issue."""
    again = "two issues after gateway to server: response lost (attempt 1/1)"
    repeat = exploration(
        "as requested",
        broken(Promise.AT_MOST_ONE_EFFECT, *DUPLICATE, way_count=5),
        broken(Promise.REJECTED_MEANS_NOTHING, "agent_to_gateway.response_late@1", "server.after_effect@2/1"),
        broken(Promise.UNKNOWN_IS_SAID, *DUPLICATE, way_count=2),
    )
    return StudyResult(
        scenario_digest=DIGEST,
        seed=7,
        as_requested=repeat,
        one_attempt=exploration("one attempt", broken(Promise.UNKNOWN_IS_SAID, *DUPLICATE)),
        windows=_windows(2, broken_promises=(Promise.AT_MOST_ONE_EFFECT, Promise.REJECTED_MEANS_NOTHING)),
        cells=(
            cell(Knowledge.POSSIBLY_SENT, Action.SAME_ID, answer=False, declared=True, reason=again),
            cell(Knowledge.POSSIBLY_SENT, Action.HOLD, answer=True),
            cell(Knowledge.POSSIBLY_SENT, Action.STOP, answer=True),
            cell(
                Knowledge.POSSIBLY_SENT,
                Action.SAME_ID,
                answer=False,
                declared=True,
                reason=again,
                layer=LayerName.GATEWAY,
            ),
            cell(Knowledge.POSSIBLY_SENT, Action.HOLD, answer=True, layer=LayerName.GATEWAY),
        ),
        are_cells_complete=True,
        cell_run_count=0,
        probability=_probability(Bounds(lower=0.00521, upper=0.00523), Bounds(lower=0.0047, upper=0.0049)),
        sampling=_sampling(49, 0.003628, 0.006472, "95 % interval (Clopper-Pearson)"),
        judgement=Judgement(
            design_verdict=Verdict.HOLD,
            verdict=Verdict.HOLD,
            wording="automatic retries stay off; one attempt, then the owner",
            reasons=(
                "simulated: 1 fault makes two issues: gateway to server: response lost (attempt 1/1)",
                "declared: nothing below the agent can recognise a repeat, as GitHub Issues takes no key",
                "simulated: the probability of a second issue, at least 0.0047, is above the risk limit of 0.0001",
            ),
            is_report_unsafe=True,
        ),
        excluded=("a crash of the agent",),
    )


def disabled() -> StudyResult:
    """Even one attempt breaks a promise, nothing was explored to the end, and no probability is known."""
    late = broken(Promise.COMPLETED_MEANS_DONE)
    return StudyResult(
        scenario_digest=DIGEST,
        seed=11,
        as_requested=exploration("as requested", late, is_complete=False),
        one_attempt=exploration("one attempt", late, is_complete=False),
        windows=(),
        cells=(),
        are_cells_complete=False,
        cell_run_count=0,
        probability=_probability(None, None, "server_to_downstream.response_lost", "server.after_effect"),
        sampling=None,
        judgement=Judgement(
            design_verdict=Verdict.DISABLE,
            verdict=Verdict.DISABLE,
            wording="the tool is to be disabled for writes",
            reasons=("simulated: completed is reported without a fault although no ticket was made",),
            is_report_unsafe=False,
        ),
        excluded=(),
    )


def review_of(name: str) -> Review:
    """One of the examples."""
    return load_review(EXAMPLES / f"{name}.yaml")


def view_of(name: str) -> PageView:
    """The page of one of `STUDIES`."""
    example, study = STUDIES[name]
    return page_view(review_of(example), study(), review_digest=DIGEST, file_name=f"{example}.yaml")


STUDIES = {
    "create_ticket": ("create_ticket", create_ticket),
    "github_create_issue": ("github_create_issue", github_create_issue),
    "disabled": ("create_ticket", disabled),
}
