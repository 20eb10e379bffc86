"""The client libraries of the clouds do what the entries of the catalog say of them."""

from functools import partial

import pytest

from tests.agreement.agreeing import RecordProperty, check_waits, check_writes, every_fault, every_sample
from tests.agreement.cloud_clients import (
    azure_blob_upload,
    azure_core_request,
    google_api_core_call,
    google_cloud_storage_bucket,
    sqs_message,
)
from tests.agreement.conduct import Case
from tests.agreement.faults import RealFault
from tests.agreement.measured import CLIENT_ERRORS, measured

__all__: list[str] = []

# It says so as soon as google-api-core is imported without a package that turns errors of gRPC into words.
pytestmark = pytest.mark.filterwarnings("ignore:Please install grpcio-status:ImportWarning")

REFUSE, CLOSE, READ_TIMEOUT = RealFault.REFUSE, RealFault.CLOSE, RealFault.READ_TIMEOUT
E408, E409, E429, E502, E503, E504 = (
    RealFault.ERROR_408,
    RealFault.ERROR_409,
    RealFault.ERROR_429,
    RealFault.ERROR_502,
    RealFault.ERROR_503,
    RealFault.ERROR_504,
)

CASES = (
    Case(
        entry="botocore-standard-v2",
        package="botocore",
        client=sqs_message,
        attempts=measured(3, {1: (E408, E409)}),
        sampled_under=(REFUSE, E429),
    ),
    Case(
        entry="botocore-legacy",
        package="botocore",
        client=partial(sqs_message, mode="legacy"),
        attempts=measured(5, {1: (E408, E409)}),
        sampled_under=(REFUSE,),
    ),
    # Five tries under the fault, and the sixth is well. Of a read timeout it is told by an error that it does not
    # take for one of the connection.
    Case(
        entry="google-api-core-default",
        package="google-api-core",
        client=google_api_core_call,
        attempts=measured(6, {1: (READ_TIMEOUT, E408, E409, E502, E504)}),
        has_end=False,
        sampled_under=(E503,),
    ),
    Case(
        entry="gcs-python",
        package="google-cloud-storage",
        client=google_cloud_storage_bucket,
        attempts=measured(6, {1: (E409,)}),
        has_end=False,
        sampled_under=(E503,),
    ),
    Case(
        entry="azure-core",
        package="azure-core",
        client=partial(azure_core_request, method="POST"),
        attempts=measured(4, {1: (REFUSE, CLOSE, READ_TIMEOUT, E408, E409, E429, E502)}),
    ),
    Case(
        entry="azure-core",
        package="azure-core",
        method="PUT",
        client=partial(azure_core_request, method="PUT"),
        attempts=measured(4, {1: (E409,)}),
        sampled_under=(REFUSE, RealFault.ERROR_429_ASKING),
    ),
    Case(
        entry="azure-storage",
        package="azure-storage-blob",
        method="PUT",
        client=azure_blob_upload,
        attempts=measured(4, {1: tuple(fault for fault in CLIENT_ERRORS if fault is not E408)}),
        sampled_under=(REFUSE,),
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
