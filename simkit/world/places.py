"""Where steps take place: two steps that touch no place in common cannot bear on each other.

A place is whatever several steps can read and change: the server with its records, one system of record, one
caller, one waiting for an answer. Places are bits; what touches `EVERYTHING` depends on every other visible step.
"""

__all__ = ["EVERYTHING", "NOTHING", "LastTouches", "Places"]

Places = int

NOTHING: Places = 0
EVERYTHING: Places = -1


class LastTouches:
    """Who touched each place last."""

    def __init__(self) -> None:
        self._by_place: dict[Places, int] = {}
        self._place_counts: dict[int, int] = {}

    def keeps(self, step: int) -> bool:
        """Whether a step was the last one at some place."""
        return step in self._place_counts

    def touched(self, step: int, places: Places) -> list[int]:
        """Note that a step touched some places; return the steps that are no longer the last ones anywhere."""
        counts = self._place_counts
        if places < 0:
            released = [other for other in counts if other != step]
            self._by_place, self._place_counts = {}, {step: 1}
            return released
        released = []
        while places:
            place = places & -places
            places ^= place
            other = self._by_place.get(place)
            if other != step:
                self._by_place[place] = step
                counts[step] = counts.get(step, 0) + 1
                if other is not None:
                    counts[other] -= 1
                    if not counts[other]:
                        del counts[other]
                        released.append(other)
        return released
