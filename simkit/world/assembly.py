"""One run: puts the two sides together, and lets everything begin that the scenario plans.

Each party is handed what it talks to, and knows nobody else: `server_side` builds from the server down,
`way_down` the layers above it, `callers` those who call.
"""

from collections.abc import Callable
from functools import partial

from simkit.journal import Journal
from simkit.records import End
from simkit.scenario import Deletion
from simkit.world.callers import agent_party
from simkit.world.faults import Faults
from simkit.world.last_sent import LastSent
from simkit.world.messages import Steps
from simkit.world.places import EVERYTHING, NOTHING
from simkit.world.plan import Plan
from simkit.world.server_side import ServerSide
from simkit.world.setting import Setting
from simkit.world.timeline import Timeline
from simkit.world.trials import Trials
from simkit.world.way_down import way_down

__all__ = ["play"]


def play(
    plan: Plan,
    timeline: Timeline,
    journal: Journal,
    trials: Trials,
    *,
    has_episodes: bool,
    begin: Callable[[Setting, ServerSide], None] | None = None,
) -> None:
    """Run a scenario on a timeline, to quiescence or for as many steps as it takes at most, and write the journal.

    Parameters
    ----------
    begin
        Lets something else begin, once everything that is planned has begun; None where there is nothing else.
    """
    scenario = plan.scenario
    timeline.is_divided = plan.is_divided
    for fact in plan.opening:
        journal.append(fact)
    setting = Setting(
        plan=plan,
        timeline=timeline,
        journal=journal,
        faults=Faults(scenario.conditions, timeline.chance, timeline, journal, has_episodes=has_episodes),
        trials=trials,
        last_sent=LastSent(timeline, is_asked=plan.watches_landing),
    )
    server_side = _start(setting)
    if begin is not None:
        begin(setting, server_side)
    waiting_for = timeline.run_out()
    journal.append(End(at_s=timeline.now_s, is_quiescent=waiting_for is None, waiting_for=waiting_for or ""))


def _start(setting: Setting) -> ServerSide:
    """Let every planned call begin, and every deletion; return what they are sent to."""
    plan, timeline = setting.plan, setting.timeline
    server_side = ServerSide(setting)
    below = way_down(server_side.server, setting)
    agent = agent_party(setting, below, server_side.asking, server_side.cleaning_up.undo, server_side.approvals)
    for errand in plan.errands:
        label, begin = f"start@{errand.prefix}", partial(agent.carry_out, errand)
        timeline.start_next(_at(timeline, errand.planned.start_s, label, begin, is_local=plan.starts_locally))
    for index, deletion in enumerate(plan.scenario.deletions):
        label, begin = f"deletion@{index + 1}", partial(_once, server_side.delete, deletion)
        timeline.start_next(_at(timeline, deletion.at_s, label, begin))
    return server_side


def _at(timeline: Timeline, at_s: float, label: str, begin: Callable[[], Steps], *, is_local: bool = False) -> Steps:
    if at_s:
        yield timeline.deadline(at_s, label, touches=NOTHING if is_local else EVERYTHING)
    yield from begin()


def _once(act: Callable[[Deletion], None], deletion: Deletion) -> Steps:
    act(deletion)
    yield from ()
