"""Read a review file from disk: all of it is right, or everything that is wrong is said at once.

Nothing in a file is executed, nothing is written, and a file that is too large is refused by its size
before a byte of it is read.
"""

import hashlib
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from simkit.contract.files import SIZE_LIMIT_BYTES, read_content, too_large, unusable
from simkit.contract.parts import part_of
from simkit.contract.reading import read_tree
from simkit.contract.review import Review
from simkit.contract.showing import one_line, shortened
from simkit.contract.wording import problem_of
from simkit.contract.written_out import written_out
from simkit.errors import InputError

__all__ = ["SIZE_LIMIT_BYTES", "load_review", "parse_review", "read_content", "review_digest"]


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
        raise too_large(shown, len(content))
    tree = read_tree(content, shown)
    if not isinstance(tree.value, dict):
        allowed = "fields with their values, the first one being schema_version: 1"
        raise unusable(shown, "this is no review file", shortened(tree.value), allowed)
    whole = written_out(part_of(tree, shown))
    try:
        return Review.model_validate(whole.document, context=whole)
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
