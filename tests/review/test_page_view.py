"""What stands on the page: words, numbers with their kind, and counts of what was left out."""

import re
from dataclasses import replace

import pytest

from simkit.review import page_view
from simkit.review.page import Block, PageView, Tone
from simkit.review.shortening import LEVEL_COUNT, shortened
from simkit.study.results import Bounds, Cell, Exploration, StudyResult
from simkit.terms import Action, FaultKind, Knowledge, Promise
from tests.contract.ticket_review import review_with
from tests.review.crowded_studies import crowded, crowded_review, ignorant_review
from tests.review.page_studies import (
    broken,
    cell,
    create_ticket,
    disabled,
    exploration,
    github_create_issue,
    review_of,
    view_of,
)

__all__: list[str] = []


def block(view: PageView, name: str) -> Block:
    return next(part for part in view.parts if part.name == name)


def texts(part: Block) -> list[list[str]]:
    return [[cell.text for cell in entry.cells] for entry in part.rows]


def value_of(part: Block, label: str) -> str:
    return next(entry.cells[1].text for entry in part.rows if entry.cells[0].text == label).replace("\u00a0", " ")


NOT_APPLYING_HERE = {
    Promise.TENANTS_APART: "does not apply: calls bear no ID",
    Promise.APPROVAL_RESPECTED: "does not apply: nothing of the kind here",
    Promise.WORK_IN_BUDGET: "does not apply: nothing of the kind here",
}


def study_with(study: StudyResult, scopes: dict[Promise, str]) -> StudyResult:
    """The study with what its promises were tried in."""

    def scoped(part: Exploration) -> Exploration:
        promises = (replace(result, scope=scopes.get(result.promise, "")) for result in part.promises)
        return replace(part, promises=tuple(promises))

    return replace(study, as_requested=scoped(study.as_requested), one_attempt=scoped(study.one_attempt))


def page_of(study: StudyResult) -> PageView:
    return page_view(review_of("create_ticket"), study, review_digest="ab" * 32, file_name="f.yaml")


def test_the_verdict_is_word_and_shape_and_the_design_verdict_stands_beside_it() -> None:
    verdict = view_of("create_ticket").verdict

    assert (verdict.word, verdict.shape, verdict.wording) == ("hold", "▲", "the design would allow; not observed")
    assert (verdict.design_word, verdict.design_shape, verdict.design_tone) == ("allow", "✓", Tone.GOOD)
    assert verdict.unsafe == ""


def test_a_report_unsafe_tool_is_marked_beside_the_verdict() -> None:
    assert view_of("github_create_issue").verdict.unsafe.startswith("report-unsafe")


def test_a_proved_promise_names_its_budget_and_a_broken_one_its_faults_in_words() -> None:
    proved = block(view_of("create_ticket"), "promises")
    unproved = block(view_of("github_create_issue"), "promises")

    assert texts(proved)[0] == ["About effects", "✓ proved up to 2 faults", "✓ likewise"]
    assert texts(unproved)[1] == ["at most one effect", "✕ broken by 1 fault", "✓ proved up to 2 faults"]
    assert unproved.rows[1].detail is not None
    assert unproved.rows[1].detail.text == "response lost, gateway to server (attempt 1/1), or 4 other ways"


def test_what_was_not_explored_to_the_end_is_not_called_proved() -> None:
    view = view_of("disabled")

    assert texts(block(view, "promises"))[1][:2] == ["completed means done", "✕ broken without a fault"]
    assert {tuple(cells[1:]) for cells in texts(block(view, "promises"))[2:]} == {
        ("? explored up to 1 fault", "? likewise")
    }
    assert ["not explored", "as requested: seen up to 1 of 2 faults"] in texts(block(view, "gaps"))


def test_every_promise_is_named_once_each_under_its_kind() -> None:
    """Whether it is broken, proved, left open, or does not apply; an effect promise never stands under the reports."""
    study = study_with(create_ticket(), NOT_APPLYING_HERE)
    for view in (view_of("create_ticket"), view_of("github_create_issue"), view_of("disabled"), page_of(study)):
        promises = block(view, "promises")

        title, by_title = "", dict[str, str]()
        for entry in promises.rows:
            title = entry.cells[0].text if entry.cells[0].text.startswith("About ") else title
            detail = entry.detail.text if entry.detail is not None else ""
            by_title[title] = f"{by_title.get(title, '')}, {entry.cells[0].text}, {detail}"
        said = ", ".join((*by_title.values(), *promises.notes))
        assert [promise for promise in Promise if said.count(promise) != 1] == []
        assert [name for name in Promise if name.is_about_reports and name in by_title["About effects"]] == []
        assert [name for name in Promise if name.is_about_effects and name in by_title["About what is reported"]] == []


def test_promises_that_do_not_apply_are_named_with_the_reason_and_not_as_proved() -> None:
    promises = block(page_of(study_with(create_ticket(), NOT_APPLYING_HERE)), "promises")

    assert promises.notes[-1] == (
        "Does not apply: tenants stay apart (calls bear no ID); approval is respected, "
        "work stays in budget (nothing of the kind here)."
    )
    assert not any("budget" in entry.cells[0].text for entry in promises.rows)


def test_how_a_promise_was_tried_apart_is_said_beneath() -> None:
    promise = Promise.CHANGED_INPUT_CONFLICTS

    promises = block(page_of(study_with(create_ticket(), {promise: "tried apart"})), "promises")

    assert promises.notes == ("Changed input conflicts: tried apart.",)


def test_the_ways_of_both_policies_are_counted_and_a_shared_schedule_is_said_once() -> None:
    fault = "gateway_to_server.response_lost@1/1"
    often, once = (broken(Promise.UNKNOWN_IS_SAID, fault, way_count=count) for count in (3, 2))
    study = replace(
        create_ticket(), as_requested=exploration("as requested", often), one_attempt=exploration("one attempt", once)
    )

    (detail,) = (
        entry.detail.text
        for entry in block(page_of(study), "promises").rows
        if entry.detail is not None and entry.detail.tone is Tone.BAD
    )

    assert detail == "response lost, gateway to server (attempt 1/1), or 2 other ways (one attempt: 1 other way)"


def test_both_ends_of_a_probability_are_shown_and_rounded_outwards() -> None:
    study = create_ticket()
    weighed = replace(study.probability, independent=Bounds(lower=0.00199, upper=0.00301))

    view = page_view(
        review_of("create_ticket"), replace(study, probability=weighed), review_digest="ab" * 32, file_name="f.yaml"
    )

    assert value_of(block(view, "probability"), "Independent") == "0.0019 to 0.0031, above the limit of 0.0001"


def test_no_hits_are_said_as_an_upper_bound_and_hits_as_an_interval() -> None:
    none, some = block(view_of("create_ticket"), "probability"), block(view_of("github_create_issue"), "probability")

    assert value_of(none, "Sampled").startswith("0 duplicates in 10,000 intents: at most 0.00037 (95 % upper bound")
    assert value_of(some, "Sampled").startswith("49 duplicates in 10,000 intents: 0.0036 to 0.0065 (95 % interval")


def test_an_unknown_rate_leaves_the_probability_unknown_and_names_the_site() -> None:
    assert value_of(block(view_of("disabled"), "probability"), "Independent") == (
        "unknown: no rate for response lost, server to downstream, server crashes after the effect"
    )


def test_exact_is_said_only_where_the_method_says_so() -> None:
    study = create_ticket()
    exact = replace(study.probability, method="enumerated up to 2 faults, exact for the model")

    said = page_view(
        review_of("create_ticket"), replace(study, probability=exact), review_digest="ab" * 32, file_name="f.yaml"
    )

    assert "exact for the model" in value_of(block(said, "probability"), "Method")
    assert "exact" not in str(texts(block(view_of("create_ticket"), "probability")))


def test_the_on_call_box_says_whom_to_ask_what_and_what_never_to_do() -> None:
    box = view_of("create_ticket").on_call

    assert value_of(box, "Owner") == "Support Platform on call"
    assert value_of(box, "Settle within") == "48 h of the last attempt"
    assert value_of(box, "Ask (ticket)") == (
        "the ticketing system, by operation ID, 2 times. An effect shows after at most 30 s."
    )
    assert "new operation ID" in value_of(box, "Never")


def test_without_any_identity_the_on_call_box_forbids_every_repeat() -> None:
    assert value_of(view_of("github_create_issue").on_call, "Never").startswith("Call again: nothing recognises")


def test_a_cell_that_was_not_explored_says_hold_and_what_nobody_tried_is_named() -> None:
    grid = view_of("create_ticket").permissions

    assert [column for column in grid.columns if column in ("poll", "resume stage")] == []
    assert texts(grid)[-1] == ["gateway", "possibly sent", "yes", "hold", "hold", "yes", "hold"]
    assert "Not explored anywhere: poll, resume stage." in grid.notes


def test_the_declared_action_is_marked() -> None:
    row = view_of("create_ticket").permissions.rows[1]

    assert [text.text for text in row.cells if text.is_marked] == ["yes"]


def grid_of(*cells: Cell) -> Block:
    """The permission table of a study with these cells."""
    study = replace(create_ticket(), cells=cells)
    return page_view(review_of("create_ticket"), study, review_digest="ab" * 32, file_name="f.yaml").permissions


def test_the_stage_stands_beside_the_layer_only_where_there_are_several() -> None:
    publish = cell(Knowledge.FOUND, Action.SAME_ID, answer=True, stage="publish")
    notify = cell(Knowledge.POSSIBLY_SENT, Action.SAME_ID, answer=True, stage="notify")

    assert texts(grid_of(publish))[-1] == ["agent", "found", "yes"]
    assert texts(grid_of(publish, notify))[-2:] == [
        ["agent, publish", "found", "yes"],
        ["agent, notify", "possibly sent", "yes"],
    ]


def test_a_lost_id_is_named_and_its_row_follows_the_one_with_the_id() -> None:
    lost = cell(Knowledge.POSSIBLY_SENT, Action.NEW_OPERATION, answer=True, is_id_persisted=False)
    kept = cell(Knowledge.POSSIBLY_SENT, Action.NEW_OPERATION, answer=True)

    assert texts(grid_of(lost, kept))[-2:] == [
        ["agent", "possibly sent", "yes"],
        ["agent", "possibly sent, ID lost", "yes"],
    ]


def test_what_was_withdrawn_is_refused_with_its_reason_and_counted() -> None:
    why = "alone harmless, but together with another it breaks"
    withdrawn = cell(Knowledge.FOUND, Action.SAME_ID, answer=False, reason=why, is_withdrawn=True)

    grid = grid_of(withdrawn)

    assert [text.text for text in grid.rows[0].cells][-1] == "no"
    assert "1 cell was withdrawn when every layer did whatever it may." in grid.notes


def test_equal_reasons_share_one_number() -> None:
    view = view_of("create_ticket")

    numbers = {text.note_number for entry in view.permissions.rows for text in entry.cells}
    assert numbers == {0, 1, 2}
    assert [entry.cells[0].text for entry in view.refusals.rows] == ["(1)", "(2)"]


@pytest.mark.parametrize("level", range(LEVEL_COUNT))
def test_a_number_in_the_grid_always_has_its_reason(level: int) -> None:
    whole = page_view(crowded_review(), crowded(), review_digest="ab" * 32, file_name="f.yaml")

    view = shortened(whole, level)

    numbers = {f"({text.note_number})" for entry in view.permissions.rows for text in entry.cells if text.note_number}
    assert numbers == {entry.cells[0].text for entry in view.refusals.rows}


def test_a_number_still_means_the_same_reason_when_rows_are_left_out() -> None:
    cells = (
        cell(Knowledge.PENDING, Action.STOP, answer=False, reason="first"),
        cell(Knowledge.PENDING, Action.HOLD, answer=False, reason="second"),
        *(cell(known, Action.SAME_ID, answer=False, reason=str(known), declared=True) for known in Knowledge),
    )
    study = replace(create_ticket(), cells=cells)
    whole = page_view(review_of("create_ticket"), study, review_digest="ab" * 32, file_name="f.yaml")

    view = shortened(whole, LEVEL_COUNT - 2)

    reasons = {entry.cells[0].text: entry.cells[1].text for entry in view.refusals.rows}
    shown = [
        (entry.cells[1].text, reasons[f"({text.note_number})"])
        for entry in view.permissions.rows
        for text in entry.cells
        if text.note_number and text.is_marked
    ]
    assert len(shown) > 1
    assert all(known == reason for known, reason in shown)


@pytest.mark.parametrize("level", range(LEVEL_COUNT))
def test_what_is_left_out_is_counted(level: int) -> None:
    whole = page_view(crowded_review(), crowded(), review_digest="ab" * 32, file_name="f.yaml")

    view = shortened(whole, level)

    for before, after in zip(whole.parts, view.parts, strict=True):
        count = sum(entry.item_count for entry in before.rows)
        assert sum(entry.item_count for entry in after.rows) + after.hidden_count == count
        assert bool(after.more) == bool(after.hidden_count)
    assert len(view.refusals.rows) + view.refusals.hidden_count == len(whole.refusals.rows)


def test_one_that_is_left_out_is_one_and_a_thousand_are_many() -> None:
    gaps = block(view_of("create_ticket"), "gaps")

    assert replace(gaps, hidden_count=1).more == "and 1 more gap"
    assert replace(gaps, hidden_count=1_014).more == "and 1,014 more gaps"


def test_words_that_are_left_out_of_a_text_are_counted() -> None:
    review = crowded_review()
    whole = page_view(review, crowded(), review_digest="ab" * 32, file_name="f.yaml")

    view = shortened(whole, LEVEL_COUNT - 2)

    kept, count = re.fullmatch(r"(.*) … \((\d+) more words\)", view.summary).groups()  # type: ignore[union-attr]
    assert whole.summary.startswith(kept)
    assert len(kept.split()) + int(count) == len(whole.summary.split())


def test_every_unknown_answer_and_every_unknown_rate_is_a_gap() -> None:
    review = ignorant_review()

    view = page_view(review, create_ticket(), review_digest="ab" * 32, file_name="f.yaml")

    gaps = texts(block(view, "gaps"))
    assert [text for label, text in gaps if label == "unknown"] == list(review.unknown_fields())
    assert [text for label, text in gaps if label == "unknown rate"] == list(review.unknown_rates())


def test_a_contradiction_comes_first_among_the_gaps() -> None:
    review = review_with(tool__annotations__read_only_hint=True)

    view = page_view(review, create_ticket(), review_digest="ab" * 32, file_name="f.yaml")

    assert texts(block(view, "gaps"))[0] == ["contradicted", review.contradictions()[0]]


def test_without_a_simulation_the_page_says_so() -> None:
    view = page_view(
        ignorant_review(), None, judgement=disabled().judgement, review_digest="ab" * 32, file_name="f.yaml"
    )

    assert texts(block(view, "simulation"))[0][0] == "none"
    assert view.figure is None
    assert view.permissions.notes == ("No row was explored: hold for the owner.",)


def test_a_page_with_neither_study_nor_judgement_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a study"):
        page_view(ignorant_review(), None, review_digest="ab" * 32, file_name="f.yaml")


def test_fault_kinds_that_the_conditions_leave_out_are_listed_as_excluded() -> None:
    review = review_with(conditions__fault_kinds=["request lost", "response lost"])

    view = page_view(review, github_create_issue(), review_digest="ab" * 32, file_name="f.yaml")

    left_out = [kind for kind in FaultKind if kind not in (FaultKind.REQUEST_LOST, FaultKind.RESPONSE_LOST)]
    assert value_of(block(view, "conditions"), "Faults excluded") == ", ".join(left_out)
    assert value_of(block(view, "conditions"), "Not acted out") == "a crash of the agent"


def test_a_fault_kind_that_the_study_excluded_is_not_called_included() -> None:
    study = replace(create_ticket(), excluded=("fault kind: late", "clock skew"))

    view = page_view(review_of("create_ticket"), study, review_digest="ab" * 32, file_name="f.yaml")

    assert "late" in value_of(block(view, "conditions"), "Faults excluded").split(", ")
    assert value_of(block(view, "conditions"), "Not acted out") == "clock skew"
    assert "late" not in value_of(block(view, "conditions"), "Faults included").split(", ")


@pytest.mark.parametrize("level", range(LEVEL_COUNT))
def test_no_promise_is_left_out_however_full_the_page_is(level: int) -> None:
    """Schedules give way at high levels, and are counted; each promise stays with what was found."""
    view = page_view(crowded_review(), crowded(), review_digest="ab" * 32, file_name="f.yaml")

    promises = block(shortened(view, level), "promises")

    cells = [cell for entry in promises.rows for cell in (*entry.cells, entry.detail) if cell is not None]
    said = ", ".join(cell.text for cell in cells)
    shown_count = sum(entry.detail is not None and entry.detail.tone is Tone.BAD for entry in promises.rows)
    untold = re.search(r"By which faults (\d+) more promises? break: in the JSON", " ".join(promises.notes))
    assert [promise for promise in Promise if said.count(promise) != 1] == []
    assert shown_count + (int(untold[1]) if untold else 0) == len(Promise)


@pytest.mark.parametrize("level", range(LEVEL_COUNT))
def test_each_kind_of_fault_is_included_or_excluded_by_name_however_full_the_page_is(level: int) -> None:
    conditions = block(shortened(view_of("create_ticket"), level), "conditions")

    named = [*value_of(conditions, "Faults included").split(", "), *value_of(conditions, "Faults excluded").split(", ")]

    assert sorted(named) == sorted(FaultKind)


def test_a_source_of_a_rate_stands_with_it_and_assumed_is_said_once_if_all_are() -> None:
    same = block(view_of("create_ticket"), "rates")
    review = review_with(rates__readback_cannot_tell={"probability": 0.02, "source": "measured in May"})
    mixed = block(page_view(review, create_ticket(), review_digest="ab" * 32, file_name="f.yaml"), "rates")

    assert same.notes == ("Chance of a fault each time. For all rates, source: assumed.",)
    by_place = {entry.cells[0].text: entry.cells[1].text for entry in mixed.rows}
    assert by_place["readback"] == "cannot tell 0.02; source: measured in May"
    assert by_place["system of record"] == "error 0.001; source: assumed"


def test_a_long_source_stands_beneath_its_rate() -> None:
    source = "counted in the gateway's log of October, 41,000 calls"
    review = review_with(rates__readback_cannot_tell={"probability": 0.02, "source": source})

    view = page_view(review, create_ticket(), review_digest="ab" * 32, file_name="f.yaml")

    details = [entry.detail.text for entry in block(view, "rates").rows if entry.detail is not None]
    assert details == [f"source: {source}"]


def test_a_window_shows_the_range_of_effects_what_was_reported_and_what_broke() -> None:
    windows = block(view_of("github_create_issue"), "windows")

    assert texts(windows)[2] == ["after the effect", "1 to 2", "OK, UNKNOWN", "✕ 2 broken"]
    assert windows.rows[2].detail is not None
    assert windows.rows[2].detail.text == f"broken: {Promise.AT_MOST_ONE_EFFECT}, {Promise.REJECTED_MEANS_NOTHING}"


def test_the_footer_names_seed_versions_and_the_digest_of_the_file() -> None:
    footer = " ".join(view_of("create_ticket").footer)

    assert "create_ticket.yaml, SHA-256 0123456789ab" in footer
    assert "seed 7" in footer
    assert "review schema 1" in footer
