"""A scenario as a PRISM program, written down from its fields and from what the documents say of them.

It knows nothing of how simkit runs a scenario. Each attempt that may reach the server has a worker there
and a request below it, and each of these has its own countdowns:

=============  ==========================================================================
variable       meaning
=============  ==========================================================================
`said`         what the agent told the user: 0 nothing yet, 1 OK, 2 UNKNOWN, 3 FAILED
`effects`      how many effects there are; 2 for more
`row`          the operation record: 0 none, 1 reserved, 2 completed, 3 past its retention
`lease`        countdown of the reservation, which is stale when that is off
`key`          the system of record: 0 does not know the key, 1 remembers it, 2 may have forgotten it
`hidden`       countdown until the first effect is seen for certain
`q1` ...       countdown until a call lands at the server
`w1` ...       its worker (`prism_server`)
`d1` ...       its request: 0 none, 1 on its way, 2 at work, 3 answered, 4 answering
=============  ==========================================================================
"""

from fractions import Fraction

from simkit.scenario import TO_DOWNSTREAM, Scenario
from simkit.terms import RetentionKind
from tests.oracles.prism_callers import add_callers
from tests.oracles.prism_faults import CERTAIN, Faults
from tests.oracles.prism_measures import Measures
from tests.oracles.prism_program import Program
from tests.oracles.prism_server import ANSWERED, ON_ITS_WAY, WORKS, ServerModel

__all__ = ["prism_of", "written_down"]

AT_WORK, ANSWERS = 2, 4
FORGOTTEN, KNOWN, MAY_BE_FORGOTTEN = range(3)


def prism_of(scenario: Scenario, *, has_episodes: bool = False) -> str:
    """The program; its variables `effects` and `said` and its label `over` are what properties speak of.

    Parameters
    ----------
    has_episodes
        Whether the share of each rate that the conditions name is the onset of an episode.

    Raises
    ------
    ValueError
        If the model has no rule for a field of the scenario.
    """
    share = Fraction(str(scenario.conditions.common_cause_share)) if has_episodes else Fraction(0)
    return written_down(Faults(Program(), Measures(scenario), share=share), scenario)


def written_down(faults: Faults, scenario: Scenario) -> str:
    """The program, once it is decided how faults and durations stand in it."""
    callers = add_callers(faults, scenario)
    paths = tuple((caller, number) for caller in callers for number in caller.arrivals)
    server = ServerModel(faults, scenario, paths)
    server.add_record()
    _add_effects(faults.program, scenario, faults.measures)
    for index, (caller, number) in enumerate(paths, start=1):
        server.add_worker(index, caller, number)
        _add_request(faults, scenario, index)
    return faults.program.text()


def _add_effects(program: Program, scenario: Scenario, measures: Measures) -> None:
    """What the system of record keeps."""
    program.variable("effects", 2)
    program.variable("key", MAY_BE_FORGOTTEN)
    program.timer("key_kept", _key_ticks(measures), beats=True)
    retention = measures.downstream.key_retention
    is_exact = retention is None or retention.kind is RetentionKind.EXACT
    program.runs_out("key_kept", "true", {"key": FORGOTTEN if is_exact else MAY_BE_FORGOTTEN})
    program.timer("hidden", _lag_ticks(scenario, measures), beats=True)
    program.runs_out("hidden", "true", {})


def _add_request(faults: Faults, scenario: Scenario, index: int) -> None:
    """A request lands, is worked on, and makes its effect unless its key is known in that very step."""
    program, measures = faults.program, faults.measures
    name, hop = f"d{index}", scenario.hop(TO_DOWNSTREAM)
    work = measures.downstream.work
    program.variable(name, ANSWERS)
    program.timer(f"{name}_timer", measures.ticks(max(hop.latest_landing_s, work.s_max)))
    at_work = {name: AT_WORK, **faults.waits(f"{name}_timer", work)}
    program.runs_out(f"{name}_timer", f"{name}={ON_ITS_WAY}", at_work)
    lag, kept = _lag_ticks(scenario, measures), _key_ticks(measures)
    made: dict[str, str | int] = {name: ANSWERS, "effects": "min(effects+1, 2)"}
    if lag:
        made["hidden"] = f"(effects=0 ? {lag} : hidden)"
    if measures.has_key:
        made["key"] = KNOWN
        # Where it may be forgotten both follow, and nobody knows how often which.
        program.runs_out(f"{name}_timer", f"{name}={AT_WORK} & key!={FORGOTTEN}", {name: ANSWERS})
    if kept:
        made["key_kept"] = kept
    program.runs_out(f"{name}_timer", f"{name}={AT_WORK} & key!={KNOWN}", made)
    faults.message(
        f"{name}={ANSWERS} & w{index}={WORKS}",
        hop,
        "response",
        f"{name}_timer",
        landing={name: ANSWERED},
        in_any_case={name: 0},
    )
    program.at_once(f"{name}={ANSWERS} & w{index}!={WORKS}", (CERTAIN, {name: 0}))


def _key_ticks(measures: Measures) -> int:
    """How long a key is remembered; 0 where nobody sees its end."""
    retention = measures.downstream.key_retention
    if not measures.has_key or retention is None or measures.outlasts(retention.retention_s):
        return 0
    return measures.ticks(retention.retention_s)


def _lag_ticks(scenario: Scenario, measures: Measures) -> int:
    readback = scenario.server.readback
    return 0 if readback is None else measures.ticks(readback.lag_s_max)
