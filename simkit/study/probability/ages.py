"""Ages that can no longer make a difference are one age."""

from bisect import bisect_right, insort
from collections.abc import Iterable

__all__ = ["Borders"]


class Borders:
    """The ages, in microseconds, at which an attempt begins to go another way."""

    def __init__(self) -> None:
        self._ages_us: list[int] = []

    def __len__(self) -> int:
        return len(self._ages_us)

    def add(self, ages_us: Iterable[int | None]) -> None:
        """Take borders into account; None is none."""
        for age_us in ages_us:
            if age_us is not None and age_us not in self._ages_us:
                insort(self._ages_us, age_us)

    def merged_us(self, age_us: int, ahead_us: int) -> int:
        """The border that an age has passed last, where it can't reach another one `ahead_us` later; else the age.

        Examples
        --------
        >>> borders = Borders()
        >>> borders.add([10, 50])
        >>> borders.merged_us(20, 29), borders.merged_us(20, 30), borders.merged_us(3, 1), borders.merged_us(90, 100)
        (10, 20, 0, 50)
        """
        place = bisect_right(self._ages_us, age_us)
        if place < len(self._ages_us) and age_us + ahead_us >= self._ages_us[place]:
            return age_us
        return max(0, self._ages_us[place - 1]) if place else 0
