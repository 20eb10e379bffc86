"""A clock on which real libraries sleep without waiting: what they would sleep is noted, and their time goes on."""

import asyncio
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

__all__ = ["VirtualClock"]

EPOCH_AT_S = 1_900_000_000.0
"""The date at which it begins; nothing depends on the day of the run."""

MONOTONIC_AT_S = 100_000.0


class VirtualClock:
    """Stands in for `time` while a library runs; a sleep takes no time and moves the clock.

    Parameters
    ----------
    keeps_monotonic
        Whether `time.monotonic` stays the real one, for libraries whose event loop lives by it.
    """

    def __init__(self, *, keeps_monotonic: bool = False) -> None:
        self._sleeps_s: list[float] = []
        self._elapsed_s = 0.0
        self._keeps_monotonic = keeps_monotonic
        self._thread = threading.get_ident()
        self._real_sleep = time.sleep

    @property
    def sleep_count(self) -> int:
        """How many sleeps were noted so far."""
        return len(self._sleeps_s)

    def slept_s(self, first_index: int, end_index: int) -> float:
        """What was slept in all by some of the sleeps, to the last digit where it is one."""
        return math.fsum(self._sleeps_s[first_index:end_index])

    def sleep(self, seconds: float) -> None:
        """Note a sleep of the thread that made the clock; other threads are the server's."""
        if threading.get_ident() != self._thread:
            self._real_sleep(seconds)
            return
        self._sleeps_s.append(seconds)
        self._elapsed_s += seconds

    async def sleep_in_loop(self, seconds: float, result: object = None) -> object:
        """The same for a coroutine."""
        self.sleep(seconds)
        return result

    @contextmanager
    def in_place_of_time(self) -> Iterator[None]:
        """Let everybody who looks at the module `time`, or sleeps in asyncio, meet this clock."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "sleep", self.sleep)
            patch.setattr(asyncio, "sleep", self.sleep_in_loop)
            patch.setattr(time, "time", lambda: EPOCH_AT_S + self._elapsed_s)
            if not self._keeps_monotonic:
                patch.setattr(time, "monotonic", lambda: MONOTONIC_AT_S + self._elapsed_s)
            yield
