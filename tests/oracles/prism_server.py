"""The server in a model: the operation record, a worker for each attempt that may reach it, and their crashes.

A worker's steps take no time, unless it asks the system of record (`ASKS`) or waits for it (`WORKS`). A crash
ends every worker of the process at once, and closes the connections of those who wait for them; what they had
sent goes on.
"""

from simkit.scenario import TO_DOWNSTREAM, TO_SERVER, Readback, Scenario
from simkit.terms import ClaimKind, LayerName, OnExpired, OnUncertainReadback, StalePolicy
from tests.oracles.prism_callers import CLOSED, COMPLETED, EXPIRED, OPEN, WAITS, Caller
from tests.oracles.prism_faults import CERTAIN, Faults
from tests.oracles.prism_program import OFF, Branch, Updates

__all__ = ["ANSWERED", "ON_ITS_WAY", "WORKS", "ServerModel"]

GONE, ARRIVED, MEETS, ASKS, TOLD, LOOKS, RESERVES, SENDS, WORKS, HEARD, REPLAYS, SPEAKS = range(12)
"""What a worker is about to do. `TOLD`: its question is answered, or not; `LOOKS`: it is, by what is seen then."""

NO_ROW, RESERVED, SETTLED, PAST = range(4)

ON_ITS_WAY, ANSWERED = 1, 3
"""Of a request to the system of record; the other numbers are that system's own."""


class ServerModel:
    """Writes the record and the workers of one scenario down.

    Parameters
    ----------
    paths
        For each worker, the caller that waits for it, and which of that caller's attempts it serves.
    """

    def __init__(self, faults: Faults, scenario: Scenario, paths: tuple[tuple[Caller, int], ...]) -> None:
        self._faults = faults
        self._program = faults.program
        self._measures = faults.measures
        self._server = scenario.server
        self._paths = paths
        self._to_server = scenario.hop(TO_SERVER)
        self._to_downstream = scenario.hop(TO_DOWNSTREAM)
        sdk = scenario.layer(LayerName.DOWNSTREAM_SDK)
        self._timeout_s = 0.0 if sdk is None else sdk.timeout_s or 0.0
        self._is_kept = scenario.server.claim is not ClaimKind.NONE
        self._forgets = self._is_kept and not self._measures.outlasts(scenario.server.retention.retention_s)

    def add_record(self) -> None:
        """The operation record with its countdowns."""
        program, server, measures = self._program, self._server, self._measures
        program.variable("row", PAST)
        program.variable("version", len(self._paths))
        program.timer("lease", measures.ticks(server.lease_s or 0.0), beats=True)
        program.runs_out("lease", "true", {})
        program.timer("kept", measures.ticks(server.retention.retention_s) if self._forgets else 0, beats=True)
        past = NO_ROW if server.retention.after is OnExpired.RUN_AS_NEW else PAST
        program.runs_out("kept", "true", {"row": past, "lease": OFF})

    def add_worker(self, index: int, caller: Caller, number: int) -> None:
        """The worker of one attempt."""
        program, name = self._program, f"w{index}"
        program.variable(name, SPEAKS)
        program.variable(f"{name}_word", EXPIRED)
        program.timer(f"q{index}", self._measures.ticks(self._to_server.latest_landing_s))
        program.runs_out(f"q{index}", "true", {name: ARRIVED})
        if self._is_kept:
            self._window(name, ARRIVED, "before_reservation", {name: MEETS})
            self._meet(name)
            self._reserve(name)
            self._window(name, HEARD, "after_effect", {**self._settling(), name: REPLAYS})
            self._window(name, REPLAYS, "after_receipt", _saying(name, COMPLETED))
        else:
            self._window(name, ARRIVED, "before_effect", {name: SENDS})
            self._window(name, HEARD, "after_effect", _saying(name, COMPLETED))
        self._send(name, index)
        is_wanted = f"{caller.name}_mode={WAITS} & {caller.name}_number={number}"
        gone = {name: GONE, f"{name}_word": 0}
        guard = f"{name}={SPEAKS} & {is_wanted}"
        self._faults.answer(guard, self._to_server, caller.name, f"{name}_word", in_any_case=gone)
        program.at_once(f"{name}={SPEAKS} & !({is_wanted})", (CERTAIN, gone))

    def _meet(self, name: str) -> None:
        """What a call meets: nothing, a reservation at work or stale, a result, or an ID past its retention."""
        program, server, at = self._program, self._server, f"{name}={MEETS}"
        stale = "false" if server.lease_s is None else f"lease={OFF}"
        expired = OPEN if server.retention.after is OnExpired.HOLD else EXPIRED
        program.at_once(f"{at} & row={NO_ROW}", (CERTAIN, {name: RESERVES}))
        program.at_once(f"{at} & row={SETTLED}", (CERTAIN, {name: REPLAYS}))
        program.at_once(f"{at} & row={PAST}", (CERTAIN, _saying(name, expired)))
        program.at_once(f"{at} & row={RESERVED} & !({stale})", (CERTAIN, _saying(name, OPEN)))
        is_stale = f"{at} & row={RESERVED} & {stale}"
        if server.stale is StalePolicy.READ_BACK and server.readback is not None:
            self._ask(name, is_stale, server.readback)
        else:
            goes_on = {name: RESERVES} if server.stale is StalePolicy.RUN_AGAIN else _saying(name, OPEN)
            program.at_once(is_stale, (CERTAIN, goes_on))

    def _ask(self, name: str, is_stale: str, readback: Readback) -> None:
        """Ask until something can be told; an effect may stay unseen while `hidden` runs."""
        program, site = self._program, "readback.cannot_tell"
        program.variable(f"{name}_asked", readback.attempts)
        program.variable(f"{name}_saw", len(self._paths))
        program.timer(f"{name}_asks", self._measures.ticks(readback.latency.s_max))
        asking = {name: ASKS, **self._faults.waits(f"{name}_asks", readback.latency)}
        program.at_once(is_stale, (CERTAIN, {**asking, f"{name}_asked": 1, f"{name}_saw": "version"}))
        program.runs_out(f"{name}_asks", "true", {name: TOLD})
        tells: tuple[Branch, ...] = ((CERTAIN, {name: LOOKS}),)
        again = {**asking, f"{name}_asked": f"min({name}_asked+1, {readback.attempts})"}
        self._faults.meets(f"{name}={TOLD} & {name}_asked<{readback.attempts}", site, again, tells)
        holds = readback.on_uncertain is OnUncertainReadback.HOLD
        in_the_end = {**_saying(name, OPEN), **self._asked_out(name)} if holds else {name: RESERVES}
        self._faults.meets(f"{name}={TOLD} & {name}_asked={readback.attempts}", site, in_the_end, tells)
        found = {**self._settling(), **self._asked_out(name), name: REPLAYS}
        program.at_once(f"{name}={LOOKS} & effects=0", (CERTAIN, {name: RESERVES}))
        program.at_once(f"{name}={LOOKS} & effects>0 & hidden={OFF}", (CERTAIN, found))
        program.open_choice(f"{name}={LOOKS} & effects>0 & hidden!={OFF}", found, {name: RESERVES})

    def _reserve(self, name: str) -> None:
        """Reserve, or take over what was met, unless somebody was faster while it was asked about."""
        lease_s, asks = self._server.lease_s, self._server.stale is StalePolicy.READ_BACK
        faster = f"{name}_asked>0 & !(row={RESERVED} & version={name}_saw)" if asks else "false"
        if asks:
            late = {**_saying(name, OPEN), **self._asked_out(name)}
            self._program.at_once(f"{name}={RESERVES} & {faster}", (CERTAIN, late))
        reserved: dict[str, str | int] = {"row": RESERVED, **self._keeping(), **self._asked_out(name)}
        if asks:
            reserved["version"] = f"min(version+1, {len(self._paths)})"
        if lease_s:
            reserved["lease"] = self._measures.ticks(lease_s)
        guard = f"{RESERVES} & !({faster})"
        self._window(name, guard, "after_reservation", {name: SENDS}, durable=reserved)

    def _send(self, name: str, index: int) -> None:
        """Send downstream once, and wait."""
        program, timeout, request = self._program, self._measures.ticks(self._timeout_s), f"d{index}"
        program.timer(f"{name}_sdk", timeout, beats=True)
        self._faults.message(
            f"{name}={SENDS}",
            self._to_downstream,
            "request",
            f"{request}_timer",
            landing={request: ON_ITS_WAY},
            in_any_case={name: WORKS, f"{name}_sdk": timeout},
        )
        program.runs_out(f"{name}_sdk", "true", {**_saying(name, OPEN), **self._unanswered(request)})
        heard = {request: 0, name: HEARD, f"{name}_sdk": OFF}
        program.runs_out(f"{request}_timer", f"{request}={ANSWERED}", heard)

    def _window(self, name: str, at: str | int, window: str, goes_on: Updates, durable: Updates | None = None) -> None:
        """A step after which the process may die; what is durable by then stays."""
        durable = durable or {}
        goes_on, dies = {**durable, **goes_on}, {**durable, **self._crash()}
        self._faults.meets(f"{name}={at}", f"server.{window}", dies, ((CERTAIN, goes_on),))

    def _crash(self) -> Updates:
        """All workers go, and whoever waits for one of them hears that the connection is closed."""
        closing: dict[str, str | int] = {}
        for index in range(1, len(self._paths) + 1):
            name = f"w{index}"
            closing |= {name: GONE, f"{name}_word": 0, f"{name}_sdk": OFF, **self._asked_out(name)}
            closing |= self._unanswered(f"d{index}")
            if self._server.stale is StalePolicy.READ_BACK and self._is_kept:
                closing |= self._program.off(f"{name}_asks")
        for caller in dict.fromkeys(caller.name for caller, _ in self._paths):
            served = [
                f"{caller}_number={number} & w{index}>0"
                for index, (waiting, number) in enumerate(self._paths, start=1)
                if waiting.name == caller
            ]
            is_open = f"{caller}_mode={WAITS} & ({' | '.join(served)})"
            hears = {**self._faults.waits(f"{caller}_answer", self._to_server.response), f"{caller}_heard": CLOSED}
            closing |= {field: f"({is_open} ? {value} : {field})" for field, value in hears.items()}
        return closing

    def _unanswered(self, request: str) -> Updates:
        """An answer that nobody waits for any more is forgotten on its way."""
        gone = {request: 0, **self._program.off(f"{request}_timer")}
        return {field: f"({request}={ANSWERED} ? {value} : {field})" for field, value in gone.items()}

    def _settling(self) -> Updates:
        return {"row": SETTLED, "lease": OFF, **self._keeping()}

    def _keeping(self) -> Updates:
        """The retention counts from the first row."""
        if not self._forgets:
            return {}
        return {"kept": f"(kept={OFF} ? {self._measures.ticks(self._server.retention.retention_s)} : kept)"}

    def _asked_out(self, name: str) -> Updates:
        if self._server.stale is not StalePolicy.READ_BACK or not self._is_kept:
            return {}
        return {f"{name}_asked": 0, f"{name}_saw": 0}


def _saying(name: str, word: int) -> Updates:
    return {name: SPEAKS, f"{name}_word": word}
