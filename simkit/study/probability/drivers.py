"""The drivers by name. A driver is added here, and nowhere else."""

from collections.abc import Mapping
from types import MappingProxyType

from simkit.study.probability.best_first import weigh_best_first
from simkit.study.probability.crash_gaps import weigh_crash_gaps
from simkit.study.probability.enumerated import weigh_enumerated
from simkit.study.probability.estimates import Weigh
from simkit.study.probability.latency_cells import weigh_latency_cells
from simkit.study.probability.merged_chain import weigh_merged_chain
from simkit.study.probability.tilted import weigh_tilted
from simkit.terms import Driver

__all__ = ["DRIVERS"]

DRIVERS: Mapping[Driver, Weigh] = MappingProxyType(
    {
        Driver.ENUMERATED: weigh_enumerated,
        Driver.BEST_FIRST: weigh_best_first,
        Driver.MERGED_CHAIN: weigh_merged_chain,
        Driver.CRASH_GAPS: weigh_crash_gaps,
        Driver.LATENCY_CELLS: weigh_latency_cells,
        Driver.TILTED: weigh_tilted,
    }
)
