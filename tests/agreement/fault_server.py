"""A server on the loopback interface that reads every request whole, and then does one wrong thing."""

import contextlib
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

import pytest

from tests.agreement.faults import RealFault

__all__ = ["FaultServer"]

HOST: Final = "127.0.0.1"
CHUNK_BYTE_COUNT: Final = 65_536

PATIENCE_S: Final = 5.0
"""How long a request that was sent may take to be read on a busy machine; usually it takes no time."""


class FaultServer:
    """Listens on a port of its own, and does with each request what its fault says.

    An attempt is noted at the caller's own socket, when it connects: there nobody can be late, however busy the
    machine is, and under the fault *refuse* there is nobody else. (A listener that resets what it has accepted would
    be another fault: to the library, its request may have been read.) That a request arrived is noted once it was
    read to its end.

    Parameters
    ----------
    fault
        What becomes of each attempt. Where it is *refuse*, nobody listens on the port, and nobody else can take it.
    note
        Called for each attempt, by the caller's own thread.
    clears_after
        Attempts after which everything is well, and answered with 200; None where it never is.
    """

    def __init__(self, fault: RealFault, note: Callable[[], object], *, clears_after: int | None = None) -> None:
        self._fault = fault
        self._note = note
        self._clears_after = clears_after
        self._attempt_count = 0
        self._received_count = 0
        self._received = threading.Condition()
        self._patch = pytest.MonkeyPatch()
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.bind((HOST, 0))
        self._address: tuple[str, int] = self._listener.getsockname()

    @property
    def url(self) -> str:
        """Where a library is to send its requests."""
        return f"http://{HOST}:{self._address[1]}"

    def __enter__(self) -> Self:
        """Begin to listen, if it listens at all, and to watch who connects."""
        if self._fault is not RealFault.REFUSE:
            self._listen()
        self._watch_connecting()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close everything and wait for the threads: nothing is left for the next test."""
        self._patch.undo()
        for one in (self._listener, *self._open):
            # What is not connected any more cannot be shut down, only closed.
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self._threads:
            thread.join()

    def has_received(self, count: int) -> bool:
        """Whether so many requests arrive, all in all, and not one less however long one waits."""
        with self._received:
            return self._received.wait_for(lambda: self._received_count == count, timeout=PATIENCE_S)

    def begin_again(self) -> None:
        """Let the fault happen again: the next write is another one."""
        assert self._fault is not RealFault.REFUSE or self._clears_after is None, "a port once open is not closed again"
        self._attempt_count = self._received_count = 0

    def _watch_connecting(self) -> None:
        connect = socket.socket.connect

        def noted_connect(caller: socket.socket, address: object) -> None:
            if isinstance(address, tuple) and address[:2] == self._address:
                self._note()
                self._attempt_count += 1
                if self._fault is RealFault.REFUSE and self._is_well:
                    self._listen()
            connect(caller, address)  # type: ignore[arg-type]

        self._patch.setattr(socket.socket, "connect", noted_connect)

    @property
    def _is_well(self) -> bool:
        return self._clears_after is not None and self._attempt_count > self._clears_after

    def _listen(self) -> None:
        self._listener.listen(16)
        self._start(self._accept)

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            self._start(lambda connection=connection: self._serve(connection))  # type: ignore[misc]

    def _serve(self, connection: socket.socket) -> None:
        # A caller that gives up, and the end of the test, close a connection in the middle of something.
        with contextlib.suppress(OSError), connection:
            if _is_read_to_the_end(connection):
                with self._received:
                    self._received_count += 1
                    self._received.notify_all()
                self._respond(connection)

    def _respond(self, connection: socket.socket) -> None:
        fault = self._fault
        if self._is_well:
            connection.sendall(_answer(200, None))
        elif fault.status is not None:
            connection.sendall(_answer(fault.status, fault.retry_after_s))
        elif fault is RealFault.READ_TIMEOUT:
            connection.recv(1)


def _is_read_to_the_end(connection: socket.socket) -> bool:
    """Read one request; False where the caller leaves before its end."""
    read = b""
    while b"\r\n\r\n" not in read:
        chunk = connection.recv(CHUNK_BYTE_COUNT)
        if not chunk:
            return False
        read += chunk
    head, _, body = read.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:])
    length = int(fields.get(b"content-length", b"0"))
    while len(body) < length:
        chunk = connection.recv(CHUNK_BYTE_COUNT)
        if not chunk:
            return False
        body += chunk
    return True


def _answer(status: int, retry_after_s: int | None) -> bytes:
    asked = "" if retry_after_s is None else f"Retry-After: {retry_after_s}\r\n"
    head = f"HTTP/1.1 {status} Made up\r\nContent-Type: application/json\r\nContent-Length: 2\r\n{asked}"
    return f"{head}Connection: close\r\n\r\n{{}}".encode()
