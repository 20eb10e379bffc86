"""The faults under which real libraries and simulated policies are compared, each with both of its sides."""

from enum import Enum
from typing import Final

from simkit.terms import ErrorClass

__all__ = ["ASKED_WAIT_S", "RealFault"]

ASKED_WAIT_S: Final = 2
"""What an answer asks for that bears Retry-After."""

ERROR_SITE: Final = "downstream.error_of_unknown_outcome"


class RealFault(Enum):
    """One thing that goes wrong at every attempt.

    What is refused is never sent. A closed connection and a read timeout come after the request was read whole.

    Attributes
    ----------
    word
        Its name in the table.
    failure
        As what a layer of the simulator sees it.
    site
        Where the simulator acts it out.
    """

    REFUSE = ("refuse", ErrorClass.CONNECTION_REFUSED, "server_to_downstream.connection_refused")
    CLOSE = ("close", ErrorClass.CONNECTION_CLOSED, "server_to_downstream.response_closed")
    READ_TIMEOUT = ("timeout", ErrorClass.TIMEOUT, "server_to_downstream.response_lost")
    ERROR_408 = ("408", ErrorClass.REQUEST_TIMEOUT, ERROR_SITE)
    ERROR_409 = ("409", ErrorClass.CONFLICT, "downstream.conflict")
    ERROR_429 = ("429", ErrorClass.OVERLOADED, "downstream.overloaded")
    ERROR_429_ASKING = ("429+RA", ErrorClass.OVERLOADED, "downstream.overloaded")
    ERROR_500 = ("500", ErrorClass.SERVER_ERROR, ERROR_SITE)
    ERROR_502 = ("502", ErrorClass.BAD_GATEWAY, ERROR_SITE)
    ERROR_503 = ("503", ErrorClass.UNAVAILABLE, "downstream.unavailable")
    ERROR_503_ASKING = ("503+RA", ErrorClass.UNAVAILABLE, "downstream.unavailable")
    ERROR_504 = ("504", ErrorClass.GATEWAY_TIMEOUT, ERROR_SITE)

    def __init__(self, word: str, failure: ErrorClass, site: str) -> None:
        self.word = word
        self.failure = failure
        self.site = site

    @property
    def status(self) -> int | None:
        """As what the server answers; None where it does not answer."""
        return int(self.word[:3]) if self.word[0].isdigit() else None

    @property
    def retry_after_s(self) -> int | None:
        """For how long a wait the answer asks; None where it asks for none."""
        return ASKED_WAIT_S if self.word.endswith("+RA") else None
