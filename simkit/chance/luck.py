"""Keyed luck: a number between 0 and 1 for each text, the same whenever and in whatever order it is asked for."""

import hashlib

__all__ = ["Luck"]

_SCALE = 2.0**-64


class Luck:
    """The luck of one replication.

    Parameters
    ----------
    seed
        Root of all luck.
    replication_index
        Which independent replication this is, from 0.
    """

    __slots__ = ("_key",)

    def __init__(self, seed: int, replication_index: int) -> None:
        self._key = hashlib.blake2b(f"{seed}/{replication_index}/".encode(), digest_size=8)

    def at_fraction(self, text: str) -> float:
        """Uniform between 0 and 1."""
        state = self._key.copy()
        state.update(text.encode())
        return int.from_bytes(state.digest(), "big") * _SCALE
