"""Luck, keyed: each draw depends on the seed, the intent's number and the site, never on the order of asking.

So adding a site or splitting the work changes no other luck, and two policies compared with one
seed meet the same luck wherever they pass the same site.
"""

import hashlib

from simkit.chance.questions import Chance, Question

__all__ = ["Sampled"]

_SCALE = 2.0**-64


class Sampled(Chance):
    """Draws every answer. Picks have no probability; they are drawn uniformly, and results say so.

    Parameters
    ----------
    seed
        Root of all luck.
    replication_index
        Which independent replication this is, from 0.
    """

    def __init__(self, seed: int, replication_index: int) -> None:
        self._key = hashlib.blake2b(f"{seed}/{replication_index}/".encode(), digest_size=8)
        self._passed: dict[str, int] = {}

    def _uniform(self, site: str) -> float:
        number = self._passed.get(site, 0)
        self._passed[site] = number + 1
        state = self._key.copy()
        state.update(f"{site}#{number}".encode())
        return int.from_bytes(state.digest(), "big") * _SCALE

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        point = self._uniform(site)
        if kind is Question.PICK:
            return min(int(point * len(weights)), len(weights) - 1)
        for index, weight in enumerate(weights):
            if weight is None:
                message = f"{site}: its rate is unknown, so nothing can be drawn"
                raise ValueError(message)
            point -= weight
            if point < 0:
                return index
        return max(range(len(weights)), key=lambda index: weights[index] or 0.0)
