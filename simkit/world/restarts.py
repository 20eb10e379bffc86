"""The agent's process: it may restart in three windows of each attempt, with all calls that it has in hand.

======================  ===================================================================
site                    what is true at that moment
======================  ===================================================================
agent.before_sending    the operation ID is made, and written down if it is persisted
agent.after_sending     the attempt is under way; what was sent still arrives
agent.after_reply       the answer has come, and is not recorded
======================  ===================================================================

All that the process waits for is given up. Then nobody goes on (*forget*), each open errand goes on
with another attempt (*resume*), or each errand that had begun is run again, whether it had finished or
not (*run again*).
"""

from collections.abc import Callable
from functools import partial

from simkit.choices import OnRestart
from simkit.scenario import Agent
from simkit.world.course import Course
from simkit.world.faults import Faults
from simkit.world.messages import Steps
from simkit.world.places import EVERYTHING, NOTHING
from simkit.world.timeline import Timeline

__all__ = ["AgentProcess"]


class AgentProcess:
    """One process that carries out all errands.

    Attributes
    ----------
    is_local
        Whether what happens to one errand touches no other.
    number
        Which process it is, from 1; the one after a restart is another.
    """

    def __init__(self, agent: Agent, timeline: Timeline, faults: Faults, *, is_local: bool) -> None:
        self._agent = agent
        self._timeline = timeline
        self._faults = faults
        self.is_local = is_local
        self._begun: list[Course] = []
        self.number = 1

    def begins(self, course: Course) -> None:
        """Take an errand in hand."""
        self._begun.append(course)

    def dies(self, window: str, path: str, go_on: Callable[[Course], Steps]) -> bool:
        """Whether the process restarts in this window; then the caller's steps end here.

        `go_on` are the steps of an errand after a restart.
        """
        if not self._faults.happens(f"agent.{window}", path):
            return False
        self.number += 1
        for course in self._begun:
            self._restart(course, go_on)
        return True

    def _restart(self, course: Course, go_on: Callable[[Course], Steps]) -> None:
        on_restart = self._agent.on_restart
        if course.is_finished and on_restart is not OnRestart.RUN_AGAIN:
            return
        course.take_back()
        course.is_lost_with_process(is_id_persisted=self._agent.is_id_persisted)
        if on_restart is not OnRestart.FORGET:
            self._timeline.start_next(self._after_the_restart(course, go_on))

    def _after_the_restart(self, course: Course, go_on: Callable[[Course], Steps]) -> Steps:
        touches = NOTHING if self.is_local else EVERYTHING
        wait = self._timeline.wait(self._agent.restart, f"agent.restart@{course.prefix}", touches=touches)
        course.take_back = partial(self._timeline.forget, wait)
        yield wait
        yield from go_on(course)
