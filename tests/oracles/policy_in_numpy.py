"""The policies with readback of the rare-duplicate example once more, as arrays, from the words alone.

Nothing of simkit is used here. All operations run side by side: each line below is one step of one attempt
of all of them, and a mask says whom it still concerns.

An agent tries three times at most, until it is told that it is done. An attempt reaches the server or not;
the server dies or not, then looks at its record. Settled: it answers. Reserved: it asks the system of record
up to so many times, and takes silence for absence. Otherwise it reserves, sends, and writes a receipt.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SITES", "Counted", "counted"]

SITES = (
    "request lost",
    "crash before the reservation",
    "crash after the reservation",
    "request to the system of record lost",
    "crash after the effect",
    "crash after the receipt",
    "response lost",
    "question unanswered",
)

ATTEMPT_COUNT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Of how many operations it holds."""

    duplicates: int
    not_acknowledged: int
    without_effect: int


def counted(rates: Mapping[str, float], *, question_count: int, operation_count: int, seed: int) -> Counted:
    """Run so many operations, and count.

    Parameters
    ----------
    rates
        Probability of each of `SITES`, each time that it is passed, in 0..1.
    """
    rng = np.random.default_rng(seed)

    def happens(site: str) -> NDArray[np.bool_]:
        return rng.random(operation_count) < rates[site]

    effects = np.zeros(operation_count, dtype=np.int8)
    reserved, settled, told = (np.zeros(operation_count, dtype=np.bool_) for _ in range(3))
    for _ in range(ATTEMPT_COUNT):
        meets = ~told & ~happens("request lost") & ~happens("crash before the reservation")
        knows = meets & settled
        asks = meets & reserved & ~settled
        is_answered = np.zeros(operation_count, dtype=np.bool_)
        for _ in range(question_count):
            is_answered |= ~happens("question unanswered")
        finds = asks & is_answered & (effects > 0)
        settled |= finds
        writes = meets & ~knows & ~finds
        reserved |= writes
        sends = writes & ~happens("crash after the reservation")
        lands = sends & ~happens("request to the system of record lost")
        effects += lands
        hears = lands & ~happens("crash after the effect")
        settled |= hears
        answers = (knows | finds | hears) & ~happens("crash after the receipt")
        told |= answers & ~happens("response lost")
    return Counted(
        duplicates=int(np.count_nonzero(effects > 1)),
        not_acknowledged=int(np.count_nonzero(~told)),
        without_effect=int(np.count_nonzero(effects == 0)),
    )
