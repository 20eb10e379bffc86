"""Laws of waits and latencies, as data: what a wait may be, what it usually is, and how often it takes how long."""

from simkit.distributions.discrete import Atom, Discrete
from simkit.distributions.law import Cell, Law
from simkit.distributions.laws import Exponential, Lognormal, Uniform
from simkit.distributions.wait import Wait

__all__ = ["Atom", "Cell", "Discrete", "Exponential", "Law", "Lognormal", "Uniform", "Wait"]
