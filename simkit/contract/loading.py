"""Read a review file from disk: all of it is right, or everything that is wrong is said at once.

Nothing in a file is executed, nothing is written, and a file that is too large is refused by its size
before a byte of it is read.
"""

import hashlib
import stat
from pathlib import Path
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from simkit.contract.reading import read_tree
from simkit.contract.review import Review
from simkit.contract.showing import one_line, shortened
from simkit.contract.wording import problem_of
from simkit.errors import InputError, Problem

__all__ = ["SIZE_LIMIT_BYTES", "load_review", "parse_review", "read_content", "review_digest"]

SIZE_LIMIT_BYTES: Final = 1_000_000
"""Largest review file; a real one has about 10,000 bytes."""


def load_review(path: str | Path) -> Review:
    """Read and check a review file.

    Parameters
    ----------
    path
        The YAML file.

    Returns
    -------
    Review
        The declaration; answers may be `unknown`, none is missing.

    Raises
    ------
    InputError
        With every problem that was found, in file order.
    """
    return parse_review(read_content(path), file=str(path))


def parse_review(content: bytes, *, file: str) -> Review:
    """Check the bytes of a review file; `file` names it in messages.

    Raises
    ------
    InputError
        With every problem that was found, in file order.
    """
    shown = one_line(file)
    if len(content) > SIZE_LIMIT_BYTES:
        raise _too_large(shown, len(content))
    tree = read_tree(content, shown)
    if not isinstance(tree.value, dict):
        allowed = "fields with their values, the first one being schema_version: 1"
        raise _unusable(shown, "this is no review file", shortened(tree.value), allowed)
    try:
        return Review.model_validate(tree.value)
    except ValidationError as error:
        found = [detail for detail in error.errors(include_url=False) if not _is_an_echo(detail)]
    problems = {problem_of(detail, tree, shown, Review): None for detail in found}
    raise InputError(tuple(sorted(problems, key=lambda problem: (problem.line, problem.field))))


def review_digest(source: str | Path | bytes) -> str:
    """SHA-256 of a review file, in hex: results name the file they belong to by it.

    Parameters
    ----------
    source
        Path of the file, or its bytes.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    content = source if isinstance(source, bytes) else read_content(source)
    return hashlib.sha256(content).hexdigest()


def _is_an_echo(detail: ErrorDetails) -> bool:
    """Whether a list is called too short only because an entry of it, which has its own problem, was left out."""
    least = (detail.get("ctx") or {}).get("min_length", 0)
    return detail["type"] == "too_short" and len(detail["input"]) >= least


def _unusable(file: str, message: str, value: str = "", allowed: str = "") -> InputError:
    return InputError((Problem(file=file, line=0, field="", value=value, message=message, allowed=allowed),))


def _too_large(file: str, size_bytes: int) -> InputError:
    return _unusable(file, "the file is too large", f"{size_bytes} bytes", f"at most {SIZE_LIMIT_BYTES} bytes")


def read_content(path: str | Path) -> bytes:
    """Bytes of a review file, refused by its size before it is read.

    Raises
    ------
    InputError
        If the file is missing, is none, is too large, or cannot be read.
    """
    file = one_line(str(path))
    try:
        about = Path(path).stat()
        if not stat.S_ISREG(about.st_mode):
            raise _unusable(file, "this is not a file", allowed="the path of a YAML file")
        if about.st_size > SIZE_LIMIT_BYTES:
            raise _too_large(file, about.st_size)
        with Path(path).open("rb") as opened:
            return opened.read(SIZE_LIMIT_BYTES + 1)
    except FileNotFoundError:
        raise _unusable(file, "there is no such file", allowed="the path of a YAML file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the path is not usable"
        raise _unusable(file, f"the file cannot be read: {reason}") from None
