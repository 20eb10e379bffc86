"""Where a world asks whether something goes wrong, and writes down when it does."""

from simkit.chance import Chance, Episode
from simkit.journal import Journal
from simkit.records import Fault
from simkit.scenario import Conditions
from simkit.world.timeline import Instant, Timeline

__all__ = ["Faults"]


class Faults:
    """Asks chance at the sites that take part; a site that is not listed never fails and is not asked.

    Parameters
    ----------
    has_episodes
        Whether a share of each rate is the onset of an episode, which hits every site of the same
        party until it is over.
    """

    def __init__(
        self, conditions: Conditions, chance: Chance, timeline: Timeline, journal: Journal, *, has_episodes: bool
    ) -> None:
        self._rates = {rate.site: rate.probability for rate in conditions.rates}
        self._share = conditions.common_cause_share if has_episodes else 0.0
        self._episode_s = conditions.episode_s
        self._chance = chance
        self._timeline = timeline
        self._journal = journal
        self._episodes: dict[str, Instant] = {}

    def happens(self, site: str, path: str) -> bool:
        """Whether the attempt `path` meets a fault at `site`."""
        if site not in self._rates:
            return False
        if self._share:
            return self._happens_or_lasts(site, path)
        full_site = f"{site}@{path}"
        return self._chance.flip(full_site, self._rates[site]) and self._noted(full_site, happened=True)

    def is_struck(self, party: str) -> bool:
        """Whether an episode of a party lasts, which would hit every one of its sites."""
        since = self._episodes.get(party)
        return since is not None and not self._timeline.passed(since, self._episode_s, f"{party}.episode")

    def is_late(self, site: str, path: str) -> bool:
        """Whether a message is late; an episode loses messages, it never delays them."""
        if site not in self._rates:
            return False
        full_site = f"{site}@{path}"
        return self._noted(full_site, happened=self._chance.is_late(full_site, self._rates[site]))

    def _happens_or_lasts(self, site: str, path: str) -> bool:
        party = site.partition(".")[0]
        full_site = f"{site}@{path}"
        since = self._episodes.get(party)
        if since is not None:
            if not self._timeline.passed(since, self._episode_s, f"{party}.episode"):
                return self._noted(full_site, happened=True)
            del self._episodes[party]
        probability = self._rates[site]
        if probability is None:
            message = f"{site}: its rate is unknown, so it has no share in an episode"
            raise ValueError(message)
        answer = self._chance.episode(full_site, probability, self._share)
        if answer is Episode.ONSET:
            self._episodes[party] = self._timeline.mark()
        return self._noted(full_site, happened=answer is not Episode.NOTHING)

    def _noted(self, full_site: str, *, happened: bool) -> bool:
        if happened:
            self._journal.append(Fault(at_s=self._timeline.now_s, site=full_site))
        return happened
