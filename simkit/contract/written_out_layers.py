"""A layer of a review as the policy of the catalog that it names."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from simkit.contract.building import built
from simkit.contract.composition import LIKE, layer_with_entry
from simkit.contract.durations import duration_text
from simkit.contract.fields import NONE_WORD
from simkit.contract.parts import Part, plain
from simkit.contract.taken import Taken, taken_of
from simkit.scenario import RetryPolicy

__all__ = ["UNKNOWN_WORD", "LayerOut", "is_open", "layer_written_out"]

UNKNOWN_WORD: Final = "unknown"
NOT_APPLICABLE: Final = "not_applicable"
FOR_EVER_S: Final = 864_000_000.0
"""What a wait that grows without an end amounts to: 10,000 days, in seconds."""
RETRIES_LOOKED_AT: Final = 100

IN_A_POLICY: Final = MappingProxyType(
    {
        "attempts": "attempts",
        "timeout": "timeout",
        "backoff": "backoff",
        "budget": "budget",
        "when_exhausted": "on_exhausted",
    }
)
"""What a policy calls each answer of a layer."""
IN_A_REVIEW: Final = MappingProxyType({policy: review for review, policy in IN_A_POLICY.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerOut:
    """A layer, written out.

    Parameters
    ----------
    document
        Its answers, as a file says them.
    guesses
        The ID of the entry, by the path of each answer that is unknown because the entry only guesses it.
    unjudged
        Further fields of the policy that the entry only guesses.
    """

    document: dict[str, object]
    policy: RetryPolicy
    taken: Taken
    guesses: Mapping[str, str]
    unjudged: tuple[str, ...]


def is_open(part: Part) -> bool:
    """Whether the file answers `unknown` or `not_applicable`."""
    return part.value == UNKNOWN_WORD or NOT_APPLICABLE in (part.fields or {})


def layer_written_out(name: str, layer: Part) -> LayerOut | None:
    """The layer with the answers of the policy that it names; None where it names none.

    Raises
    ------
    InputError
        If there is no such policy, it stands in the place of other layers, or lacks what is overridden.
    """
    fields = layer.fields or {}
    if LIKE not in fields:
        return None
    own = {IN_A_POLICY.get(key, key): _as_wait(part) for key, part in fields.items() if not is_open(part)}
    if "backoff" in fields and (fields["backoff"].fields or {}).keys() == {"least", "most"}:
        # These bounds hold between any two tries, so no formula is left for what an overloaded answer is followed by.
        own.setdefault("backoff_overloaded", Part(value=NONE_WORD, origin=fields["backoff"].origin))
    at = Part(value=name, origin=layer.origin)
    composed = layer_with_entry(replace(layer, value={**own, "name": at}))
    composed = replace(composed, value={key: part for key, part in (composed.fields or {}).items() if key != "name"})
    taken = taken_of(composed, f"layers.{name}")
    policy = built(composed, RetryPolicy)
    document = _answers(policy) | {key: plain(part) for key, part in fields.items() if key in IN_A_POLICY}
    guesses = {}
    for field in dict.fromkeys(guess.split(".")[0] for guess in taken.guessed):
        answer = IN_A_REVIEW.get(field)
        if answer is not None and answer not in fields and not (answer == "backoff" and not policy.repeats):
            document[answer] = UNKNOWN_WORD
            guesses[f"layers.{name}.{answer}"] = taken.entry_id
    unjudged = tuple(dict.fromkeys(one for guess in taken.guessed if (one := guess.split(".")[0]) not in IN_A_REVIEW))
    return LayerOut(document=document, policy=policy, taken=taken, guesses=guesses, unjudged=unjudged)


def _as_wait(part: Part) -> Part:
    """A backoff by its least and its most as the wait of a policy; anything else as it is."""
    fields = part.fields or {}
    return replace(part, value={**fields, "typical": fields["least"]}) if fields.keys() == {"least", "most"} else part


def _answers(policy: RetryPolicy) -> dict[str, object]:
    return {
        "attempts": NONE_WORD if policy.attempts is None else policy.attempts,
        "timeout": NONE_WORD if policy.timeout_s is None else duration_text(policy.timeout_s),
        "backoff": _backoff(policy),
        "budget": NONE_WORD if policy.budget_s is None else duration_text(policy.budget_s),
        "when_exhausted": str(policy.on_exhausted),
    }


def _backoff(policy: RetryPolicy) -> dict[str, object]:
    if not policy.repeats:
        return {NOT_APPLICABLE: "because it never repeats"}
    longest_s = policy.longest_backoff_s()
    least_s = policy.wait_before(1).s_min
    most_s = FOR_EVER_S if math.isinf(longest_s) else max(longest_s, least_s)
    return {"least": duration_text(least_s), "most": duration_text(most_s)}
