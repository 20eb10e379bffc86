"""Closed sets of answers that only the review file asks for; all others are in `simkit.terms`."""

from enum import StrEnum

__all__ = [
    "Canonicalisation",
    "CompletionEvidence",
    "ForEver",
    "MadeBy",
    "NoLimit",
    "OnOff",
    "Persisted",
    "YesNo",
]


class CompletionEvidence(StrEnum):
    """What counts as done."""

    RECEIPT = "receipt"
    HANDOVER = "handover"


class MadeBy(StrEnum):
    """Who makes the operation ID."""

    AGENT = "agent"
    GATEWAY = "gateway"
    SERVER = "server"
    MODEL = "model"
    NOBODY = "nobody"


class Persisted(StrEnum):
    """When the maker of the operation ID writes it down."""

    BEFORE_SENDING = "before sending"
    AFTER_THE_REPLY = "after the reply"
    NEVER = "never"


class Canonicalisation(StrEnum):
    """How bound inputs are brought into one form before they are compared."""

    EXACT_BYTES = "exact bytes"
    CANONICAL_JSON = "canonical JSON"
    DEFAULTS_THEN_CANONICAL_JSON = "declared defaults then canonical JSON"
    NONE = "none"


class ForEver(StrEnum):
    """A retention without an end."""

    FOR_EVER = "for ever"


class NoLimit(StrEnum):
    """A timeout or budget that does not exist."""

    NONE = "none"


class OnOff(StrEnum):
    """What is requested of one layer. Text: in YAML 1.2 `on` and `off` are no truth values."""

    ON = "on"
    OFF = "off"


class YesNo(StrEnum):
    """Text: in YAML 1.2 `yes` and `no` are no truth values."""

    YES = "yes"
    NO = "no"
