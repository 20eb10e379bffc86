"""The version that every file says of itself, so that a file of another one is refused before it is misread."""

from dataclasses import replace

from simkit.contract.fields import MAPPING_ALLOWED, MAPPING_EXPECTED
from simkit.contract.parts import Part
from simkit.errors import InputError

__all__ = ["insist_on_version"]


def insist_on_version(written: Part, version: int, kind: str) -> None:
    """Refuse a file of another version, or of none, before its fields are looked at.

    Raises
    ------
    InputError
        If the version is another one.
    """
    if written.fields is None:
        raise InputError((written.origin.problem(MAPPING_EXPECTED, value=written.value, allowed=MAPPING_ALLOWED),))
    found = written.fields.get("schema_version")
    given = None if found is None else found.value
    if type(given) is not int or given != version:
        at = replace(written.origin, place=("schema_version",)) if found is None else found.origin
        raise InputError((at.problem(f"this is no {kind} of version {version}", value=given, allowed=str(version)),))
