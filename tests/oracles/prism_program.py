"""The text of a PRISM module in which time passes: steps that follow at once, and countdowns.

A countdown is -1 while it is off. Whatever follows at once comes first; then countdowns that have run out,
of which those that beat others (deadlines, expiries) come first; otherwise time passes until the next one
runs out. Where several steps may be next at one instant, their order is left open: the model is a Markov
decision process, and where its smallest and largest probability are equal, the order made no difference.

With intervals, a countdown may run out earlier: at any tick at which no more than its slack is left of it.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

__all__ = ["OFF", "Branch", "Program", "Updates", "slack_of"]

OFF = -1
NEVER = 2_000_000_000

Updates = Mapping[str, str | int]
Branch = tuple[Fraction, Updates]


class Program:
    """Collects variables and commands; `text` puts them together.

    Parameters
    ----------
    has_intervals
        Whether a countdown has slack, unless it beats others: those are exact.
    """

    def __init__(self, *, has_intervals: bool = False) -> None:
        self.has_intervals = has_intervals
        self._variables: list[str] = []
        self._urgent: list[str] = []
        self._timers: list[str] = []
        self._instant: list[str] = []
        self._commands: list[str] = []

    def variable(self, name: str, most: int) -> None:
        """A whole number from 0, at first 0."""
        self._variables.append(f"{name} : [0..{most}] init 0;")

    def timer(self, name: str, ticks_max: int, *, beats: bool = False) -> None:
        """A countdown, at first off; `beats` says that it comes before others that run out at the same instant."""
        self._variables.append(f"{name} : [{OFF}..{ticks_max}] init {OFF};")
        self._timers.append(name)
        if beats:
            self._urgent.append(name)
        elif self.has_intervals:
            self.variable(slack_of(name), ticks_max)

    def off(self, *timers: str) -> dict[str, str | int]:
        """What sets countdowns off."""
        slacks = {slack_of(name): 0 for name in timers if self._has_slack(name)}
        return {**dict.fromkeys(timers, OFF), **slacks}

    def at_once(self, guard: str, *branches: Branch) -> None:
        """What happens as soon as `guard` holds, before any time passes."""
        self._instant.append(guard)
        self._commands.append(f"[] {guard} -> {_choice(branches)};")

    def open_choice(self, guard: str, *options: Updates) -> None:
        """The same where one of several things happens, and nobody knows how often which."""
        self._instant.append(guard)
        for option in options:
            self.may(guard, option)

    def may(self, guard: str, updates: Updates) -> None:
        """One more thing that may happen where something happens at once."""
        self._commands.append(f"[] {guard} -> {_choice([(Fraction(1), updates)])};")

    def runs_out(self, timer: str, guard: str, updates: Updates) -> None:
        """What happens when a countdown has run out and `guard` holds; it is off afterwards unless set again."""
        order = "" if timer in self._urgent else " & !urgent"
        over = f"{timer}>=0 & {timer}<={slack_of(timer)}" if self._has_slack(timer) else f"{timer}=0"
        choice = _choice([(Fraction(1), {**self.off(timer), **updates})])
        self._commands.append(f"[] !instant{order} & {over} & {guard} -> {choice};")

    def text(self) -> str:
        """The whole program; its label `over` holds when nothing will happen any more."""
        left = ", ".join(f"({name}<0 ? {NEVER} : {name})" for name in self._timers)
        step = 1 if self.has_intervals else "left"
        passes = " & ".join(f"({name}'={name}<0 ? {OFF} : {name}-{step})" for name in self._timers)
        return "\n".join(
            (
                "mdp",
                f"formula instant = {_any(f'({guard})' for guard in self._instant)};",
                f"formula urgent = {_any(f'{name}=0' for name in self._urgent)};",
                f"formula left = min({left});",
                'label "over" = !instant & left=' + f"{NEVER};",
                "module world",
                *(f"  {line}" for line in self._variables),
                *(f"  {line}" for line in self._commands),
                f"  [] !instant & left>0 & left<{NEVER} -> {passes};",
                f"  [] !instant & left={NEVER} -> true;",
                "endmodule",
                "",
            )
        )

    def _has_slack(self, timer: str) -> bool:
        return self.has_intervals and timer not in self._urgent


def slack_of(timer: str) -> str:
    """The variable that says how much of a countdown need not pass."""
    return f"{timer}_slack"


def _any(guards: Iterable[str]) -> str:
    return " | ".join(guards) or "false"


def _choice(branches: Iterable[Branch]) -> str:
    """Probabilities with what they lead to; what cannot happen is left out."""
    return " + ".join(f"{probability} : {_together(updates)}" for probability, updates in branches if probability)


def _together(updates: Updates) -> str:
    return " & ".join(f"({name}'={value})" for name, value in updates.items()) or "true"
