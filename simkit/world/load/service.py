"""The service at the end of every stack: a door, a queue, servers, effects, and an answer.

==========  ====================================================================================================
step        what may happen
==========  ====================================================================================================
door        an outage, a fault before the work, or a full queue ends the request; it takes no server
queue       waits for a server, first come first served; while an outage holds requests back, nothing is begun
work        as long as the law says, longer where much is in flight
effect      one, unless the key is remembered; of a versioned row, unless the version is another one by now
answer      lost, closed or an error although the effect is made
==========  ====================================================================================================

A repeat is recognised when it would make the effect, so of two that are at work at once only one makes it.
"""

from collections import deque
from math import inf

from simpy import Environment
from simpy.events import Event

from simkit.scenario import LoadService, Outage
from simkit.terms import ErrorClass
from simkit.world.load.ledger import Ledger
from simkit.world.load.messages import Acting, Call, Draw, Serving, asker, drawn_fault, silence

__all__ = ["Service"]


class Service:
    """One service, whatever the number of its servers.

    Attributes
    ----------
    version
        Of the one row: how many writes succeeded.
    """

    def __init__(self, described: LoadService, env: Environment, draw: Draw, ledger: Ledger) -> None:
        self._env = env
        self._draw = draw
        self._ledger = ledger
        self._described = described
        self._work_s = asker(described.work, draw)
        self._at_door = tuple(fault for fault in described.faults if not fault.after_work)
        self._at_answer = tuple(fault for fault in described.faults if fault.after_work)
        self._server_count = inf if described.server_count is None else described.server_count
        self._waiting: deque[Event] = deque()
        self._working_count = 0
        self._in_flight_count = 0
        self._effect_made_at_s: dict[str, float] = {}
        self._outage: Outage | None = None
        self.version = 0
        for outage in described.outages:
            env.process(self._act_out(outage))

    def serve(self, call: Call, version: int | None = None) -> Serving:
        """Take a request, and answer it; `version` is what it read of a versioned row."""
        ledger, env = self._ledger, self._env
        request = ledger.arrive(call.operation, env.now)
        failure = self._failure_at_door()
        if failure is not None:
            ledger.left_at_s[request] = env.now
            if failure is ErrorClass.TIMEOUT:
                yield silence(env)
            return failure
        replaced = self._outage.failure if self._outage is not None else None
        self._in_flight_count += 1
        if self._is_holding or self._working_count >= self._server_count:
            turn = env.event()
            self._waiting.append(turn)
            yield turn
        else:
            self._working_count += 1
        ledger.begun_at_s[request] = env.now
        work_s = self._work_s() + self._described.work_per_request_s * self._in_flight_count
        if work_s > 0:
            yield env.timeout(work_s)
        failure = self._make_effect(call, request, version)
        self._in_flight_count -= 1
        self._working_count -= 1
        self._take_turns()
        ledger.left_at_s[request] = env.now
        if self._at_answer:
            failure = drawn_fault(self._at_answer, self._draw) or failure
        failure = replaced or failure
        if failure is ErrorClass.TIMEOUT:
            yield silence(env)
        return failure

    @property
    def _is_holding(self) -> bool:
        return self._outage is not None and self._outage.failure is None

    def _failure_at_door(self) -> ErrorClass | None:
        outage = self._outage
        if outage is not None and outage.failure is not None and not outage.after_work:
            return outage.failure
        failure = drawn_fault(self._at_door, self._draw) if self._at_door else None
        if failure is not None:
            return failure
        places = self._described.queue_count_max
        must_wait = self._is_holding or self._working_count >= self._server_count
        return self._described.on_full if places is not None and must_wait and len(self._waiting) >= places else None

    def _make_effect(self, call: Call, request: int, version: int | None) -> ErrorClass | None:
        if version is not None and version != self.version:
            return ErrorClass.CONFLICT
        self.version += 1
        retention_s, key, now_s = self._described.key_retention_s, call.key, self._env.now
        if retention_s is not None and key is not None:
            made_at_s = self._effect_made_at_s.get(key)
            if made_at_s is not None and now_s < made_at_s + retention_s:
                return None
            self._effect_made_at_s[key] = now_s
        self._ledger.make_effect(request, call.operation)
        return None

    def _take_turns(self) -> None:
        while self._waiting and not self._is_holding and self._working_count < self._server_count:
            self._working_count += 1
            self._waiting.popleft().succeed()

    def _act_out(self, outage: Outage) -> Acting:
        yield self._env.timeout(outage.from_s)
        self._outage = outage
        yield self._env.timeout(outage.duration_s)
        self._outage = None
        self._take_turns()
