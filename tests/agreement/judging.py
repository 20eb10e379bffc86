"""Whether a real library and the policy of an entry do the same: how often they send, and how long they wait."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import stats

from simkit.catalog.entries import PolicyEntry
from simkit.distributions import Wait
from tests.agreement.conduct import Conduct, behaviour_of, law_before
from tests.agreement.faults import RealFault

__all__ = ["COMPARISON_COUNT_MAX", "Compared", "Comparison", "bounds_in_words", "compared_with"]

COMPARISON_COUNT_MAX: Final = 250
"""More samples of waits than this are never compared with a law."""

FALSE_ALARM_PROBABILITY: Final = 1e-6
"""That any of them is taken for another law, though it is the same; shared out evenly (Bonferroni)."""

ROUNDING_S: Final = 1e-12
"""Two floats that are the same formula, written in another order, differ by less."""

CLOCK_STEP_S: Final = 1e-6
"""The simulator's clock counts whole microseconds, so each instant that it gives is up to half of one off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The waits before one retry against the law of an entry.

    Parameters
    ----------
    waits_s
        What was waited, one for each write.
    probability
        Of a Kolmogorov-Smirnov distance at least as large under the law; 1 where the law is a constant.
    """

    retry_number: int
    law: Wait
    waits_s: tuple[float, ...]
    probability: float
    tolerance_s: float

    @property
    def outside_s(self) -> tuple[float, ...]:
        """What lies outside of the law's bounds."""
        least_s, most_s = self.law.s_min - self.tolerance_s, self.law.s_max + self.tolerance_s
        return tuple(wait_s for wait_s in self.waits_s if not least_s <= wait_s <= most_s)

    @property
    def has_other_shape(self) -> bool:
        """Whether waits of this law would hardly ever look like that."""
        return self.probability < FALSE_ALARM_PROBABILITY / COMPARISON_COUNT_MAX


def compared_with(
    entry: PolicyEntry, fault: RealFault, conducts: Sequence[Conduct], *, tolerance_s: float = ROUNDING_S
) -> list[Compared]:
    """Compare, retry by retry, what somebody waited in many writes with what the entry's formula says."""
    policy = behaviour_of(entry)
    retry_count = max((len(conduct.waits_s) for conduct in conducts), default=0)
    compared = []
    for number in range(1, retry_count + 1):
        waits_s = tuple(conduct.waits_s[number - 1] for conduct in conducts if len(conduct.waits_s) >= number)
        law = law_before(policy, number, fault)
        compared.append(
            Compared(
                retry_number=number,
                law=law,
                waits_s=waits_s,
                probability=_probability_of_distance(law, waits_s),
                tolerance_s=tolerance_s,
            )
        )
    return compared


def _probability_of_distance(law: Wait, waits_s: Sequence[float]) -> float:
    """Of the Kolmogorov-Smirnov distance between a sample and a law, which is continuous or a constant.

    A single wait has no shape.
    """
    if law.s_min == law.s_max or len(waits_s) == 1:
        return 1.0
    cells = law.cells(())
    assert len(cells) == 1, f"the distance is known for laws without atoms, not for {law}"
    distribution = np.vectorize(cells[0].law.cdf_probability)
    return float(stats.ks_1samp(waits_s, distribution).pvalue)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One fault, with what the real library does, what the policy of its entry does, and what was measured once.

    Parameters
    ----------
    installed_version
        Of the library that was run.
    measured_count
        Attempts that the version of the entry made.
    waits
        What the library waited, against the entry.
    simulated_waits
        The same of the simulated policy.
    """

    entry: PolicyEntry
    method: str
    installed_version: str
    fault: RealFault
    measured_count: int
    real_count: int
    simulated_count: int
    waits: tuple[Compared, ...]
    simulated_waits: tuple[Compared, ...] = ()

    @property
    def differences(self) -> tuple[str, ...]:
        """Each difference as a line that names the policy, the versions, the fault, and what differs."""
        return tuple(f"{self._subject}: {difference}" for difference in self._differences())

    @property
    def _subject(self) -> str:
        entry = self.entry
        versions = f"{entry.package} {entry.version} in the entry, {self.installed_version} installed"
        return f"{entry.id} ({versions}), {self.method} under '{self.fault.word}'"

    def _differences(self) -> Iterable[str]:
        if not self.real_count == self.simulated_count == self.measured_count:
            yield (
                f"the library sends {self.real_count} times, the policy of the entry {self.simulated_count} times; "
                f"measured for the entry: {self.measured_count}"
            )
        for who, waits in (("the library", self.waits), ("the simulated policy", self.simulated_waits)):
            for one in waits:
                yield from _wait_differences(who, one)


def _wait_differences(who: str, compared: Compared) -> Iterable[str]:
    where = f"before retry {compared.retry_number}"
    if compared.outside_s:
        yield f"{where} {who} waits {compared.outside_s[0]:.6g} s, the entry says {bounds_in_words(compared.law)}"
    elif compared.has_other_shape:
        waits_s = compared.waits_s
        yield (
            f"{where} {who} waits from {min(waits_s):.6g} to {max(waits_s):.6g} s, "
            f"on average {np.mean(waits_s):.6g} s, in {len(waits_s)} writes; "
            f"that is no sample of {bounds_in_words(compared.law)} by its law "
            f"(Kolmogorov-Smirnov, p = {compared.probability:.2g})"
        )


def bounds_in_words(wait: Wait) -> str:
    """The bounds of a wait, or the one duration that it always takes.

    Examples
    --------
    >>> bounds_in_words(Wait.of(1.6)), bounds_in_words(Wait(s_min=0, s_typical=1, s_max=2))
    ('1.6 s', '0 to 2 s')
    """
    return f"{wait.s_min:.6g} s" if wait.s_min == wait.s_max else f"{wait.s_min:.6g} to {wait.s_max:.6g} s"
