"""The agent and the gateway in a model: they send, wait, try again, and say something upwards.

Each caller has a number of its attempt, a mode, what it heard last, and three countdowns: its deadline,
the answer on its way, and its backoff. The agent is the caller `a`; the gateway is one caller for each
attempt of the agent, `g1`, `g2` and so on, since an attempt that the agent has given up goes on there.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from simkit.scenario import TO_GATEWAY, TO_SERVER, Hop, RetryLayer, Scenario
from simkit.terms import LayerName, OnExhausted
from tests.oracles.plain_layers import attempts_of, backoff_of
from tests.oracles.prism_faults import CERTAIN, Faults
from tests.oracles.prism_program import Updates

__all__ = ["CLOSED", "COMPLETED", "EXPIRED", "OPEN", "WAITS", "Caller", "add_callers"]

IDLE, SENDS, WAITS, BACKS_OFF, ENDED, ANSWERS = range(6)

NOTHING, COMPLETED, OPEN, CLOSED, EXPIRED = range(5)
"""What a caller hears. `OPEN` stands for every answer that leaves the outcome open, pending too; `CLOSED` for a
failure of the way, deadlines too, which alone a gateway repeats."""

SAID_NOTHING, SAID_OK, SAID_UNKNOWN, SAID_FAILED = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """One caller, with the countdowns that its attempts start below it, by attempt number.

    Parameters
    ----------
    name
        Prefix of its variables.
    arrivals
        The countdown until each of its attempts lands.
    """

    name: str
    layer: RetryLayer
    below: Hop
    arrivals: Mapping[int, str]


def add_callers(faults: Faults, scenario: Scenario) -> tuple[Caller, ...]:
    """Write down agent and gateway; return the callers of the server, in the order of the agent's attempts."""
    program, measures = faults.program, faults.measures
    agent, gateway = scenario.layers[0], scenario.layer(LayerName.GATEWAY)
    to_server = scenario.hop(TO_SERVER)
    program.variable("said", SAID_FAILED)
    if gateway is None:
        arrivals = {number: f"q{number}" for number in range(1, attempts_of(agent) + 1)}
        caller = Caller(name="a", layer=agent, below=to_server, arrivals=arrivals)
        _add_agent(faults, caller)
        return (caller,)
    to_gateway = scenario.hop(TO_GATEWAY)
    arrivals = {number: f"g{number}_arrives" for number in range(1, attempts_of(agent) + 1)}
    top = Caller(name="a", layer=agent, below=to_gateway, arrivals=arrivals)
    _add_agent(faults, top)
    callers = []
    for number, arrival in arrivals.items():
        first = (number - 1) * attempts_of(gateway)
        below = {inner: f"q{first + inner}" for inner in range(1, attempts_of(gateway) + 1)}
        caller = Caller(name=f"g{number}", layer=gateway, below=to_server, arrivals=below)
        program.timer(arrival, measures.ticks(to_gateway.latest_landing_s))
        program.runs_out(arrival, "true", {f"g{number}_mode": SENDS, f"g{number}_number": 1})
        _add_gateway(faults, caller, top, number)
        callers.append(caller)
    return tuple(callers)


def _add_agent(faults: Faults, caller: Caller) -> None:
    program = faults.program
    exhausted = SAID_FAILED if caller.layer.on_exhausted is OnExhausted.SAY_FAILED else SAID_UNKNOWN
    _add_attempts(faults, caller)
    program.at_once("a_mode=0", (CERTAIN, {"a_mode": SENDS, "a_number": 1}))
    last, name = attempts_of(caller.layer), caller.name
    again = _backing_off(faults, caller)
    is_open = f"({name}_heard={OPEN} | {name}_heard={CLOSED})"
    for timer, heard in ((f"{name}_deadline", "true"), (f"{name}_answer", is_open)):
        program.runs_out(timer, f"{heard} & {name}_number<{last}", again)
        program.runs_out(timer, f"{heard} & {name}_number={last}", {**_still(faults, caller, ENDED), "said": exhausted})
    program.runs_out(f"{name}_answer", f"{name}_heard={COMPLETED}", {**_still(faults, caller, ENDED), "said": SAID_OK})
    program.runs_out(f"{name}_answer", f"{name}_heard={EXPIRED}", {**_still(faults, caller, ENDED), "said": exhausted})


def _add_gateway(faults: Faults, caller: Caller, above: Caller, number: int) -> None:
    """One attempt of the agent at the gateway; where the way fails to the last, it says that it does not know."""
    program, name, last = faults.program, caller.name, attempts_of(caller.layer)
    _add_attempts(faults, caller)
    for timer, heard in ((f"{name}_deadline", "true"), (f"{name}_answer", f"{name}_heard={CLOSED}")):
        program.runs_out(timer, f"{heard} & {name}_number<{last}", _backing_off(faults, caller))
        gives_up = {**_still(faults, caller, ANSWERS), f"{name}_heard": OPEN}
        program.runs_out(timer, f"{heard} & {name}_number={last}", gives_up)
    passes_up = {**_still(faults, caller, ANSWERS), f"{name}_heard": f"{name}_heard"}
    program.runs_out(f"{name}_answer", f"{name}_heard!={CLOSED}", passes_up)
    is_wanted = f"a_mode={WAITS} & a_number={number}"
    ended = {f"{name}_mode": ENDED, f"{name}_heard": NOTHING}
    guard = f"{name}_mode={ANSWERS} & {is_wanted}"
    faults.answer(guard, above.below, "a", f"{name}_heard", in_any_case=ended)
    program.at_once(f"{name}_mode={ANSWERS} & !({is_wanted})", (CERTAIN, ended))


def _add_attempts(faults: Faults, caller: Caller) -> None:
    """Variables of a caller, and how it sends."""
    program, measures = faults.program, faults.measures
    name, layer, hop = caller.name, caller.layer, caller.below
    timeout = measures.ticks(layer.timeout_s or 0.0)
    program.variable(f"{name}_number", attempts_of(layer))
    program.variable(f"{name}_mode", ANSWERS)
    program.variable(f"{name}_heard", EXPIRED)
    program.timer(f"{name}_deadline", timeout, beats=True)
    program.timer(f"{name}_answer", measures.ticks(hop.latest_landing_s))
    program.timer(f"{name}_backoff", measures.ticks(backoff_of(layer).s_max))
    waiting = {f"{name}_mode": WAITS, f"{name}_deadline": timeout}
    for number, arrival in caller.arrivals.items():
        guard = f"{name}_mode={SENDS} & {name}_number={number}"
        faults.message(guard, hop, "request", arrival, landing={}, in_any_case=waiting)
    again: Updates = {f"{name}_mode": SENDS, f"{name}_number": f"min({name}_number+1, {attempts_of(layer)})"}
    program.runs_out(f"{name}_backoff", "true", again)


def _still(faults: Faults, caller: Caller, mode: int) -> Updates:
    """A caller that waits for nothing any more."""
    name = caller.name
    off = faults.program.off(f"{name}_deadline", f"{name}_answer")
    return {f"{name}_mode": mode, **off, f"{name}_heard": NOTHING}


def _backing_off(faults: Faults, caller: Caller) -> Updates:
    return {**_still(faults, caller, BACKS_OFF), **faults.waits(f"{caller.name}_backoff", backoff_of(caller.layer))}
