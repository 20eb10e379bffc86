"""What every command does at the door: refuse bad input in lines, show progress, print JSON."""

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from simkit.errors import InputError, PageError, Problem, ScenarioError

__all__ = ["EXIT_BAD_INPUT", "print_json", "progress", "refusing_bad_input", "time_limit"]

EXIT_BAD_INPUT = 2
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


def time_limit(seconds: float) -> Callable[[], bool]:
    """Whether so many seconds from now are over; of a time that is no number, all is over at once."""
    over_at = time.monotonic() + (0.0 if math.isnan(seconds) else seconds)
    return lambda: time.monotonic() > over_at


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """A bar on standard error that appears only when the work takes longer than a second."""
    from tqdm import tqdm

    with tqdm(
        total=None, bar_format="{desc} [{elapsed}]", file=sys.stderr, delay=LONG_ENOUGH_FOR_A_BAR_S, leave=False
    ) as bar:

        def tell(text: str) -> None:
            bar.set_description_str(text, refresh=False)
            bar.update()

        yield tell
