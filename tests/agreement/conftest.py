"""Real libraries see nothing of the machine on which they are tested: no proxies, no credentials, no settings."""

import os
from pathlib import Path

import pytest

__all__: list[str] = []

PREFIXES = ("ANTHROPIC_", "AWS_", "AZURE_", "GITHUB_", "GOOGLE_", "JIRA_", "LANGCHAIN_", "LANGSMITH_", "OPENAI_")

NAMES = frozenset({"NETRC", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "STORAGE_EMULATOR_HOST"})


@pytest.fixture(autouse=True)
def _nothing_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Take away what libraries look for, and keep those of one cloud from asking its metadata service."""
    for name in os.environ:
        if name.startswith(PREFIXES) or name.lower().endswith("_proxy") or name in NAMES:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_DATA_PATH"):
        monkeypatch.setenv(name, str(tmp_path / "nothing"))
