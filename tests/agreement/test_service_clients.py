"""The client libraries of single services do what the entries of the catalog say of them."""

from functools import partial

from tests.agreement.agreeing import RecordProperty, check_waits, check_writes, every_fault, every_sample
from tests.agreement.conduct import Case
from tests.agreement.faults import RealFault
from tests.agreement.measured import SERVER_ERRORS, measured
from tests.agreement.service_clients import (
    anthropic_message,
    github_request,
    jira_issue,
    openai_completion,
    slack_message,
    stripe_client_customer,
    stripe_module_customer,
    twilio_message,
)

__all__: list[str] = []

REFUSE, CLOSE, READ_TIMEOUT = RealFault.REFUSE, RealFault.CLOSE, RealFault.READ_TIMEOUT
E408, E409, E429, E429_ASKING = (
    RealFault.ERROR_408,
    RealFault.ERROR_409,
    RealFault.ERROR_429,
    RealFault.ERROR_429_ASKING,
)
NOT_ASKING = tuple(fault for fault in SERVER_ERRORS if fault.retry_after_s is None)

CASES = (
    Case(
        entry="stripe-python-module",
        package="stripe",
        client=stripe_module_customer,
        attempts=measured(3, {1: (E408, E429, E429_ASKING)}),
        sampled_under=(REFUSE,),
    ),
    Case(entry="stripe-python-client", package="stripe", client=stripe_client_customer, attempts=measured(1)),
    Case(
        entry="openai-python",
        package="openai",
        client=openai_completion,
        attempts=measured(3),
        sampled_under=(REFUSE, E429_ASKING),
    ),
    Case(
        entry="anthropic-python",
        package="anthropic",
        client=anthropic_message,
        attempts=measured(3),
        sampled_under=(REFUSE,),
    ),
    Case(
        entry="slack-python-default",
        package="slack_sdk",
        client=slack_message,
        attempts=measured(1, {2: (REFUSE, CLOSE)}),
        sampled_under=(REFUSE,),
    ),
    Case(
        entry="pygithub",
        package="PyGithub",
        client=partial(github_request, method="POST"),
        attempts=measured(11, {1: (E408, E409, E429)}),
    ),
    Case(
        entry="pygithub",
        package="PyGithub",
        method="PATCH",
        client=partial(github_request, method="PATCH"),
        attempts=measured(1, {11: (REFUSE,)}),
    ),
    Case(
        entry="jira-python",
        package="jira",
        client=jira_issue,
        attempts=measured(4, {1: (READ_TIMEOUT, E408, E409, *NOT_ASKING)}),
        sampled_under=(REFUSE, E429_ASKING),
    ),
    Case(entry="twilio-python", package="twilio", client=twilio_message, attempts=measured(1)),
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
