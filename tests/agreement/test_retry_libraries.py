"""Libraries that repeat whatever fails do, without any setting, what the entries of the catalog say of them."""

from tests.agreement.agreeing import RecordProperty, check_waits, check_writes, every_fault, every_sample
from tests.agreement.conduct import Case
from tests.agreement.faults import RealFault
from tests.agreement.measured import measured
from tests.agreement.retry_wrappers import backoff_call, langchain_call, stamina_call, tenacity_call

__all__: list[str] = []

# Those without an end send five times under the fault, and the sixth time is well.
CASES = (
    Case(entry="tenacity-default", package="tenacity", client=tenacity_call, attempts=measured(6), has_end=False),
    Case(
        entry="stamina-default",
        package="stamina",
        client=stamina_call,
        attempts=measured(10),
        sampled_under=(RealFault.REFUSE,),
    ),
    Case(
        entry="backoff-default",
        package="backoff",
        client=backoff_call,
        attempts=measured(6),
        has_end=False,
        sampled_under=(RealFault.ERROR_503,),
    ),
    Case(
        entry="langchain-with-retry",
        package="langchain-core",
        client=langchain_call,
        attempts=measured(3),
        sampled_under=(RealFault.REFUSE,),
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
