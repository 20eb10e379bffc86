"""Words that both renderings of a sequence diagram use: instants, gaps, and the legend."""

import re
import textwrap
from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from simkit.plots.sequence_parts import Lifeline, MarkKind
from simkit.plots.sequence_paths import reading_of_paths
from simkit.terms import LayerName

__all__ = ["GAP_S_MIN", "MARK_WORDS", "gap_words", "head_lines", "instant_words", "path_words", "printable"]

GAP_S_MIN: Final = 60.0
"""From here on the axis says how much later the next line is; shorter gaps are read from the instants."""

MARK_WORDS: Final = MappingProxyType(
    {
        MarkKind.EFFECT: "effect, numbered",
        MarkKind.CRASH: "crash or restart",
        MarkKind.PAUSE: "pause",
        MarkKind.START: "stage begun",
        MarkKind.STATE: "state recorded",
        MarkKind.RECEIPT: "receipt recorded",
        MarkKind.REMOVED: "taken away",
        MarkKind.SETTLED: "settled without effect",
        MarkKind.READBACK: "readback",
        MarkKind.TIMEOUT: "stops waiting",
        MarkKind.FAULT: "other fault",
        MarkKind.REPORT: "report",
    }
)


def instant_words(at_s: float) -> str:
    """An instant as hours, minutes, seconds and milliseconds from the start of the run.

    Examples
    --------
    >>> instant_words(10800.42)
    '3:00:00.420'
    """
    milliseconds = round(at_s * 1000)
    seconds, milliseconds = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}.{milliseconds:03d}"


def gap_words(gap_s: float) -> str:
    """How much later something happened, in its two largest units; empty where that is under a minute.

    Examples
    --------
    >>> gap_words(10800.4), gap_words(90.0), gap_words(59.0)
    ('3 h later', '1 min 30 s later', '')
    """
    if gap_s < GAP_S_MIN:
        return ""
    rest = round(gap_s)
    parts = []
    for unit, unit_s in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, rest = divmod(rest, unit_s)
        parts.append((count, unit))
    first = next(index for index, (count, _) in enumerate(parts) if count)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count) + " later"


def head_lines(title: str, letter_count_max: int) -> tuple[str, ...]:
    """A title word by word; only a word of more letters than that is broken, where it has a joint or with a hyphen.

    Examples
    --------
    >>> head_lines("system of record notification", 12), head_lines("mail_to_subscribers", 12)
    (('system of', 'record', 'notification'), ('mail_to_', 'subscribers'))
    """
    words = [piece for word in title.split() for piece in _pieces(word, letter_count_max)]
    return tuple(textwrap.wrap(" ".join(words), max([len("system of"), *map(len, words)])))


def _pieces(word: str, letter_count_max: int) -> list[str]:
    pieces = [""]
    for part in re.split(r"(?<=[-_./])", word):
        if pieces[-1] and len(pieces[-1] + part) > letter_count_max:
            pieces.append("")
        pieces[-1] += part
        while len(pieces[-1]) > letter_count_max:
            cut = letter_count_max - 1
            pieces[-1:] = [f"{pieces[-1][:cut]}-", pieces[-1][cut:]]
    return pieces


def path_words(lifelines: Sequence[Lifeline], paths: Sequence[str] = ()) -> str:
    """How the numbers of an attempt are read, for the layers that occur; empty where nobody sends.

    Examples
    --------
    >>> path_words([Lifeline(name="agent", title="agent"), Lifeline(name="server", title="MCP server")])
    'Attempts are numbered agent / server: 2/1 is the first that the server makes for attempt 2 of the agent.'
    """
    names = [line.name.replace("_sdk", " SDK") for line in lifelines if line.name in {*LayerName, "server"}]
    if not names:
        return ""
    reading = reading_of_paths(paths)
    second = f": 2/1 is the first that the {names[1]} makes for attempt 2 of the {names[0]}" if names[1:] else ""
    return f"Attempts are numbered {' / '.join(names)}{second}.{f' {reading}' if reading else ''}"


def printable(text: str) -> str:
    r"""The text without control characters, which terminals obey and XML forbids.

    Examples
    --------
    >>> printable("op\x1b[31m")
    'op�[31m'
    """
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
