"""The server that fails on purpose, and the clock on which nobody waits, do what the comparison relies on."""

import asyncio
import random
import socket
import threading
import time
from collections.abc import Callable

import pytest
import requests

from tests.agreement import fault_server
from tests.agreement.clock import VirtualClock
from tests.agreement.conduct import Case, real_conducts
from tests.agreement.fault_server import FaultServer
from tests.agreement.faults import RealFault
from tests.agreement.luck import Plain, seeded
from tests.agreement.measured import measured

__all__: list[str] = []

REQUEST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"


def test_a_request_has_arrived_once_it_was_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fault_server, "PATIENCE_S", 0.1)

    with FaultServer(RealFault.CLOSE, lambda: None) as server:
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as cut_short:
            cut_short.sendall(REQUEST + b"ab")
        with socket.create_connection((host, int(port))) as whole:
            whole.sendall(REQUEST + b"ab")
            whole.sendall(b"cd")
            said = whole.recv(1)
        arrived = [server.has_received(count) for count in (1, 2)]

    # FIN, without a byte before it.
    assert said == b""
    assert arrived == [True, False]


@pytest.mark.parametrize("fault", tuple(fault for fault in RealFault if fault.status is not None))
def test_an_answer_has_the_status_of_the_fault_and_asks_for_a_wait_only_where_it_says_so(fault: RealFault) -> None:
    with FaultServer(fault, lambda: None) as server:
        answer = requests.post(server.url, data=b"x", timeout=1)

    assert str(answer.status_code) == fault.word[:3]
    assert answer.headers.get("Retry-After") == ("2" if fault.word.endswith("+RA") else None)


def test_nobody_is_answered_where_the_server_stays_silent() -> None:
    seen: list[str] = []

    with (
        FaultServer(RealFault.READ_TIMEOUT, lambda: seen.append("attempt")) as server,
        pytest.raises(requests.ReadTimeout),
    ):
        requests.post(server.url, data=b"x", timeout=0.05)

    assert seen == ["attempt"]


def test_a_refused_attempt_is_counted_where_it_connects() -> None:
    seen: list[str] = []

    with FaultServer(RealFault.REFUSE, lambda: seen.append("attempt")) as server:
        for _ in range(2):
            with pytest.raises(requests.ConnectionError, match="refused"):
                requests.post(server.url, data=b"x", timeout=1)

    assert seen == ["attempt"] * 2


@pytest.mark.parametrize("fault", (RealFault.REFUSE, RealFault.CLOSE, RealFault.ERROR_500))
def test_a_fault_that_clears_is_over_after_as_many_attempts(fault: RealFault) -> None:
    seen: list[str] = []
    failed_count = 0

    with FaultServer(fault, lambda: seen.append("attempt"), clears_after=2) as server:
        while True:
            try:
                requests.post(server.url, data=b"x", timeout=1).raise_for_status()
            except requests.RequestException:
                failed_count += 1
            else:
                break

    assert failed_count == 2
    assert seen == ["attempt"] * 3


def test_sleeping_takes_no_time_and_moves_every_clock() -> None:
    clock = VirtualClock()

    with clock.in_place_of_time():
        before = time.time(), time.monotonic()
        time.sleep(1000)
        asyncio.run(asyncio.sleep(24))
        after = time.time(), time.monotonic()

    assert (after[0] - before[0], after[1] - before[1]) == (1024, 1024)
    assert (clock.sleep_count, clock.slept_s(0, 2), clock.slept_s(1, 2)) == (2, 1024, 24)


def test_afterwards_time_is_what_it_was() -> None:
    names = ("sleep", "time", "monotonic")
    before = [getattr(time, name) for name in names]

    with VirtualClock().in_place_of_time():
        during = [getattr(time, name) for name in names]

    assert [getattr(time, name) for name in names] == before
    assert not set(during) & set(before)


def test_what_another_thread_sleeps_is_no_sleep_of_the_library() -> None:
    clock = VirtualClock()

    with clock.in_place_of_time():
        thread = threading.Thread(target=lambda: time.sleep(0))
        thread.start()
        thread.join()

    assert clock.sleep_count == 0


def a_client_that_sleeps_twice(url: str, timeout_s: float) -> Callable[[], None]:
    """Sends three times, and before the last time sleeps in two parts."""

    def post() -> None:
        requests.post(url, data=b"x", timeout=timeout_s)

    def write() -> None:
        post()
        post()
        time.sleep(1.5)
        time.sleep(0.25)
        post()

    return write


def test_a_wait_is_what_was_slept_between_two_attempts() -> None:
    case = Case(entry="made-up", package="requests", client=a_client_that_sleeps_twice, attempts=measured(3))

    conducts = real_conducts(case, RealFault.ERROR_500, write_count=2)

    assert [one.attempt_count for one in conducts] == [3, 3]
    assert [one.waits_s for one in conducts] == [(0.0, 1.75), (0.0, 1.75)]


def draws() -> list[float]:
    """What the module draws, and what generators draw that were made without a seed and with one."""
    generators = (random, random.Random(), random.Random(), random.Random(7))
    return [generator.uniform(0, 1) for generator in generators]


def test_the_luck_of_a_library_hangs_on_the_seed_alone_and_that_of_others_is_left_alone() -> None:
    before = random.getstate()

    with seeded("some"):
        some = draws()
    with seeded("some"):
        same = draws()
    with seeded("other"):
        other = draws()

    assert some == same
    # The last one has a seed of its own.
    assert [one == another for one, another in zip(some, other, strict=True)] == [False, False, False, True]
    assert len(set(some)) == 4
    assert random.getstate() == before
    assert random.Random is Plain
