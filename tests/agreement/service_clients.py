"""One write through the real client libraries of single services.

Each function is given where to send and how long to wait for an answer, and returns what sends one write.
"""

import contextlib
from collections.abc import Callable
from typing import Any

__all__ = [
    "anthropic_message",
    "github_request",
    "jira_issue",
    "openai_completion",
    "slack_message",
    "stripe_client_customer",
    "stripe_module_customer",
    "twilio_message",
]

Write = Callable[[], None]


def stripe_module_customer(url: str, timeout_s: float) -> Write:
    """Of stripe: by the functions of the module, which read their settings from the module."""
    import stripe

    http_client = stripe.RequestsClient(timeout=timeout_s)

    def write() -> None:
        stripe.default_http_client, stripe.api_base = http_client, url
        try:
            with contextlib.suppress(stripe.StripeError):
                stripe.Customer.create(api_key="sk_test_x", name="x")
        finally:
            stripe.default_http_client, stripe.api_base = None, stripe.DEFAULT_API_BASE

    return write


def stripe_client_customer(url: str, timeout_s: float) -> Write:
    """Of stripe: by a client object."""
    import stripe

    client = stripe.StripeClient(
        "sk_test_x", base_addresses={"api": url}, http_client=stripe.RequestsClient(timeout=timeout_s)
    )

    def write() -> None:
        with contextlib.suppress(stripe.StripeError):
            client.v1.customers.create({"name": "x"})

    return write


def openai_completion(url: str, timeout_s: float) -> Write:
    """Of openai."""
    import openai

    client = openai.OpenAI(api_key="x", base_url=url, timeout=timeout_s)

    def write() -> None:
        with contextlib.suppress(openai.OpenAIError):
            client.chat.completions.create(model="x", messages=[{"role": "user", "content": "x"}])

    return write


def anthropic_message(url: str, timeout_s: float) -> Write:
    """Of anthropic."""
    import anthropic

    client = anthropic.Anthropic(api_key="x", base_url=url, timeout=timeout_s)

    def write() -> None:
        with contextlib.suppress(anthropic.AnthropicError):
            client.messages.create(model="x", max_tokens=1, messages=[{"role": "user", "content": "x"}])

    return write


def slack_message(url: str, timeout_s: float) -> Write:
    """Of slack_sdk; whole seconds are asked for by its types only."""
    from urllib.error import URLError

    from slack_sdk import WebClient
    from slack_sdk.errors import SlackClientError

    settings: Any = {"timeout": timeout_s}
    client = WebClient(token="x", base_url=url, **settings)  # noqa: S106 (no password)

    def write() -> None:
        with contextlib.suppress(SlackClientError, URLError, OSError):
            client.chat_postMessage(channel="c", text="x")

    return write


def github_request(url: str, timeout_s: float, *, method: str) -> Write:
    """Of PyGithub: an issue is created (POST) or edited (PATCH), by the requester that its objects use."""
    import requests
    from github import Auth, Github, GithubException

    client = Github(base_url=url, auth=Auth.Token("x"))
    # By its own argument it takes whole seconds only, which eleven tries would wait for.
    requester: Any = client.requester
    requester._Requester__timeout = timeout_s  # noqa: SLF001 (as above)

    def write() -> None:
        with contextlib.suppress(GithubException, requests.RequestException):
            requester.requestJsonAndCheck(method, "/repos/o/r/issues", input={"title": "x"})

    return write


def jira_issue(url: str, timeout_s: float) -> Write:
    """Of jira; it does not ask the server for its version first."""
    import requests
    from jira import JIRA, JIRAError

    settings: Any = {"timeout": timeout_s}
    fields = {"project": {"key": "X"}, "issuetype": {"name": "Task"}, "summary": "x"}
    client = JIRA(server=url, get_server_info=False, token_auth="x", **settings)  # noqa: S106 (no password)

    def write() -> None:
        with contextlib.suppress(JIRAError, requests.RequestException):
            client.create_issue(fields=fields, prefetch=False)

    return write


def twilio_message(url: str, timeout_s: float) -> Write:
    """Of twilio: by the HTTP client of its client."""
    import requests
    from twilio.http.http_client import TwilioHttpClient

    client = TwilioHttpClient(timeout=timeout_s)

    def write() -> None:
        with contextlib.suppress(requests.RequestException):
            client.request("POST", f"{url}/Messages.json", data={"Body": "x"}, auth=("x", "x"))

    return write
