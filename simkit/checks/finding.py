"""What a check found about one promise for one intent."""

from dataclasses import dataclass

from simkit.terms import Promise, PromiseVerdict

__all__ = ["Finding"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A verdict with its evidence: the facts that decide it, in words; never empty unless kept."""

    promise: Promise
    intent: str
    verdict: PromiseVerdict
    evidence: tuple[str, ...]
