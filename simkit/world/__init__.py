"""The simulated parties. The only home of SimPy."""

from simkit.world.run import Run, Witness, run_concrete, run_intervals, solve_witness

__all__ = ["Run", "Witness", "run_concrete", "run_intervals", "solve_witness"]
