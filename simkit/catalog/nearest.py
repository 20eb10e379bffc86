"""Names that somebody may have meant."""

import difflib
from collections.abc import Iterable
from typing import Final

__all__ = ["nearest_names"]

COUNT_MAX: Final = 3
ALIKE_FRACTION: Final = 0.3
"""From how alike on a name counts as meant; where none is, the nearest are said all the same."""


def nearest_names(name: str, names: Iterable[str]) -> str:
    """The few names that are most like a name that there is not, the nearest first, for a message.

    Examples
    --------
    >>> nearest_names("rs-67", ["RS-067", "RS-074", "plain-write", "publish-schedule"])
    'RS-067, RS-074'
    """
    by_lower = {known.lower(): known for known in names}
    alike, any_at_all = (
        difflib.get_close_matches(name.lower(), by_lower, n=COUNT_MAX, cutoff=cutoff) for cutoff in (ALIKE_FRACTION, 0)
    )
    return ", ".join(by_lower[lower] for lower in alike or any_at_all)
