"""One write through the real HTTP libraries, as they are without any setting.

Each function is given where to send and how long to wait for an answer, and returns what sends one write.
"""

import contextlib
from collections.abc import Callable

__all__ = ["aiohttp_request", "httpx_request", "requests_request", "urllib3_request"]

Write = Callable[[], None]


def urllib3_request(url: str, timeout_s: float, *, method: str) -> Write:
    """Of urllib3, by a pool manager."""
    import urllib3

    pool = urllib3.PoolManager(timeout=timeout_s)

    def write() -> None:
        with contextlib.suppress(urllib3.exceptions.HTTPError):
            pool.request(method, url, body=b"x")

    return write


def requests_request(url: str, timeout_s: float) -> Write:
    """Of requests."""
    import requests

    def write() -> None:
        with contextlib.suppress(requests.RequestException):
            requests.post(url, data=b"x", timeout=timeout_s)

    return write


def httpx_request(url: str, timeout_s: float) -> Write:
    """Of httpx."""
    import httpx

    client = httpx.Client(timeout=timeout_s)

    def write() -> None:
        with contextlib.suppress(httpx.HTTPError):
            client.post(url, content=b"x")

    return write


def aiohttp_request(url: str, timeout_s: float, *, method: str) -> Write:
    """Of aiohttp, in an event loop of its own."""
    import asyncio

    import aiohttp

    async def send() -> None:
        timeout = aiohttp.ClientTimeout(sock_connect=1.0, sock_read=timeout_s)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            with contextlib.suppress(aiohttp.ClientError, asyncio.TimeoutError):
                async with session.request(method, url, data=b"x") as answer:
                    await answer.read()

    def write() -> None:
        asyncio.run(send())

    return write
