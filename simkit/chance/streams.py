"""Uniform numbers for whoever draws often: one stream for each seed, replication and party.

Keyed luck (`simkit.chance.luck`) gives each question a number of its own, which costs a hash; a world under load
asks millions of times. There each party has its own generator instead: what one of them draws more or less changes
nobody else's luck, and a replication depends on its own index alone, whichever process runs it.
"""

from collections.abc import Callable, Iterator
from typing import Final
from zlib import crc32

__all__ = ["uniform_numbers"]

FIRST_BLOCK_COUNT: Final = 32
BLOCK_COUNT_MAX: Final = 4096
LEAST: Final = 2.0**-54
"""Stands for 0, of which some laws have no finite quantile."""


def uniform_numbers(seed: int, replication_index: int, party: str) -> Callable[[], float]:
    """A function that gives the next number of the stream, uniform between 0 and 1, neither of them included."""
    return _numbers(seed, replication_index, party).__next__


def _numbers(seed: int, replication_index: int, party: str) -> Iterator[float]:
    import numpy as np

    sequence = np.random.SeedSequence(seed, spawn_key=(replication_index, crc32(party.encode())))
    generator = np.random.Generator(np.random.PCG64(sequence))
    count = FIRST_BLOCK_COUNT
    while True:
        yield from np.maximum(generator.random(count), LEAST).tolist()
        count = min(2 * count, BLOCK_COUNT_MAX)
