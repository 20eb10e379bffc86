"""Pictures, drawn from results; matplotlib is imported where a picture is drawn."""

from simkit.plots.intervals import Interval, interval_picture, intervals_of
from simkit.plots.load_findings import (
    backoff_findings,
    collapse_finding,
    hysteresis_finding,
    outage_finding,
    recovered_after_s,
    strategy_findings,
)
from simkit.plots.load_pictures import (
    backoff_picture,
    collapse_picture,
    hysteresis_picture,
    outage_picture,
    strategies_picture,
)
from simkit.plots.sequence import sequence_of
from simkit.plots.sequence_parts import Sequence
from simkit.plots.sequence_svg import sequence_svg
from simkit.plots.sequence_text import sequence_text
from simkit.plots.stacks import layered_figure, layered_svg, write_layered

__all__ = [
    "Interval",
    "Sequence",
    "backoff_findings",
    "backoff_picture",
    "collapse_finding",
    "collapse_picture",
    "hysteresis_finding",
    "hysteresis_picture",
    "interval_picture",
    "intervals_of",
    "layered_figure",
    "layered_svg",
    "outage_finding",
    "outage_picture",
    "recovered_after_s",
    "sequence_of",
    "sequence_svg",
    "sequence_text",
    "strategies_picture",
    "strategy_findings",
    "write_layered",
]
