"""Who decides what a scenario leaves open: luck, a script, or every answer in turn."""

from simkit.chance.questions import Answered, Chance, Episode, Question
from simkit.chance.sampled import Sampled
from simkit.chance.scripted import Scripted, alternatives, fault_count
from simkit.chance.zone import MICROSECONDS_PER_S, Bounds, Rounding, Zone, microseconds

__all__ = [
    "MICROSECONDS_PER_S",
    "Answered",
    "Bounds",
    "Chance",
    "Episode",
    "Question",
    "Rounding",
    "Sampled",
    "Scripted",
    "Zone",
    "alternatives",
    "fault_count",
    "microseconds",
]
