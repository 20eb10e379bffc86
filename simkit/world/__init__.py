"""The simulated parties. The only home of SimPy."""

from simkit.world.plan import Plan, planned
from simkit.world.run import Run, Witness, run_concrete, run_intervals, solve_witness
from simkit.world.trials import Decision

__all__ = ["Decision", "Plan", "Run", "Witness", "planned", "run_concrete", "run_intervals", "solve_witness"]
