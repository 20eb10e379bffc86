"""The command as somebody calls it, in this process."""

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from simkit.cli import main

__all__ = ["run", "schema"]


def run(*arguments: str | Path) -> Result:
    """What `simkit` with these arguments prints, and the code it exits with."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of that kind, as the command prints it."""
    document: dict[str, Any] = json.loads(run("schema", kind).stdout)
    return document
