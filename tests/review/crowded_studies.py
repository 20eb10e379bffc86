"""The fullest pages that a review file within its limits can ask for, and the page of a file that knows nothing."""

import json
from typing import Any

from ruamel.yaml import YAML

from simkit.contract import Review, parse_review
from simkit.study.results import Judgement, PromiseResult, Schedule, StudyResult, WindowRow
from simkit.terms import Action, Knowledge, LayerName, Outcome, Promise, Verdict
from tests.review.page_studies import EXAMPLES, cell, disabled, exploration, github_create_issue

__all__ = ["crowded", "crowded_review", "ignorant_review", "text_of", "unbroken_review"]

SITES = ("agent_to_gateway", "gateway_to_server", "server_to_downstream")


def text_of(length: int, word: str = "confirmation") -> str:
    """Words up to that length exactly."""
    return (f"{word} " * length)[: length - 1].strip().ljust(length, "s")


def document_of(name: str) -> Any:
    """The plain values of a template."""
    return YAML(typ="safe", pure=True).load(EXAMPLES.parent / f"{name}.yaml")


def _review(document: object) -> Review:
    return parse_review(json.dumps(document, indent=1).encode(), file="review.yaml")


def ignorant_review() -> Review:
    """The full template as it is: nearly everything unknown."""
    return _review(document_of("full"))


def crowded_review(word: str = "confirmation") -> Review:
    """The ticket example with four effects, and every text as long as its limit."""
    document = document_of("examples/create_ticket")
    name, sentence, prose = text_of(120, word), text_of(160, word), text_of(340, word)
    document["tool"] |= {"name": "t" * 120, "version": name, "server": name, "server_version": name}
    document["tool"] |= {"owner": name, "summary": prose}
    effect = document["effects"][0] | {"description": sentence, "system": name, "evidence_text": sentence}
    document["effects"] = [
        effect
        | {
            "name": f"{index}{text_of(119, word)}",
            "readback": effect["readback"] | {"when_unavailable": f"{index}{text_of(339, word)}"},
        }
        for index in range(4)
    ]
    document["binding"] |= {
        "bound_fields": [f"{index:02}{text_of(58, word)}" for index in range(24)],
        "excluded_fields": [f"{index:02}{text_of(58, word)}" for index in range(24, 48)],
    }
    document["record"]["store_name"] = name
    document["unknown_outcome"]["owner"] = name
    document["approval"] = {"bound_to": prose, "single_use": "yes", "expires_after": "15 min"}
    for index, hop in enumerate(document["latencies"].values()):
        hop["source"] = f"{index}{text_of(159, word)}"
    for number, rate in enumerate(_rates_in(document["rates"])):
        rate["source"] = f"{number:02}{text_of(158, word)}"
    return _review(document)


def unbroken_review() -> Review:
    """The same without a single place where a line would usually break."""
    return crowded_review("W" * 400)


def _rates_in(part: dict[str, Any]) -> list[dict[str, Any]]:
    if "probability" in part:
        return [part]
    return [rate for value in part.values() for rate in _rates_in(value)]


def _broken(promise: Promise, number: int) -> PromiseResult:
    """A promise that forty smallest schedules of four faults break, the first unlike that of any other promise."""
    faults = tuple(f"{hop}.response_lost@3/{number}/{index}" for index, hop in enumerate((*SITES, SITES[0]), start=1))
    schedules = tuple(Schedule(schedule_id=f"s{index}", faults=faults, story=()) for index in range(40))
    return PromiseResult(promise=promise, fewest_faults=4, is_proved=False, undecided_count=7, schedules=schedules)


def crowded() -> StudyResult:
    """Every promise broken by four faults of its own, every cell of the table refused for a reason of its own."""
    breaks = tuple(_broken(promise, number) for number, promise in enumerate(Promise, start=1))
    cells = tuple(
        cell(
            known,
            action,
            answer=False,
            declared=action is Action.SAME_ID,
            reason=f"{layer}, {known}, {action}: {text_of(240)}",
            layer=layer,
        )
        for layer in LayerName
        for known in Knowledge
        for action in Action
    )
    sites = ("before_reservation", "before_effect", "after_reservation", "after_effect", "after_receipt")
    windows = tuple(
        WindowRow(
            site=f"server.{site}",
            effect_count_min=0,
            effect_count_max=12,
            outcomes=tuple(Outcome),
            broken=tuple(Promise),
        )
        for site in (*sites, *(f"step_{index}" for index in range(7)))
    )
    issue = github_create_issue()
    return StudyResult(
        scenario_digest=issue.scenario_digest,
        seed=2**31 - 1,
        as_requested=exploration("as requested", *breaks),
        one_attempt=exploration("one attempt", *breaks),
        windows=windows,
        cells=cells,
        are_cells_complete=False,
        cell_run_count=0,
        probability=disabled().probability,
        sampling=issue.sampling,
        judgement=Judgement(
            design_verdict=Verdict.DISABLE,
            verdict=Verdict.DISABLE,
            wording=text_of(80),
            reasons=tuple(f"simulated: {index} {text_of(220)}" for index in range(12)),
            is_report_unsafe=True,
        ),
        excluded=tuple(f"excluded {index} {text_of(40)}" for index in range(8)),
    )
