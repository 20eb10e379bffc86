"""Who decides what a scenario leaves open: luck, a script, or every answer in turn."""

from simkit.chance.luck import Luck
from simkit.chance.questions import Answered, Chance, Episode, Question
from simkit.chance.sampled import Sampled
from simkit.chance.scheduled import Scheduled
from simkit.chance.scripted import Keyed, Scripted, alternatives, fault_count
from simkit.chance.streams import uniform_numbers
from simkit.chance.tilted import Tilted
from simkit.chance.zone import MICROSECONDS_PER_S, Zone, microseconds

__all__ = [
    "MICROSECONDS_PER_S",
    "Answered",
    "Chance",
    "Episode",
    "Keyed",
    "Luck",
    "Question",
    "Sampled",
    "Scheduled",
    "Scripted",
    "Tilted",
    "Zone",
    "alternatives",
    "fault_count",
    "microseconds",
    "uniform_numbers",
]
