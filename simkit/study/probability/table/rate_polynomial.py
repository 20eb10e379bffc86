"""A leaf table as a polynomial in the rates: new rates are arithmetic, without any run.

Each row is one monomial: over all sites, p to the number of faults times 1 − p to the number of passings without
one. Rows with equal exponents are merged. The exponents of a few sites at a time take few different
values, so the exponentials are taken of those (a block), and only multiplied for all rows.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from simkit.errors import ScenarioError
from simkit.scenario.ranges import insist_on_probability
from simkit.study.probability.table.leaf_row import failed_column, passed_column
from simkit.study.probability.table.monomials import Floats, Ints, merged
from simkit.study.probability.table.pick_segments import PickSegments
from simkit.study.results import Bounds
from simkit.terms import Promise, PromiseVerdict

__all__ = ["RatePolynomial"]

LOG_OF_ZERO = -1e5
"""Stands for the logarithm of 0: no sum with it is infinite, and its exponential is 0."""

LARGEST_BELOW_ONE = 1 - 2.0**-40


class RatePolynomial:
    """How often one of some promises is broken, as a function of the rates.

    Parameters
    ----------
    table
        As `leaf_table` gives it, also after a way through a file.
    promises
        The promises that count.

    Raises
    ------
    ScenarioError
        If the table has no column for a promise, or no `attrs` any more.

    Attributes
    ----------
    sites
        Sites in the order of the table.
    """

    def __init__(self, table: pd.DataFrame, promises: Iterable[Promise]) -> None:
        if missing := {"rates", "common_cause_share", "is_complete"} - set(table.attrs):
            message = f"the frame has lost what was said about the table: attrs have no {', '.join(sorted(missing))}"
            raise ScenarioError(message)
        self._rates: Mapping[str, float | None] = table.attrs["rates"]
        self._share = float(table.attrs["common_cause_share"])
        self._is_complete = bool(table.attrs["is_complete"])
        self.sites = tuple(self._rates)
        is_hit = np.zeros(len(table), dtype=np.bool_)
        for promise in promises:
            if promise not in table.columns:
                message = f"the table says nothing about '{promise}'"
                raise ScenarioError(message)
            is_hit |= (table[str(promise)] == PromiseVerdict.BROKEN).to_numpy()
        if self._is_complete:
            table = table[is_hit]  # the others only matter for what is missing
            is_hit = is_hit[is_hit]
        self._segments = PickSegments(list(table["path"]), list(table["picks"]))
        keys = np.column_stack([self._segments.of_rows, is_hit])
        self._monomials = merged(_exponents(table, self.sites), keys, table["weight"].to_numpy())
        self._of_segments, self._is_hit = self._monomials.keys[:, 0], self._monomials.keys[:, 1] == 1

    @property
    def monomial_count(self) -> int:
        """Rows that are left after merging."""
        return len(self._is_hit)

    def bounds_at(self, rates: Mapping[str, float] | None = None, *, share: float | None = None) -> Bounds:
        """Both ends of the probability.

        Parameters
        ----------
        rates
            By site, in 0..1; a site that is not named keeps the scenario's.
        share
            β, of a table with episodes; None for the scenario's.

        Raises
        ------
        ScenarioError
            If a rate does not lie in 0..1, is still unknown, or belongs to no site of the table.
        """
        values = self._monomials.values(self._logarithms(self._vector(rates), share))
        hits = values * self._is_hit
        rest = 0.0 if self._is_complete else max(0.0, 1 - self._resolved(values, takes_greatest=False))
        lower = self._resolved(hits, takes_greatest=False)
        return Bounds(lower=lower, upper=min(1.0, self._resolved(hits, takes_greatest=True) + rest))

    def elasticities_at(self, rates: Mapping[str, float] | None = None, *, share: float | None = None) -> Floats:
        """Say by how many per cent P grows where a site's rate p grows by one: d log P / d log p, in order of `sites`.

        P is that of what was run, with the worst picks; no number where it is 0. At a rate of 1 it is that from
        just below.
        """
        vector = np.minimum(self._vector(rates), LARGEST_BELOW_ONE)
        hits = self._monomials.values(self._logarithms(vector, share)) * self._is_hit
        if self._segments.has_picks:
            hits = hits * self._segments.chosen(self._summed(hits))[self._of_segments]
        total = float(hits.sum())
        if total == 0:
            return np.full(len(self.sites), np.nan)
        site_count = len(self.sites)
        sums = self._monomials.exponents_weighted(hits, 2 * site_count + 2)
        failed, held = sums[0 : 2 * site_count : 2], sums[1 : 2 * site_count : 2]
        return np.asarray((failed - held * vector / (1 - vector)) / total)

    def _vector(self, rates: Mapping[str, float] | None) -> Floats:
        given = {} if rates is None else rates
        for site, probability in given.items():
            if site not in self._rates:
                message = f"the table has no site {site!r}; sites: {', '.join(self.sites)}"
                raise ScenarioError(message)
            insist_on_probability(f"{site}: a probability", probability)
        vector = [given.get(site, known) for site, known in self._rates.items()]
        unknown = [site for site, probability in zip(self.sites, vector, strict=True) if probability is None]
        if unknown:
            message = f"no probability while a rate is unknown: {', '.join(unknown)}"
            raise ScenarioError(message)
        return np.array(vector, dtype=np.float64)

    def _logarithms(self, vector: Floats, share: float | None) -> Floats:
        insist_on_probability("share", share)
        onset = self._share if share is None else share
        factors = np.array([*np.column_stack([vector, 1 - vector]).ravel(), onset, 1 - onset])
        logarithms = np.full(len(factors), LOG_OF_ZERO)
        logarithms[factors > 0] = np.log(factors[factors > 0])
        return logarithms

    def _summed(self, values: Floats) -> Floats:
        return np.bincount(self._of_segments, values, minlength=self._segments.count).astype(np.float64)

    def _resolved(self, values: Floats, *, takes_greatest: bool) -> float:
        if not self._segments.has_picks:
            return float(values.sum())
        return self._segments.resolved(self._summed(values), takes_greatest=takes_greatest)


def _exponents(table: pd.DataFrame, sites: tuple[str, ...]) -> Ints:
    """Columns: for each site, faults and passings without one; then onsets of episodes, and other faults with them."""
    columns = []
    for site in sites:
        failed = table[failed_column(site)].to_numpy()
        columns += [failed, table[passed_column(site)].to_numpy() - failed]
    return np.column_stack([*columns, table["onset_count"], table["single_count"]]).astype(np.int64)
