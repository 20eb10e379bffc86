"""One write inside of the real libraries that repeat whatever fails, each as it is without any setting.

What is repeated is a plain request by a library that repeats nothing, and an answer that is an error raises.
"""

import contextlib
from collections.abc import Callable

__all__ = ["backoff_call", "langchain_call", "stamina_call", "tenacity_call"]

Write = Callable[[], None]


def plain_post(url: str, timeout_s: float) -> Write:
    """One request, which raises where anything goes wrong."""
    import requests

    session = requests.Session()
    session.trust_env = False

    def post() -> None:
        session.post(url, data=b"x", timeout=timeout_s).raise_for_status()

    return post


def tenacity_call(url: str, timeout_s: float) -> Write:
    """Of tenacity: the bare decorator."""
    import tenacity

    call = tenacity.retry(plain_post(url, timeout_s))

    def write() -> None:
        with contextlib.suppress(tenacity.RetryError):
            call()

    return write


def stamina_call(url: str, timeout_s: float) -> Write:
    """Of stamina: the decorator with what it insists on, the exceptions."""
    import requests
    import stamina

    call = stamina.retry(on=requests.RequestException)(plain_post(url, timeout_s))

    def write() -> None:
        with contextlib.suppress(requests.RequestException):
            call()

    return write


def backoff_call(url: str, timeout_s: float) -> Write:
    """Of backoff: the exponential wait with its own jitter."""
    import backoff
    import requests

    call = backoff.on_exception(backoff.expo, requests.RequestException)(plain_post(url, timeout_s))

    def write() -> None:
        with contextlib.suppress(requests.RequestException):
            call()

    return write


def langchain_call(url: str, timeout_s: float) -> Write:
    """Of langchain-core: a runnable with its own retry."""
    import requests
    from langchain_core.runnables import RunnableLambda

    post = plain_post(url, timeout_s)
    runnable = RunnableLambda(lambda _: post()).with_retry()

    def write() -> None:
        with contextlib.suppress(requests.RequestException):
            runnable.invoke(None)

    return write
