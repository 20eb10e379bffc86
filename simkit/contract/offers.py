"""How a system of record of the catalog can be asked, as the readback of a server."""

from typing import Final

from simkit.catalog import SystemEntry
from simkit.contract.durations import duration_text
from simkit.contract.parts import Origin, Part, TakenFrom

__all__ = ["guesses_within", "readback_of"]

LAG: Final = "lag_max"
KNOWN_OF_A_READBACK: Final = frozenset({"attempts", "latency", "on_uncertain"})


def readback_of(entry: SystemEntry, at: Origin) -> Part | None:
    """How a server asks the system of record of an entry; None where that cannot be asked about one operation."""
    offer = entry.readback_offer
    if offer is None:
        return None
    texts = {"by": str(offer.by), LAG: duration_text(offer.lag.s_max)}
    given = {name: Part(value=text, origin=at) for name, text in texts.items()}
    guesses = (LAG if name.startswith("lag") else name for name in guesses_within("readback_offer", entry.guessed))
    taken_from = TakenFrom(
        entry=entry,
        given=given,
        behaviour=offer,
        guessed=tuple(dict.fromkeys(guesses)),
        known_here=KNOWN_OF_A_READBACK,
    )
    return Part(value=given, origin=at, taken_from=taken_from)


def guesses_within(name: str, guessed: tuple[str, ...]) -> tuple[str, ...]:
    """The guesses about one part of the entry, from there on."""
    return tuple(field.removeprefix(f"{name}.") for field in guessed if field.startswith(f"{name}."))
