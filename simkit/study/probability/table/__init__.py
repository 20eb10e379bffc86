"""The leaves of a scenario as a table, and what follows from it at any rates without a run.

It stands apart because it needs pandas, which takes longer to load than many a study.
"""

from simkit.study.probability.table.following import curve, elasticities
from simkit.study.probability.table.leaf_table import leaf_table
from simkit.study.probability.table.rate_polynomial import RatePolynomial

__all__ = ["RatePolynomial", "curve", "elasticities", "leaf_table"]
