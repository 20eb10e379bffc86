"""The bytes of a file that somebody names, refused by its size before a byte of it is read."""

import stat
from pathlib import Path
from typing import Final

from simkit.contract.showing import one_line
from simkit.errors import InputError, Problem

__all__ = ["SIZE_LIMIT_BYTES", "read_content", "too_large", "unusable"]

SIZE_LIMIT_BYTES: Final = 1_000_000
"""Largest file; a real review has about 10,000 bytes."""


def unusable(file: str, message: str, value: str = "", allowed: str = "") -> InputError:
    """What is raised about a file as a whole."""
    return InputError((Problem(file=file, line=0, field="", value=value, message=message, allowed=allowed),))


def too_large(file: str, size_bytes: int) -> InputError:
    """What is raised about a file that is larger than any that people write."""
    return unusable(file, "the file is too large", f"{size_bytes} bytes", f"at most {SIZE_LIMIT_BYTES} bytes")


def read_content(path: str | Path) -> bytes:
    """Bytes of a file, refused by its size before it is read.

    Raises
    ------
    InputError
        If the file is missing, is none, is too large, or cannot be read.
    """
    file = one_line(str(path))
    try:
        about = Path(path).stat()
        if not stat.S_ISREG(about.st_mode):
            raise unusable(file, "this is not a file", allowed="the path of a YAML file")
        if about.st_size > SIZE_LIMIT_BYTES:
            raise too_large(file, about.st_size)
        with Path(path).open("rb") as opened:
            return opened.read(SIZE_LIMIT_BYTES + 1)
    except FileNotFoundError:
        raise unusable(file, "there is no such file", allowed="the path of a YAML file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the path is not usable"
        raise unusable(file, f"the file cannot be read: {reason}") from None
