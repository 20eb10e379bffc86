"""An entry of the catalog, or one of the user's own, by what a file calls it: an ID, or the path of a file.

A path ends in `.yaml` or `.yml`, or has a `/`; it is relative to the file that names it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from simkit.catalog import (
    PolicyEntry,
    SystemEntry,
    nearest_names,
    policy_content,
    policy_names,
    system_content,
    system_names,
)
from simkit.contract.catalog_file import entry_from
from simkit.contract.file_kinds import FileKind, kind_of_file
from simkit.contract.files import read_content
from simkit.contract.parts import Part, part_of
from simkit.contract.reading import read_tree
from simkit.contract.showing import one_line
from simkit.errors import InputError

__all__ = ["is_path", "policy_named", "system_named"]

FILE_ENDINGS: Final = (".yaml", ".yml")
OTHER_FILES: Final = frozenset(FileKind) - {FileKind.REVIEW}
"""What a file is that can be told by its fields; a review is what any other is read as."""

E = TypeVar("E", SystemEntry, PolicyEntry)


def is_path(name: str) -> bool:
    """Whether a name is that of a file, not an ID."""
    return "/" in name or name.endswith(FILE_ENDINGS)


def system_named(like: Part) -> tuple[SystemEntry, Part]:
    """The system of record that a part of a file names, and the parts of the entry's own file.

    Raises
    ------
    InputError
        If there is none, with the nearest IDs; or with all that is wrong with the user's own file.
    """
    if like.value in policy_names() and like.value not in system_names():
        raise _refused(like, "this is a retry policy, and a system of record is expected", system_names())
    return _named(like, SystemEntry, system_names(), system_content, "system of record")


def policy_named(like: Part) -> tuple[PolicyEntry, Part]:
    """The retry policy that a part of a file names, and the parts of the entry's own file.

    Raises
    ------
    InputError
        If there is none, with the nearest IDs; or with all that is wrong with the user's own file.
    """
    if like.value in system_names() and like.value not in policy_names():
        raise _refused(like, "this is a system of record, and a retry policy is expected", policy_names())
    return _named(like, PolicyEntry, policy_names(), policy_content, "retry policy")


def _named(
    like: Part, kind: type[E], names: tuple[str, ...], content_of: Callable[[str], bytes], what: str
) -> tuple[E, Part]:
    name = like.value
    if isinstance(name, str) and is_path(name):
        path = Path(like.origin.file).parent / name
        file, content = one_line(str(path)), _content_at(path, like)
        found = kind_of_file(content, file=file)
        if found in OTHER_FILES and found != what:
            raise InputError((like.origin.problem(f"this is the file of a {found}", value=name, allowed=f"a {what}"),))
    elif isinstance(name, str) and name in names:
        file, content = f"{name}.yaml", content_of(name)
    else:
        raise _refused(like, f"the catalog has no {what} of that ID", names)
    written = part_of(read_tree(content, file), file)
    return entry_from(written, kind), written


def _content_at(path: Path, like: Part) -> bytes:
    """The bytes of a file; where there are none, whoever names it is told."""
    try:
        return read_content(path)
    except InputError as error:
        (problem,) = error.problems
        message = f"{problem.file}: {problem.message}"
        raise InputError((like.origin.problem(message, value=like.value, allowed=problem.allowed),)) from None


def _refused(like: Part, message: str, names: tuple[str, ...]) -> InputError:
    near = nearest_names(str(like.value), names)
    return InputError((like.origin.problem(message, value=like.value, allowed=f"{near}, or the path of a file"),))
