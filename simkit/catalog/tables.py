"""Tables that one named command makes and that take too long to make again: each a CSV file with its digest.

Beside `NAME.csv` lies `NAME.sha256`, as `sha256sum` writes it: a table that somebody changed by hand, or of which
half was written, is refused.
"""

import hashlib
import os
from pathlib import Path
from typing import Final

from simkit.errors import InputError, Problem

__all__ = ["read_table", "table_path", "write_table"]

_FOLDER: Final = Path(__file__).parent / "tables"
_DIGEST_ENDING: Final = ".sha256"


def table_path(name: str) -> Path:
    """Where the stored table of that name lies."""
    return _FOLDER / f"{name}.csv"


def read_table(path: Path) -> bytes:
    """The content of a table.

    Raises
    ------
    InputError
        If its digest is another one than the one beside it.
    """
    content = path.read_bytes()
    stated = path.with_suffix(_DIGEST_ENDING).read_text(encoding="ascii").partition(" ")[0]
    found = hashlib.sha256(content).hexdigest()
    if found != stated:
        message = "this is not the table that was made: its digest is another one"
        problem = Problem(file=str(path), line=0, field="", value=found[:12], message=message, allowed=stated[:12])
        raise InputError((problem,))
    return content


def write_table(path: Path, content: bytes) -> None:
    """Write a table and its digest, each whole or not at all."""
    digest = hashlib.sha256(content).hexdigest()
    _replace(path, content)
    _replace(path.with_suffix(_DIGEST_ENDING), f"{digest}  {path.name}\n".encode("ascii"))


def _replace(path: Path, content: bytes) -> None:
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_bytes(content)
        os.replace(beside, path)  # noqa: PTH105 (says that it replaces)
    finally:
        beside.unlink(missing_ok=True)
