"""The comparison with Storm can fail: a world in which one decision is wrong gets other fractions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from simpy.events import Event

from simkit.contract import named_scenario
from simkit.distributions import Wait
from simkit.terms import Claim, ReadbackAnswer
from simkit.world.mcp_server import McpServer
from simkit.world.objects import Objects
from simkit.world.record_store import RecordStore
from simkit.world.timeline import ConcreteTimeline
from tests.oracles.agreement import solved_twice

__all__: list[str] = []

Mutation = Callable[[pytest.MonkeyPatch], None]


def run_stale_again(patch: pytest.MonkeyPatch) -> None:
    """A stale reservation is run again, where the scenario holds it."""
    decided = McpServer._decided  # noqa: SLF001 (the mutant calls what it replaces)

    def mutant(server: McpServer, met: Claim, *others: Any) -> Any:
        return None if met is Claim.STALE else decided(server, met, *others)

    patch.setattr(McpServer, "_decided", mutant)


def write_no_receipt(patch: pytest.MonkeyPatch) -> None:
    """A receipt is taken for written, and is not."""
    patch.setattr(RecordStore, "add_receipt", lambda *_: True)


def see_nothing(patch: pytest.MonkeyPatch) -> None:
    """A readback sees no effect, however old it is."""
    patch.setattr(Objects, "look_up", lambda *_: ReadbackAnswer.NOT_SEEN)


def never_call_it_stale(patch: pytest.MonkeyPatch) -> None:
    """A reservation counts as at work for ever, although its lease is over."""
    patch.setattr(RecordStore, "_is_stale", lambda *_: False)


def land_late_messages_soon(patch: pytest.MonkeyPatch) -> None:
    """A late message is as fast as any other."""

    def mutant(timeline: ConcreteTimeline, usual: Wait, _latest_s: float, label: str, **others: Any) -> Event:
        return timeline.wait(usual, label, **others)

    patch.setattr(ConcreteTimeline, "late", mutant)


@pytest.mark.parametrize(
    ("mutate", "name", "event"),
    (
        (run_stale_again, "reservation-without-write-unprotected", "no effect"),
        (write_no_receipt, "response-dropped-protected", "not acknowledged"),
        (see_nothing, "crash-before-receipt-protected", "more than one effect"),
        (never_call_it_stale, "crash-before-receipt-protected", "not acknowledged"),
        (land_late_messages_soon, "response-dropped-unprotected", "more than one effect"),
    ),
)
def test_a_world_with_one_wrong_decision_gets_another_fraction_than_storm(
    mutate: Mutation, name: str, event: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = named_scenario(name)
    mutate(monkeypatch)

    mutant = solved_twice(scenario, tmp_path)

    # `test_storm_agreement` shows that the sound world gets the same fraction.
    assert mutant.ours[event] != mutant.theirs[event]
