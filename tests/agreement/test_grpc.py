"""A retry policy of gRPC does what the entry of the catalog says of it: how often it sends.

Its core waits by itself, in real time and out of reach of any clock of Python, so its waits are made short here and
not compared. It has no statuses of HTTP: what the entry calls 503 is UNAVAILABLE.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import grpc
import pytest

from simkit.chance import Sampled
from tests.agreement.agreeing import RecordProperty
from tests.agreement.agreement_table import WRITES, writes_row
from tests.agreement.conduct import behaviour_of, catalog_entry
from tests.agreement.faults import RealFault
from tests.agreement.judging import Comparison
from tests.agreement.simulated import simulated_conduct

__all__: list[str] = []

SERVICE = "tickets.Tickets"


class Failing:
    """Counts calls, and ends each with one status."""

    def __init__(self, status: grpc.StatusCode) -> None:
        self.call_count = 0
        self._status = status

    def handler(self) -> Any:
        """What the server gives the calls to."""
        create = grpc.unary_unary_rpc_method_handler(self._fail)
        return grpc.method_handlers_generic_handler(SERVICE, {"Create": create})

    def _fail(self, request: bytes, context: Any) -> None:
        self.call_count += 1
        context.abort(self._status, "made up")


@contextmanager
def serving(failing: Failing) -> Iterator[str]:
    """A server on the loopback interface; yields where it listens."""
    server = grpc.server(ThreadPoolExecutor(max_workers=1), handlers=(failing.handler(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(grace=None).wait()


def call_once(target: str, *, attempts: int) -> None:
    """Send one call under a retry policy with those attempts, after UNAVAILABLE alone; it fails.

    Backoffs of 1 ms are now and then lost in the core, and the call stays where it is until its deadline; of 20 ms not.
    """
    policy = {
        "maxAttempts": attempts,
        "initialBackoff": "0.02s",
        "maxBackoff": "0.02s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": ["UNAVAILABLE"],
    }
    config = {"methodConfig": [{"name": [{}], "retryPolicy": policy}]}
    options = (("grpc.service_config", json.dumps(config)), ("grpc.enable_http_proxy", 0))
    with grpc.insecure_channel(target, options=options) as channel, pytest.raises(grpc.RpcError):
        channel.unary_unary(f"/{SERVICE}/Create")(b"", timeout=5)


@pytest.mark.parametrize(
    ("fault", "status", "measured_count"),
    (
        (RealFault.ERROR_503, grpc.StatusCode.UNAVAILABLE, 4),
        (RealFault.ERROR_500, grpc.StatusCode.INTERNAL, 1),
        (RealFault.ERROR_409, grpc.StatusCode.ALREADY_EXISTS, 1),
        (RealFault.ERROR_429, grpc.StatusCode.RESOURCE_EXHAUSTED, 1),
    ),
)
def test_the_library_and_its_entry_send_as_often(
    fault: RealFault, status: grpc.StatusCode, measured_count: int, record_property: RecordProperty
) -> None:
    entry, failing = catalog_entry("grpc-retry-policy"), Failing(status)
    policy = behaviour_of(entry)
    assert policy.attempts is not None

    with serving(failing) as target:
        call_once(target, attempts=policy.attempts)
    simulated = simulated_conduct(policy, fault, method="POST", clears_after=None, luck=Sampled(1, 0))

    comparison = Comparison(
        entry=entry,
        method="POST",
        installed_version=version("grpcio"),
        fault=fault,
        measured_count=measured_count,
        real_count=failing.call_count,
        simulated_count=simulated.attempt_count,
        waits=(),
    )
    record_property(WRITES, writes_row(comparison))
    assert not comparison.differences, "\n".join(comparison.differences)


def test_more_than_five_attempts_are_cut_to_five() -> None:
    failing = Failing(grpc.StatusCode.UNAVAILABLE)

    with serving(failing) as target:
        call_once(target, attempts=10)

    # "values greater than 5 are treated as 5" (gRFC A6); the entry says so in words.
    assert failing.call_count == 5
