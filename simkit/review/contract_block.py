"""What was declared: the contract of the tool, and the conditions of the verdict."""

from simkit.contract import NotApplicable, Review
from simkit.contract.effects import DownstreamKey, Effect
from simkit.contract.latencies import LatencyRange
from simkit.contract.record import Binding, OperationIdentity, Record
from simkit.contract.retention import Retention
from simkit.contract.tool import Approval
from simkit.review.numbers import exact_words
from simkit.review.page import Block, Row, Tone, plain, row
from simkit.review.wording import answer_words, count_words, effect_words, hop_words, list_words
from simkit.terms import EvidenceKind, FaultKind

__all__ = ["conditions_block", "contract_block"]

_KIND = "fault kind: "


def contract_block(review: Review) -> Block:
    """Identity, binding, record, retention, keys, approval and hints."""
    rows = [
        *_identity_rows(review),
        *_binding_rows(review),
        *_record_rows(review),
        *(_key_row(effect, number) for number, effect in enumerate(review.effects, start=1)),
        row("Approval", _approval(review)),
        row("Hints published", _hints(review)),
    ]
    return Block(
        name="contract",
        title="Contract",
        evidence=EvidenceKind.DECLARED,
        columns=(),
        rows=tuple(rows),
        noun="answer",
        nouns="answers",
    )


def _identity_rows(review: Review) -> list[Row]:
    identity = review.identity
    if not isinstance(identity, OperationIdentity):
        return [row("Operation ID", plain("unknown", Tone.OPEN))]
    text = f"made by {answer_words(identity.made_by)}, {answer_words(identity.span)}"
    if isinstance(identity.persisted, NotApplicable):
        return [row("Operation ID", text if identity.span != "none" else "none: nobody makes one")]
    return [
        row("Operation ID", f"{text}, persisted {answer_words(identity.persisted)}"),
        row("Scope", answer_words(identity.scope)),
    ]


def _binding_rows(review: Review) -> list[Row]:
    binding = review.binding
    if not isinstance(binding, Binding):
        return [row("Bound inputs", answer_words(binding))]
    return [
        row(
            "Bound inputs",
            f"{answer_words(binding.bound_fields)}; not bound: {answer_words(binding.excluded_fields)}; "
            f"compared as {answer_words(binding.canonicalisation)}",
        ),
        row("Other inputs", f"under a known ID: {answer_words(binding.on_mismatch)}"),
    ]


def _record_rows(review: Review) -> list[Row]:
    record = review.record
    if not isinstance(record, Record):
        return [row("Server record", answer_words(record))]
    return [
        row(
            "Server record",
            f"{answer_words(record.store)}: {answer_words(record.store_name)}; claim: {answer_words(record.claim)}",
        ),
        row(
            "Lease",
            f"{answer_words(record.lease)}; while it runs: {answer_words(record.while_pending)}; "
            f"stale: {answer_words(record.stale)}",
        ),
        row("Record kept", _retention_words(record.retention)),
    ]


def _retention_words(retention: object) -> str:
    if not isinstance(retention, Retention):
        return answer_words(retention)
    return (
        f"{answer_words(retention.kind)} {answer_words(retention.lasts)} from {answer_words(retention.counted_from)} "
        f"({answer_words(retention.clock)} clock), then {answer_words(retention.after_expiry)}"
    )


def _key_row(effect: Effect, number: int) -> Row:
    label = f"Key ({effect_words(effect.name, number)})"
    key = effect.downstream_key
    if not isinstance(key, DownstreamKey):
        return row(label, answer_words(key))
    return row(
        label,
        f"{answer_words(key.sent)}, kept {_retention_words(key.retention)}; "
        f"other content: {answer_words(key.on_mismatch)}",
    )


def _approval(review: Review) -> str:
    approval = review.approval
    if not isinstance(approval, Approval):
        return answer_words(approval)
    return (
        f"bound to {answer_words(approval.bound_to)}; single use: {answer_words(approval.single_use)}; "
        f"expires after {answer_words(approval.expires_after)}"
    )


def _hints(review: Review) -> str:
    hints = review.tool.annotations
    named = (
        ("readOnly", hints.read_only_hint),
        ("destructive", hints.destructive_hint),
        ("idempotent", hints.idempotent_hint),
        ("openWorld", hints.open_world_hint),
    )
    return ", ".join(
        f"{name} {'left out' if isinstance(hint, NotApplicable) else answer_words(hint)}" for name, hint in named
    )


def conditions_block(review: Review, excluded: tuple[str, ...]) -> Block:
    """What the verdict covers, and what it leaves out."""
    conditions = review.conditions
    landing = conditions.latest_landing
    by_hop = ((hop, answer_words(value)) for hop, value in landing)
    stated = [text.removeprefix(_KIND) for text in excluded if text.startswith(_KIND)]
    included = [kind for kind in conditions.fault_kinds if kind not in stated]
    left_out = [kind for kind in FaultKind if kind not in included]
    rows = (
        row("Faults included", ", ".join(included) or "no kind of fault"),
        row("Faults excluded", ", ".join(left_out) or "no kind of fault"),
        row(
            "Not acted out", ", ".join(text for text in excluded if not text.startswith(_KIND)) or "nothing is left out"
        ),
        row("Fault budget", f"up to {count_words(conditions.fault_budget, 'fault', 'faults')} in one operation"),
        row("Latest landing", _same_or_each(tuple(by_hop), "on each hop")),
        row("Retry horizon", f"{answer_words(conditions.retry_horizon)} from the first attempt to the last"),
        row("Relied on", _relied_on(review)),
        row("Risk limit", f"{exact_words(conditions.risk_limit)} per operation"),
        row(
            "Common cause",
            f"{exact_words(conditions.common_cause.share)} of each rate, in episodes of "
            f"{answer_words(conditions.common_cause.lasts)}",
        ),
        row("Usual latencies", _latencies(review)),
    )
    return Block(
        name="conditions",
        title="Conditions of the verdict",
        evidence=EvidenceKind.DECLARED,
        columns=(),
        rows=rows,
        noun="condition",
        nouns="conditions",
    )


def _same_or_each(by_hop: tuple[tuple[str, str], ...], same: str) -> str:
    texts = {text for _, text in by_hop}
    if len(texts) == 1:
        return f"{texts.pop()} {same}"
    return ", ".join(f"{hop_words(hop)} {text}" for hop, text in by_hop)


def _relied_on(review: Review) -> str:
    parts = []
    for guaranteed in review.guaranteed_retentions():
        field = guaranteed.field.removesuffix(".retention")
        if field.startswith("effects."):
            index = int(field.split(".")[1])
            field = f"key ({effect_words(review.effects[index].name, index + 1)})"
        parts.append(
            f"{field} {answer_words(guaranteed.retention.lasts)}" if guaranteed.guaranteed_s else f"no {field}"
        )
    return list_words(parts) or "none"


def _latencies(review: Review) -> str:
    by_source: dict[str, list[str]] = {}
    for hop, latency in review.latencies:
        if isinstance(latency, LatencyRange):
            text = f"{hop_words(hop)} {answer_words(latency.typical)} (≤\u00a0{answer_words(latency.slowest)})"
            by_source.setdefault(latency.source, []).append(text)
        elif not isinstance(latency, NotApplicable):
            by_source.setdefault("unknown", []).append(hop_words(hop))
    return "; ".join(f"{', '.join(texts)}: {source}" for source, texts in by_source.items()) or "none"
