"""What every command does at the door: refuse bad input in lines, show progress, print JSON."""

import json
import math
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from simkit.errors import InputError, PageError, Problem, ScenarioError

__all__ = [
    "EXIT_BAD_INPUT",
    "EXIT_INTERRUPTED",
    "Bar",
    "Limit",
    "leave_if_interrupted",
    "print_json",
    "progress",
    "refusing_bad_input",
    "working",
]

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130  # as shells do: 128 and the number of the signal
LONG_ENOUGH_FOR_A_BAR_S = 1.0


def print_json(document: Any) -> None:
    """Print a document as JSON on standard output."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


@contextmanager
def refusing_bad_input() -> Iterator[None]:
    """Say what is wrong with the input in one line each on standard error, and exit with its code."""
    try:
        yield
    except InputError as error:
        for problem in error.problems:
            click.echo(str(problem), err=True)
        sys.exit(EXIT_BAD_INPUT)
    except PageError as error:
        click.echo(str(error), err=True)
        sys.exit(EXIT_BAD_INPUT)
    except ScenarioError as error:
        click.echo(str(error), err=True)
        sys.exit(EXIT_BAD_INPUT)
    except OSError as error:
        problem = Problem(file=str(error.filename), line=0, field="", value="", message=str(error.strerror), allowed="")
        click.echo(str(problem), err=True)
        sys.exit(EXIT_BAD_INPUT)


class Limit:
    """Says when work ends before it is done: when its time is over, or at the first Ctrl-C.

    Attributes
    ----------
    was_interrupted
        Whether it was Ctrl-C.
    """

    def __init__(self, seconds: float, look: Callable[[], object]) -> None:
        # Of a time that is no number, all is over at once.
        self._over_at = time.monotonic() + (0.0 if math.isnan(seconds) else seconds)
        self._look = look
        self.was_interrupted = False

    def __call__(self) -> bool:
        """Whether the work ends here."""
        self._look()
        return self.was_interrupted or time.monotonic() > self._over_at

    def interrupt(self, _number: int, _frame: object) -> None:
        """Take a signal: the work ends at its next look, and another signal ends the program."""
        self.was_interrupted = True
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def working(seconds: float) -> Iterator[tuple[Callable[[str], None], Limit]]:
    """Somebody to tell what is being done, and the limit at which it ends with what was found so far.

    Parameters
    ----------
    seconds
        Of the time that is over after so many.
    """
    with progress() as bar:
        limit = Limit(seconds, bar.update)
        before = signal.signal(signal.SIGINT, limit.interrupt)
        try:
            yield bar.tell, limit
        finally:
            signal.signal(signal.SIGINT, before)


def leave_if_interrupted(limit: Limit) -> None:
    """Say that what was printed is not all, and exit with the code for it."""
    if limit.was_interrupted:
        click.echo("stopped by Ctrl-C: what was found so far is printed, and proves nothing", err=True)
        sys.exit(EXIT_INTERRUPTED)


class Bar:
    """A line on standard error that says what is being done, and for how long."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def tell(self, text: str) -> None:
        """Say what is being done from now on."""
        self._bar.set_description_str(text, refresh=False)
        self._bar.update()

    def update(self) -> None:
        """Show how long it has been going on."""
        self._bar.update()


@contextmanager
def progress() -> Iterator[Bar]:
    """A bar on standard error that appears only when the work takes longer than a second."""
    from tqdm import tqdm

    with tqdm(
        total=None,
        bar_format="{desc} [{elapsed}]",
        file=sys.stderr,
        delay=LONG_ENOUGH_FOR_A_BAR_S,
        mininterval=LONG_ENOUGH_FOR_A_BAR_S,
        leave=False,
    ) as bar:
        yield Bar(bar)
