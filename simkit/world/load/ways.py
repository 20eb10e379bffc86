"""The way from a layer to whatever is below it, and back: delays, and what goes wrong on it."""

from simpy import Environment

from simkit.scenario import Link
from simkit.terms import ErrorClass
from simkit.world.load.messages import Below, Call, Draw, Serving, asker, drawn_fault, silence
from simkit.world.load.service import Service

__all__ = ["VersionedWay", "Way"]


class Way:
    """A link to the party below.

    A request that fails on its way costs the time of both ways, as a refusal does; one that is lost is never
    answered.
    """

    def __init__(self, link: Link, below: Below, env: Environment, draw: Draw) -> None:
        self._env = env
        self._draw = draw
        self._below = below
        self._request_s = asker(link.request, draw)
        self._response_s = asker(link.response, draw)
        self._before = tuple(fault for fault in link.faults if not fault.after_work)
        self._after = tuple(fault for fault in link.faults if fault.after_work)

    def serve(self, call: Call) -> Serving:
        """Carry a call down, and its answer back."""
        env = self._env
        failure = drawn_fault(self._before, self._draw) if self._before else None
        request_s = self._request_s()
        if request_s > 0 and failure is not ErrorClass.TIMEOUT:
            yield env.timeout(request_s)
        if failure is None:
            failure = yield from self._below.serve(call)
            if self._after:
                failure = drawn_fault(self._after, self._draw) or failure
        if failure is ErrorClass.TIMEOUT:
            yield silence(env)
        response_s = self._response_s()
        if response_s > 0:
            yield env.timeout(response_s)
        return failure


class VersionedWay:
    """A link to a versioned row: each attempt reads the version, and then writes with it."""

    def __init__(self, link: Link, service: Service, env: Environment, draw: Draw) -> None:
        self._env = env
        self._service = service
        self._request_s = asker(link.request, draw)
        self._response_s = asker(link.response, draw)

    def serve(self, call: Call) -> Serving:
        """Carry both requests of one attempt there and back."""
        timeout, service = self._env.timeout, self._service
        yield timeout(self._request_s())
        version = service.version
        yield timeout(self._response_s() + self._request_s())
        failure = yield from service.serve(call, version)
        yield timeout(self._response_s())
        return failure
