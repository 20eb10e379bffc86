"""The simulated parties. The only home of SimPy."""

from simkit.world.plan import Plan, planned
from simkit.world.run import Run, Witness, run_concrete, run_intervals, solve_witness
from simkit.world.server_crash import ServerCrash, Step, Trajectory, run_with_crash
from simkit.world.trials import ASKING, CellKey, Decision

__all__ = [
    "ASKING",
    "CellKey",
    "Decision",
    "Plan",
    "Run",
    "ServerCrash",
    "Step",
    "Trajectory",
    "Witness",
    "planned",
    "run_concrete",
    "run_intervals",
    "run_with_crash",
    "solve_witness",
]
