"""Laws of waits and latencies, as data: what a wait may be, what it usually is, and how often it takes how long."""

from simkit.distributions.backoff import Backoff
from simkit.distributions.clipped import Clipped
from simkit.distributions.discrete import Atom, Discrete
from simkit.distributions.folded_normal import FoldedNormal
from simkit.distributions.law import Cell, Law
from simkit.distributions.laws import Exponential, Lognormal, Uniform
from simkit.distributions.longer import longer_of
from simkit.distributions.wait import Wait

__all__ = [
    "Atom",
    "Backoff",
    "Cell",
    "Clipped",
    "Discrete",
    "Exponential",
    "FoldedNormal",
    "Law",
    "Lognormal",
    "Uniform",
    "Wait",
    "longer_of",
]
