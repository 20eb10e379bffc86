"""One write through the real client libraries of the clouds.

Each function is given where to send and how long to wait for an answer, and returns what sends one write.
"""

import contextlib
from collections.abc import Callable
from typing import Any

__all__ = [
    "azure_blob_upload",
    "azure_core_request",
    "google_api_core_call",
    "google_cloud_storage_bucket",
    "sqs_message",
]

Write = Callable[[], None]

CONNECT_TIMEOUT_S = 1.0


def sqs_message(url: str, timeout_s: float, *, mode: str | None = None) -> Write:
    """Of botocore, with a client for each write: the calls of one client share a bucket of tokens.

    `mode` None is the mode that nobody chose.
    """
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.session import Session

    session = Session()
    retries = None if mode is None else {"mode": mode}
    config = Config(connect_timeout=CONNECT_TIMEOUT_S, read_timeout=timeout_s, retries=retries)

    def write() -> None:
        client = session.create_client(
            "sqs",
            region_name="us-east-1",
            endpoint_url=url,
            aws_access_key_id="nobody",
            aws_secret_access_key="nothing",  # noqa: S106 (no password)
            config=config,
        )
        with contextlib.suppress(BotoCoreError, ClientError):
            client.send_message(QueueUrl=f"{url}/1/queue", MessageBody="x")

    return write


def google_api_core_call(url: str, timeout_s: float) -> Write:
    """Of google-api-core: its retry around a plain request, with the errors that its clients make of answers."""
    import requests
    from google.api_core.exceptions import GoogleAPIError, from_http_response
    from google.api_core.retry import Retry

    session = requests.Session()
    session.trust_env = False

    def post() -> None:
        answer = session.post(url, json={}, timeout=(CONNECT_TIMEOUT_S, timeout_s))
        if not answer.ok:
            raise from_http_response(answer)

    call = Retry()(post)

    def write() -> None:
        with contextlib.suppress(GoogleAPIError, requests.RequestException):
            call()

    return write


def google_cloud_storage_bucket(url: str, timeout_s: float) -> Write:
    """Of google-cloud-storage: a bucket is created."""
    import requests
    from google.api_core.exceptions import GoogleAPIError
    from google.auth.credentials import AnonymousCredentials
    from google.cloud.storage import Client

    client = Client(project="p", credentials=AnonymousCredentials(), client_options={"api_endpoint": url})

    def write() -> None:
        with contextlib.suppress(GoogleAPIError, requests.RequestException):
            client.create_bucket("bucket", timeout=(CONNECT_TIMEOUT_S, timeout_s))

    return write


def azure_core_request(url: str, timeout_s: float, *, method: str) -> Write:
    """Of azure-core: a pipeline with its retry policy as it is made without arguments."""
    from azure.core import PipelineClient
    from azure.core.exceptions import AzureError
    from azure.core.pipeline.policies import RetryPolicy
    from azure.core.rest import HttpRequest

    client: Any = PipelineClient(url, policies=[RetryPolicy()])

    def write() -> None:
        request = HttpRequest(method, f"{url}/x", json={})
        with contextlib.suppress(AzureError):
            client.send_request(request, connection_timeout=CONNECT_TIMEOUT_S, read_timeout=timeout_s)

    return write


def azure_blob_upload(url: str, timeout_s: float) -> Write:
    """Of azure-storage-blob: one block blob is put."""
    from azure.core.exceptions import AzureError
    from azure.storage.blob import BlobClient

    client = BlobClient(
        f"{url}/account", "container", "blob", connection_timeout=CONNECT_TIMEOUT_S, read_timeout=timeout_s
    )

    def write() -> None:
        with contextlib.suppress(AzureError):
            client.upload_blob(b"x", overwrite=True)

    return write
