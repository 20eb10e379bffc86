"""Structure: which schedules of faults break which promise, in every order of steps; it alone proves."""

from simkit.study.structure.exploration import Explored, explore
from simkit.study.structure.margins import margins
from simkit.study.structure.matrix import MatrixRow, SiteCell, ViolationMatrix, violation_matrix
from simkit.study.structure.windows import crash_windows

__all__ = [
    "Explored",
    "MatrixRow",
    "SiteCell",
    "ViolationMatrix",
    "crash_windows",
    "explore",
    "margins",
    "violation_matrix",
]
