"""What the commands print with `--json`, and the schemas that it keeps to."""

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

from pydantic import TypeAdapter

from simkit.checks import Finding
from simkit.review.catalog_documents import CatalogEntry, CatalogList
from simkit.review.reviewing import ReviewResult
from simkit.scenario import Scenario
from simkit.study import Margins, Replayed, Story, ViolationMatrix, excluded
from simkit.study.results import Exploration, PermissionTable
from simkit.terms import Promise, PromiseVerdict

__all__ = [
    "CheckResult",
    "CheckedFile",
    "ExploreResult",
    "FindingResult",
    "ReplayResult",
    "RunResult",
    "document_of",
    "document_schema",
    "explore_result",
    "replay_result",
    "run_result",
]

DOCUMENT_SCHEMA_VERSION = 1

_SCHEMA_URI = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """One file that `simkit check` read: its kind, its problems, or, where it is valid, what it leaves open."""

    file: str
    kind: str
    is_valid: bool
    problems: tuple[str, ...]
    gaps: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What `simkit check --json` prints."""

    schema_version: int
    files: tuple[CheckedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingResult:
    """What a run keeps and breaks of one promise, for one intent."""

    promise: Promise
    intent: str
    verdict: PromiseVerdict
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What `simkit run --json` prints; the notes are as of `ExploreResult`."""

    schema_version: int
    scenario: str
    notes: tuple[str, ...]
    effect_count: int
    findings: tuple[FindingResult, ...]
    story: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExploreResult:
    """What `simkit explore --json` prints.

    Parameters
    ----------
    notes
        How the scenario came from a review file, or what it took from the catalog, in sentences.
    excluded
        What the statements leave out, in words.
    matrix
        Which fault breaks which promise; None where that was not asked.
    table
        What each layer may do next; None where that was not asked.
    margins
        By how much each time may move before the verdict by structure flips; None where that was not asked.
    """

    schema_version: int
    scenario: str
    scenario_digest: str
    notes: tuple[str, ...]
    exploration: Exploration
    excluded: tuple[str, ...]
    matrix: ViolationMatrix | None = None
    table: PermissionTable | None = None
    margins: Margins | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """What `simkit replay --json` prints.

    Parameters
    ----------
    scope
        Where it was tried, if not in the scenario itself.
    breaking_line_index
        The line of the story from which on the promise is broken whatever comes later; null where only the
        end of the run decides.
    """

    schema_version: int
    scenario: str
    schedule_id: str
    promise: Promise
    scope: str
    faults: tuple[str, ...]
    is_smallest: bool
    findings: tuple[FindingResult, ...]
    story: tuple[str, ...]
    breaking_line_index: int | None


Printed = ReviewResult | CheckResult | RunResult | ExploreResult | ReplayResult | CatalogList | CatalogEntry
"""What a command prints with `--json`."""

_KINDS: MappingProxyType[str, type[Printed]] = MappingProxyType(
    {
        "result": ReviewResult,
        "check": CheckResult,
        "run": RunResult,
        "explore": ExploreResult,
        "replay": ReplayResult,
        "list": CatalogList,
        "show": CatalogEntry,
    }
)


def run_result(name: str, told: Story, notes: tuple[str, ...] = ()) -> RunResult:
    """A told scenario as a result."""
    return RunResult(
        schema_version=DOCUMENT_SCHEMA_VERSION,
        scenario=name,
        notes=notes,
        effect_count=told.effect_count,
        findings=_findings(told.findings),
        story=told.lines,
    )


def replay_result(name: str, replayed: Replayed) -> ReplayResult:
    """A replayed schedule as a result."""
    return ReplayResult(
        schema_version=DOCUMENT_SCHEMA_VERSION,
        scenario=name,
        schedule_id=replayed.schedule.schedule_id,
        promise=replayed.result.promise,
        scope=replayed.result.scope,
        faults=replayed.schedule.faults,
        is_smallest=replayed.result.is_smallest,
        findings=_findings(replayed.findings),
        story=replayed.lines,
        breaking_line_index=replayed.breaking_line_index,
    )


def _findings(findings: Iterable[Finding]) -> tuple[FindingResult, ...]:
    return tuple(
        FindingResult(
            promise=finding.promise, intent=finding.intent, verdict=finding.verdict, evidence=finding.evidence
        )
        for finding in findings
    )


def explore_result(
    scenario: Scenario,
    notes: tuple[str, ...],
    exploration: Exploration,
    matrix: ViolationMatrix | None = None,
    table: PermissionTable | None = None,
    margins: Margins | None = None,
) -> ExploreResult:
    """An explored scenario as a result."""
    return ExploreResult(
        schema_version=DOCUMENT_SCHEMA_VERSION,
        scenario=scenario.name,
        scenario_digest=scenario.digest(),
        notes=notes,
        exploration=exploration,
        excluded=excluded(scenario),
        matrix=matrix,
        table=table,
        margins=margins,
    )


def document_of(result: Printed) -> dict[str, Any]:
    """A result as plain values, as it is printed."""
    return cast("dict[str, Any]", TypeAdapter(type(result)).dump_python(result, mode="json"))


def document_schema(kind: str) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what a command prints: `result` of review, or by its name."""
    schema = TypeAdapter(_KINDS[kind]).json_schema(mode="serialization")
    if kind == "result":
        files = {"type": "array", "items": {"type": "string"}, "title": "Files", "description": "What was written."}
        schema["properties"]["files"] = files
    return {"$schema": _SCHEMA_URI} | schema
