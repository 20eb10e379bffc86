"""What the table of systems says, in numbers and in sentences: which systems can be made safe, by what, and until when.

==================  ===========================================================================================
a system is         where
==================  ===========================================================================================
`safe`              some write path deserves `allow` with every layer repeating as it does
`safe if sdk once`  none does, but one would if the SDK below the tool sent once only
`not safe`          neither; nobody may repeat by itself there
==================  ===========================================================================================
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from simkit.study.stacks.stack import WritePath
from simkit.terms import Verdict

__all__ = ["CanBeMade", "SystemsFindings", "by_system", "systems_findings", "window_in_words"]

_UNITS: Final = ((86_400.0, "d"), (3_600.0, "h"), (60.0, "min"))


class CanBeMade(StrEnum):
    """What can be made of a system of record by a write path."""

    SAFE = "safe"
    SAFE_IF_SDK_ONCE = "safe if the SDK sends once"
    NOT_SAFE = "not safe"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemsFindings:
    """Counts of systems of record.

    Parameters
    ----------
    safe_by_path
        Systems that deserve `allow` behind each write path.
    guess_count
        Systems with a row whose verdict is another one if a guess is turned.
    """

    system_count: int
    safe_count: int
    safe_if_sdk_once_count: int
    not_safe_count: int
    safe_by_path: tuple[tuple[WritePath, int], ...]
    guess_count: int

    def sentences(self) -> tuple[str, ...]:
        """The numbers as people would quote them."""
        safe = dict(self.safe_by_path)
        return (
            (
                f"{self.safe_count} of {self.system_count} systems can be made safe while every layer repeats, "
                "up to 2 faults."
            ),
            f"With no key sent, {safe[WritePath.NO_KEY]} are safe: those whose arguments name the object.",
            (
                f"With the operation ID passed on as the key, {safe[WritePath.KEY_PASSED_ON]} are; "
                f"with a record first as well, {safe[WritePath.RECORDED_FIRST]}."
            ),
            (
                f"{self.safe_if_sdk_once_count} are safe only if the SDK sends once: "
                "no record sees what repeats beneath it."
            ),
            f"{self.not_safe_count} cannot be made safe even so.",
            f"For {self.guess_count} systems the verdict of some row depends on a guess.",
        )


def by_system(frame: Any) -> Any:
    """One row for each system of record, the best that can be made of it.

    Returns
    -------
    pandas.DataFrame
        Indexed by `system`. Columns: `name`, `category`, `can_be_made` (a `CanBeMade`), `by` (what protects it),
        `write_path` that does it with least, `window` in words, `window_s`, `beyond_window` (the verdict of a repeat
        that comes later), `depends_on_guess` (yes or no, for any of its rows), `grade`.
    """
    import pandas as pd

    rows = [_best(rows) for _, rows in frame.groupby("system", sort=False)]
    return pd.DataFrame(rows).set_index("system")


def systems_findings(frame: Any) -> SystemsFindings:
    """Count what a table says."""
    made = by_system(frame)["can_be_made"]
    allowed = frame[frame["verdict"] == str(Verdict.ALLOW)]
    return SystemsFindings(
        system_count=len(made),
        safe_count=int((made == str(CanBeMade.SAFE)).sum()),
        safe_if_sdk_once_count=int((made == str(CanBeMade.SAFE_IF_SDK_ONCE)).sum()),
        not_safe_count=int((made == str(CanBeMade.NOT_SAFE)).sum()),
        safe_by_path=tuple((path, int((allowed["write_path"] == str(path)).sum())) for path in WritePath),
        guess_count=int(frame[frame["depends_on"] != ""]["system"].nunique()),
    )


def window_in_words(window_s: float) -> str:
    """How long a protection is guaranteed.

    Examples
    --------
    >>> window_in_words(86400.0), window_in_words(300.0), window_in_words(float("inf")), window_in_words(0.0)
    ('1 d', '5 min', 'as long as what was made', 'not guaranteed')
    """
    if math.isinf(window_s):
        return "as long as what was made"
    if window_s == 0:
        return "not guaranteed"
    length_s, unit = next(((length_s, unit) for length_s, unit in _UNITS if window_s % length_s == 0), (1.0, "s"))
    return f"{window_s / length_s:g} {unit}"


def _best(rows: Any) -> dict[str, Any]:
    """The row of a system that is safe with least: paths come in that order."""
    safe = rows[rows["verdict"] == str(Verdict.ALLOW)]
    once = rows[rows["sdk_once"] == str(Verdict.ALLOW)]
    kind = CanBeMade.SAFE if len(safe) else CanBeMade.SAFE_IF_SDK_ONCE if len(once) else CanBeMade.NOT_SAFE
    best = (safe if len(safe) else once if len(once) else rows).iloc[0]
    is_safe = kind is CanBeMade.SAFE
    by = best["protected_by"] if is_safe else _by_once(best["write_path"]) if len(once) else "nothing"
    return {
        "system": best["system"],
        "name": best["name"],
        "category": best["category"],
        "can_be_made": str(kind),
        "by": by,
        "write_path": "" if kind is CanBeMade.NOT_SAFE else best["write_path"],
        "window": window_in_words(float(best["window_s"])) if is_safe else "",
        "window_s": float(best["window_s"]),
        "beyond_window": best["beyond_window"] if is_safe else "",
        "depends_on_guess": "yes" if (rows["depends_on"] != "").any() else "no",
        "grade": best["grade"],
    }


def _by_once(path: str) -> str:
    """What protects where the SDK sends once: the record, or what the system of record tells a repeat by."""
    return "the server's record" if path == str(WritePath.RECORDED_FIRST) else "the system of record"
