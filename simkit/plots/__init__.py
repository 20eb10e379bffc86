"""Pictures, drawn from results; matplotlib is imported where a picture is drawn."""

from simkit.plots.intervals import Interval, interval_picture, intervals_of

__all__ = ["Interval", "interval_picture", "intervals_of"]
