"""Many operations at once, through stacks of layers, down to a service that makes effects.

`run_load(scenario, seed=..., replication_index=...)` runs a `simkit.scenario.LoadScenario` once. It gives columns for
operations (attempts of each layer, requests, effects, outcome told, times) and for requests (arrival, begin, end,
effect), from which `simkit.study.load` counts whatever is asked for.
"""

from simkit.world.load.clients import starts_at_s
from simkit.world.load.run import REQUEST_COUNT_MAX, LoadRun, Operations, Requests, run_load

__all__ = ["REQUEST_COUNT_MAX", "LoadRun", "Operations", "Requests", "run_load", "starts_at_s"]
