"""Attempts that were measured when the entries of the catalog were written: by fault, most of them alike."""

from collections.abc import Mapping
from types import MappingProxyType

from tests.agreement.faults import RealFault

__all__ = ["CLIENT_ERRORS", "EVERY_ANSWER", "EVERY_FAULT", "SERVER_ERRORS", "measured"]

EVERY_FAULT = tuple(RealFault)
EVERY_ANSWER = tuple(fault for fault in RealFault if fault.status is not None)
SERVER_ERRORS = tuple(fault for fault in EVERY_ANSWER if (fault.status or 0) >= 500)
CLIENT_ERRORS = tuple(fault for fault in EVERY_ANSWER if (fault.status or 0) < 500)


def measured(
    usual_count: int, exceptions: Mapping[int, tuple[RealFault, ...]] = MappingProxyType({})
) -> Mapping[RealFault, int]:
    """So many attempts under each fault, but for those that are listed under another count.

    Examples
    --------
    >>> counts = measured(3, {1: CLIENT_ERRORS})
    >>> counts[RealFault.REFUSE], counts[RealFault.ERROR_409]
    (3, 1)
    """
    counts = dict.fromkeys(RealFault, usual_count)
    counts |= {fault: count for count, faults in exceptions.items() for fault in faults}
    return MappingProxyType(counts)
