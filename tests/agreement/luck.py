"""The same luck for a real library in every run."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

__all__ = ["Plain", "seeded"]

Plain = random.Random


class _Drawn(Plain):
    """A generator that its maker gave no seed gets one from the luck of the module `random`."""

    def __init__(self, seed: float | str | bytes | None = None) -> None:
        super().__init__(random.uniform(0, 1) if seed is None else seed)


@contextmanager
def seeded(seed: str) -> Iterator[None]:
    """Give whoever draws by `random`, or by a generator made meanwhile, a luck that hangs on a seed alone."""
    state = random.getstate()
    random.seed(seed)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(random, "Random", _Drawn)
            yield
    finally:
        random.setstate(state)
