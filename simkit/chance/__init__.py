"""Who decides what a scenario leaves open: luck, a script, or every answer in turn."""

from simkit.chance.questions import Answered, Chance, Episode, Question
from simkit.chance.sampled import Sampled
from simkit.chance.scripted import Keyed, Scripted, alternatives, fault_count
from simkit.chance.zone import MICROSECONDS_PER_S, Bounds, Rounding, Zone, allows, hull, microseconds

__all__ = [
    "MICROSECONDS_PER_S",
    "Answered",
    "Bounds",
    "Chance",
    "Episode",
    "Keyed",
    "Question",
    "Rounding",
    "allows",
    "hull",
    "Sampled",
    "Scripted",
    "Zone",
    "alternatives",
    "fault_count",
    "microseconds",
]
