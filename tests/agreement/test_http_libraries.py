"""The HTTP libraries do, without any setting, what the entries of the catalog say of them."""

from functools import partial

from tests.agreement.agreeing import RecordProperty, check_waits, check_writes, every_fault, every_sample
from tests.agreement.conduct import Case
from tests.agreement.faults import RealFault
from tests.agreement.http_clients import aiohttp_request, httpx_request, requests_request, urllib3_request
from tests.agreement.measured import measured

__all__: list[str] = []

REFUSE, CLOSE, READ_TIMEOUT = RealFault.REFUSE, RealFault.CLOSE, RealFault.READ_TIMEOUT

CASES = (
    Case(
        entry="urllib3-default",
        package="urllib3",
        client=partial(urllib3_request, method="POST"),
        attempts=measured(1, {4: (REFUSE,)}),
    ),
    Case(
        entry="urllib3-default",
        package="urllib3",
        method="PUT",
        client=partial(urllib3_request, method="PUT"),
        attempts=measured(
            1, {4: (REFUSE, CLOSE, READ_TIMEOUT, RealFault.ERROR_429_ASKING, RealFault.ERROR_503_ASKING)}
        ),
        sampled_under=(CLOSE, RealFault.ERROR_429_ASKING),
    ),
    Case(entry="requests-default", package="requests", client=requests_request, attempts=measured(1)),
    Case(entry="httpx-default", package="httpx", client=httpx_request, attempts=measured(1)),
    Case(
        entry="aiohttp-default",
        package="aiohttp",
        client=partial(aiohttp_request, method="POST"),
        attempts=measured(1),
        keeps_monotonic=True,
    ),
    Case(
        entry="aiohttp-default",
        package="aiohttp",
        method="PUT",
        client=partial(aiohttp_request, method="PUT"),
        attempts=measured(1, {2: (CLOSE,)}),
        keeps_monotonic=True,
    ),
)


@every_fault(CASES)
def test_the_library_and_its_entry_send_as_often_and_wait_within_the_formula(
    case: Case, fault: RealFault, record_property: RecordProperty
) -> None:
    check_writes(case, fault, record_property)


@every_sample(CASES)
def test_the_waits_of_the_library_and_of_its_entry_are_distributed_by_the_formula(
    case: Case, fault: RealFault, record_property: RecordProperty
) -> None:
    check_waits(case, fault, record_property)
