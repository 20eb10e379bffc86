"""An effect of a review as the system of record of the catalog that it names."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from simkit.catalog import SystemEntry
from simkit.contract.building import built
from simkit.contract.composition import LIKE, system_with_entry
from simkit.contract.durations import duration_text
from simkit.contract.offers import readback_of
from simkit.contract.parts import Origin, Part, merged, plain
from simkit.contract.taken import Taken, taken_of
from simkit.contract.written_out_layers import UNKNOWN_WORD, is_open
from simkit.errors import InputError
from simkit.scenario import SystemBehaviour

__all__ = ["EffectOut", "effect_written_out"]

NOT_APPLICABLE: Final = "not_applicable"
KEY: Final = "downstream_key"
READBACK: Final = "readback"
DOWNSTREAM_CLOCK: Final = "downstream"
FOR_EVER: Final = "for ever"
FOR_EVER_TEXT: Final = "10000 d"
HANDOVER: Final = "handover"

IN_A_RETENTION: Final = MappingProxyType(
    {"lasts": "retention", "kind": "kind", "counted_from": "counted_from", "after_expiry": "after"}
)
"""What a scenario calls each answer about a retention."""

ANSWERS: Final = MappingProxyType(
    {
        "key_retention.retention": "downstream_key.retention.lasts",
        "key_retention.kind": "downstream_key.retention.kind",
        "key_retention.counted_from": "downstream_key.retention.counted_from",
        "key_retention.after": "downstream_key.retention.after_expiry",
        "key_retention": "downstream_key.retention",
        "on_mismatch": "downstream_key.on_mismatch",
        "effect": "kind",
        "accepts_first": "completion_evidence",
        "by": "readback.by",
        "lag_max": "readback.lag",
    }
)
"""Which answer of a review depends on each field of an entry."""
OF_THE_KEY: Final = frozenset({"deduplication", "on_concurrent", "key_recorded", "failures_stored"})
"""What a review does not ask, and what a repeat meets depends on."""
NOTHING_SAID: Final = Part(value={}, origin=Origin(file="", line=0, place=()))


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectOut:
    """An effect, written out.

    Parameters
    ----------
    document
        Its answers, as a file says them.
    taken
        The system of record, and, where it can be asked, its readback.
    guesses
        The ID of the entry, by the path of each answer that is unknown because the entry only guesses it.
    unjudged
        Further fields of the system of record that the entry only guesses.
    """

    name: str
    document: dict[str, object]
    behaviour: SystemBehaviour
    taken: tuple[Taken, ...]
    guesses: Mapping[str, str]
    unjudged: tuple[str, ...]


def effect_written_out(index: int, effect: Part) -> EffectOut | None:
    """The effect with the answers of the system of record that it names; None where it names none.

    Raises
    ------
    InputError
        If there is no such system, or it lacks what is overridden.
    """
    fields = effect.fields or {}
    if LIKE not in fields:
        return None
    composed = system_with_entry(replace(effect, value={LIKE: fields[LIKE], **dict(_own_behaviour(fields))}))
    system = composed.taken_from.entry if composed.taken_from is not None else None
    if not isinstance(system, SystemEntry):
        return None
    behaviour = built(composed, SystemBehaviour)
    asked = _asked(system, behaviour, fields)
    taken = [taken_of(composed, f"effects.{index}")]
    if asked is not None:
        taken.append(taken_of(asked, f"effects.{index}.readback"))
    document: dict[str, object] = {
        "system": system.name,
        "kind": str(behaviour.effect),
        "completion_evidence": HANDOVER if behaviour.accepts_first else "receipt",
    }
    document |= {key: plain(part) for key, part in fields.items() if key not in (LIKE, KEY, READBACK)}
    document[KEY] = _key(system, behaviour, fields.get(KEY))
    document[READBACK] = _readback(system, asked, fields.get(READBACK))
    guessed = [guess for one in taken for guess in one.guessed]
    answers = dict.fromkeys(ANSWERS[guess] for guess in guessed if guess in ANSWERS)
    has_key = NOT_APPLICABLE not in _mapping(document[KEY])
    return EffectOut(
        name=str(document.get("name")),
        document=document,
        behaviour=behaviour,
        taken=tuple(taken),
        guesses={
            f"effects.{index}.{answer}": system.id for answer in answers if _is_set_unknown(document, effect, answer)
        },
        unjudged=tuple(guess for guess in guessed if guess in OF_THE_KEY and has_key),
    )


def _own_behaviour(fields: Mapping[str, Part]) -> Iterator[tuple[str, Part]]:
    """What the file itself says of the system of record, in the words of a scenario."""
    kind, evidence, key = fields.get("kind"), fields.get("completion_evidence"), fields.get(KEY)
    if kind is not None and not is_open(kind):
        yield "effect", kind
    if evidence is not None and not is_open(evidence):
        yield "accepts_first", replace(evidence, value=evidence.value == HANDOVER)
    if key is None or is_open(key):
        return
    for name, part in (key.fields or {}).items():
        if name == "retention" and part.fields is not None:
            lasting = _renamed(part, IN_A_RETENTION)
            if lasting.fields:
                yield "key_retention", lasting
        elif name != "sent" and not is_open(part):
            yield ("key_retention" if name == "retention" else name), part


def _renamed(part: Part, names: Mapping[str, str]) -> Part:
    """The answers with these names, under the names that a scenario has for them; those that are open left out."""
    fields = {
        names[name]: replace(inner, value=FOR_EVER_TEXT) if inner.value == FOR_EVER else inner
        for name, inner in (part.fields or {}).items()
        if name in names and not is_open(inner)
    }
    return replace(part, value=fields)


def _asked(system: SystemEntry, behaviour: SystemBehaviour, fields: Mapping[str, Part]) -> Part | None:
    """The readback that the system offers, with what the file itself says of it; None where there is none."""
    own = fields.get(READBACK)
    if own is not None and is_open(own):
        return None
    offered = readback_of(system, fields[LIKE].origin)
    if offered is None:
        if own is not None:
            message, allowed = f"{system.id} cannot be asked about one operation", "nothing, or not_applicable"
            raise InputError((own.origin.problem(message, value=own.value, allowed=allowed),))
        return None
    own = replace(offered, value={}, taken_from=None) if own is None else _renamed(own, {"by": "by", "lag": "lag_max"})
    by = (own.fields or {}).get("by")
    if by is not None and by.value not in behaviour.asked_by:
        message = f"{system.id} cannot be asked by this"
        raise InputError((by.origin.problem(message, value=by.value, allowed=", ".join(behaviour.asked_by)),))
    return merged(offered, own)


def _key(system: SystemEntry, behaviour: SystemBehaviour, own: Part | None) -> object:
    """The answers about the key; what the file itself says stands."""
    if own is not None and is_open(own):
        return plain(own)
    kept = behaviour.key_retention
    said = {} if own is None else own.fields or {}
    if kept is None:
        if "sent" in said and own is not None:
            message, allowed = f"{system.id} recognises no repeat by a key", "nothing, or not_applicable"
            raise InputError((own.origin.problem(message, value=own.value, allowed=allowed),))
        return {NOT_APPLICABLE: f"because {system.id} recognises no repeat"}
    retention: dict[str, object] = {
        "lasts": duration_text(kept.retention_s),
        "kind": str(kept.kind),
        "clock": DOWNSTREAM_CLOCK,
        "counted_from": str(kept.counted_from),
        "after_expiry": str(kept.after),
    }
    answers: dict[str, object] = {"retention": retention, "on_mismatch": str(behaviour.on_mismatch)}
    for name, part in said.items():
        if name in ("sent", "on_mismatch") or (name == "retention" and part.fields is None):
            answers[name] = plain(part)
        elif name == "retention":
            answers[name] = retention | _mapping(plain(part))
    return answers


def _readback(system: SystemEntry, asked: Part | None, own: Part | None) -> object:
    said = {} if own is None else plain(own)
    if asked is None or asked.fields is None:
        return said or {NOT_APPLICABLE: f"because {system.id} cannot be asked about one operation"}
    return {"by": asked.fields["by"].value, "lag": asked.fields["lag_max"].value} | _mapping(said)


def _is_set_unknown(document: dict[str, object], own: Part, answer: str) -> bool:
    """Whether the answer could be set to `unknown`: it is there, and the file does not leave it open itself."""
    *around, last = answer.split(".")
    within, part = document, own
    for name in around:
        part = (part.fields or {}).get(name, NOTHING_SAID)
        within = _mapping(within.get(name))
        if is_open(part):
            return False
    if last not in within or last in (part.fields or {}):
        return False
    within[last] = UNKNOWN_WORD
    return True


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
