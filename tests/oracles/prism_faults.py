"""What may go wrong in a model: at each site its rate; with episodes, a share of it is the onset of one of its party.

A party is what stands before the dot of a site. While its episode lasts, every site of it that takes part fails
for certain; an episode loses messages, it never delays them.
"""

from collections.abc import Iterable
from fractions import Fraction

from simkit.distributions import Wait
from simkit.scenario import Hop
from tests.oracles.prism_measures import Measures
from tests.oracles.prism_program import OFF, Branch, Program, Updates, slack_of

__all__ = ["CERTAIN", "Faults"]

CERTAIN = Fraction(1)


class Faults:
    """Writes questions of chance into a program.

    Parameters
    ----------
    share
        Of each rate, the part that is the onset of an episode; 0 where there are none.
    """

    def __init__(self, program: Program, measures: Measures, *, share: Fraction) -> None:
        self.program = program
        self.measures = measures
        self._share = share
        self._episodes: set[str] = set()

    def meets(self, guard: str, site: str, fails: Updates, goes_on: Iterable[Branch]) -> None:
        """At once, the site fails, or one of several things follows, whose probabilities add up to 1."""
        rate, goes_on = self.measures.rate(site), tuple(goes_on)
        sound = [((1 - rate) * probability, updates) for probability, updates in goes_on]
        if not rate or not self._share:
            self.program.at_once(guard, (rate, fails), *sound)
            return
        episode = self._episode_of(site)
        onset = {**fails, episode: self.measures.episode_ticks}
        self.program.at_once(f"{guard} & {episode}!={OFF}", (CERTAIN, fails))
        alone = rate * (1 - self._share), fails
        self.program.at_once(f"{guard} & {episode}={OFF}", alone, (rate * self._share, onset), *sound)

    def message(self, guard: str, hop: Hop, way: str, timer: str, *, landing: Updates, in_any_case: Updates) -> None:
        """One message, lost, late, or on its usual way.

        Parameters
        ----------
        way
            `request` or `response`.
        timer
            The countdown until it lands.
        landing
            What else is set where it is not lost.
        """
        usual = hop.request if way == "request" else hop.response
        late = self.measures.rate(f"{hop.name}.{way}_late")
        lands = {**in_any_case, **landing}
        arrivals = (
            (late, {**lands, **self.lands_late(timer, usual, hop.latest_landing_s)}),
            (1 - late, {**lands, **self.waits(timer, usual)}),
        )
        self.meets(guard, f"{hop.name}.{way}_lost", in_any_case, arrivals)

    def waits(self, timer: str, usual: Wait) -> dict[str, str | int]:
        """What starts a countdown: its typical duration on a clock, otherwise any within its interval."""
        if not self.program.has_intervals:
            return {timer: self.measures.ticks(usual.s_typical)}
        return self._between(timer, usual.s_min, usual.s_max)

    def lands_late(self, timer: str, usual: Wait, latest_s: float) -> dict[str, str | int]:
        """The same for what takes longer than usual: as long as it can on a clock."""
        if not self.program.has_intervals:
            return {timer: self.measures.ticks(latest_s)}
        return self._between(timer, usual.s_max, latest_s)

    def _between(self, timer: str, shortest_s: float, longest_s: float) -> dict[str, str | int]:
        shortest, longest = self.measures.ticks(shortest_s), self.measures.ticks(longest_s)
        return {timer: longest, slack_of(timer): longest - shortest}

    def answer(self, guard: str, hop: Hop, caller: str, word: str, *, in_any_case: Updates) -> None:
        """An answer on its way to a caller that waits."""
        landing = {f"{caller}_heard": word}
        self.message(guard, hop, "response", f"{caller}_answer", landing=landing, in_any_case=in_any_case)

    def _episode_of(self, site: str) -> str:
        """The countdown of an episode, written down once."""
        episode = f"{site.partition('.')[0]}_episode"
        if episode not in self._episodes:
            self._episodes.add(episode)
            self.program.timer(episode, self.measures.episode_ticks, beats=True)
            self.program.runs_out(episode, "true", {})
        return episode
