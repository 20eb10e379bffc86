"""Structure: which schedules of faults break which promise, in every order of steps; it alone proves."""

from simkit.study.structure.exploration import Explored, explore
from simkit.study.structure.windows import crash_windows

__all__ = ["Explored", "crash_windows", "explore"]
