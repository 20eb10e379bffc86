"""Picks in a leaf table: backward induction over sums of rows.

All rows with the same picks at the same places form a segment. A pick hangs on the segment in which it is asked,
and each of its options is a segment of its own. Because masses are never negative, the factors above a pick
can stay in the sums below it: a segment is worth the sum of its own rows, and of the best or worst option of each
pick that hangs on it.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from simkit.study.probability.table.leaf_row import SEPARATOR
from simkit.study.probability.table.monomials import Floats, Ints

__all__ = ["PickSegments"]


class PickSegments:
    """The segments of a table.

    Parameters
    ----------
    paths, picks
        The columns of the table.

    Attributes
    ----------
    of_rows
        Number of each row's segment; 0 where it has no picks.
    count
        How many segments there are, and one more that stays empty: options that nobody ran.
    """

    def __init__(self, paths: Sequence[str], picks: Sequence[str]) -> None:
        self._numbers: dict[tuple[str, ...], int] = {(): 0}
        self._picks: dict[tuple[str, ...], tuple[int, int, list[int]]] = {}
        self.of_rows: Ints = np.zeros(len(paths), dtype=np.int64)
        for row, picked in enumerate(picks):
            if picked:
                self.of_rows[row] = self._segment(paths[row].split(SEPARATOR), picked.split(SEPARATOR))
        self.count = len(self._numbers) + 1
        self._levels = self._levelled()

    def _segment(self, path: list[str], picked: list[str]) -> int:
        """Number of a row's segment; the picks on its way are noted."""
        segment, at = 0, 0
        for depth, pick in enumerate(picked):
            entry, _, option_count = pick.rpartition("/")
            at = path.index(entry, at)
            asked = (*path[:at], entry.rpartition("=")[0])
            at += 1
            option = self._numbers.setdefault(tuple(path[:at]), len(self._numbers))
            _, _, options = self._picks.setdefault(asked, (depth, segment, [-1] * int(option_count)))
            options[int(entry.rpartition("=")[2])] = option
            segment = option
        return segment

    def _levelled(self) -> list[tuple[Ints, Ints]]:
        """Parents and options of all picks, the deepest first; short lists of options are filled up by their first."""
        levels: dict[int, list[tuple[int, list[int]]]] = {}
        for depth, parent, options in self._picks.values():
            levels.setdefault(depth, []).append((parent, options))
        arranged = []
        for depth in sorted(levels, reverse=True):
            widest = max(len(options) for _, options in levels[depth])
            filled = [options + options[:1] * (widest - len(options)) for _, options in levels[depth]]
            parents = [parent for parent, _ in levels[depth]]
            arranged.append((np.array(parents, dtype=np.int64), np.array(filled, dtype=np.int64)))
        return arranged

    @property
    def has_picks(self) -> bool:
        """Whether any row has a pick."""
        return bool(self._levels)

    def resolved(self, values: Floats, *, takes_greatest: bool) -> float:
        """Worth of the whole, from the sums of the segments' own rows."""
        return float(self._worth(values, takes_greatest=takes_greatest)[0])

    def chosen(self, values: Floats) -> npt.NDArray[np.bool_]:
        """Which segments count where each pick takes its option of the greatest worth."""
        worth = self._worth(values, takes_greatest=True)
        is_chosen = np.zeros(self.count, dtype=np.bool_)
        is_chosen[0] = True
        for parents, options in reversed(self._levels):
            best = options[np.arange(len(options)), worth[options].argmax(axis=1)]
            is_chosen[best] = is_chosen[parents]
        return is_chosen

    def _worth(self, values: Floats, *, takes_greatest: bool) -> Floats:
        worth = values.copy()
        for parents, options in self._levels:
            below = worth[options]
            np.add.at(worth, parents, below.max(axis=1) if takes_greatest else below.min(axis=1))
        return worth
