"""A review file with the entries of the catalog that it names written out, so that every answer stands in it.

==================================================  ============================================================
written                                             gives
==================================================  ============================================================
`layers: {gateway: {like: ID, attempts: 4}}`        attempts, timeout, backoff, budget and what it says in the
                                                    end, from the policy; what is written beside the ID overrides
`effects: [{name: ..., like: ID, ...}]`             system, kind, evidence, retention and mismatch of the key, by
                                                    what it is asked and how far behind, from the system of record
==================================================  ============================================================

A field that the entry only guesses becomes `unknown`, unless the file says the value itself: a guess of the catalog
must not let anybody repeat a write. Where a review has no such field, the guess is listed as not judged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from simkit.contract.parts import Part, traced
from simkit.contract.taken import Taken
from simkit.contract.written_out_effects import EffectOut, effect_written_out
from simkit.contract.written_out_layers import LayerOut, layer_written_out
from simkit.scenario import RetryPolicy
from simkit.terms import LayerName

__all__ = ["WrittenOut", "written_out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenOut:
    """A review as plain values, and what of it came from the catalog.

    Parameters
    ----------
    document
        As a file says it that names no entry.
    layers, effects
        What was written out, by the layer and by the name of the effect.
    """

    document: object = None
    layers: Mapping[str, LayerOut] = field(default_factory=dict)
    effects: Mapping[str, EffectOut] = field(default_factory=dict)

    @property
    def taken(self) -> tuple[Taken, ...]:
        """Every entry in its place, effects first, as in the file."""
        of_effects = (taken for effect in self.effects.values() for taken in effect.taken)
        return (*of_effects, *(layer.taken for layer in self.layers.values()))

    @property
    def guesses(self) -> Mapping[str, str]:
        """The ID of the entry that only guesses it, by the dotted path of a field that is unknown for that reason."""
        found: dict[str, str] = {}
        for effect in self.effects.values():
            found |= effect.guesses
        for layer in self.layers.values():
            found |= layer.guesses
        return found

    def policy_of(self, name: LayerName) -> RetryPolicy | None:
        """The policy of a layer, formula and rules included; None where no entry gives it."""
        return self.layers[name].policy if name in self.layers else None

    def unasked_of(self, effect: str) -> dict[str, Any]:
        """What no review asks about the system of record of an effect, and its entry says; nothing without one."""
        names = ("deduplication", "on_concurrent", "key_recorded", "failures_stored")
        return {name: getattr(self.effects[effect].behaviour, name) for name in names if effect in self.effects}


def written_out(file: Part) -> WrittenOut:
    """The file with every entry that it names written out.

    Raises
    ------
    InputError
        If there is no such entry, it does not fit its place, or lacks what is overridden.
    """
    document = traced(file).value
    if file.fields is None or not isinstance(document, dict):
        return WrittenOut(document=document)
    layers = dict(_layers_of(file.fields))
    effects = dict(_effects_of(file.fields))
    if layers:
        own = document["layers"]
        document["layers"] = own | {name: layer.document for name, layer in layers.items()}
    if effects:
        document["effects"] = [
            effects[index].document if index in effects else own for index, own in enumerate(document["effects"])
        ]
    return WrittenOut(
        document=document,
        layers=layers,
        effects={effect.name: effect for effect in effects.values()},
    )


def _layers_of(fields: Mapping[str, Part]) -> Iterator[tuple[str, LayerOut]]:
    layers = fields.get("layers")
    for name, layer in ((layers.fields if layers is not None else None) or {}).items():
        found = layer_written_out(name, layer)
        if found is not None:
            yield name, found


def _effects_of(fields: Mapping[str, Part]) -> Iterator[tuple[int, EffectOut]]:
    effects = fields.get("effects")
    listed = effects.value if effects is not None and isinstance(effects.value, list) else []
    for index, effect in enumerate(listed):
        found = effect_written_out(index, effect)
        if found is not None:
            yield index, found
