"""The simulated parties. The only home of SimPy."""

from simkit.world.attempt_runs import AttemptRun, Standing, run_attempt
from simkit.world.compared_latencies import compared_latencies
from simkit.world.durable_state import InFlight
from simkit.world.latency_cells import START, Cut, Cuts, run_in_cells
from simkit.world.plan import Plan, planned
from simkit.world.run import Run, Witness, run_concrete, run_intervals, solve_witness
from simkit.world.server_crash import ServerCrash, Step, Trajectory, run_with_crash
from simkit.world.trials import ASKING, CellKey, Decision

__all__ = [
    "ASKING",
    "START",
    "AttemptRun",
    "CellKey",
    "Cut",
    "Cuts",
    "Decision",
    "InFlight",
    "Plan",
    "Run",
    "ServerCrash",
    "Standing",
    "Step",
    "Trajectory",
    "Witness",
    "compared_latencies",
    "planned",
    "run_attempt",
    "run_concrete",
    "run_in_cells",
    "run_intervals",
    "run_with_crash",
    "solve_witness",
]
