"""What the checks of the effect promises still need of a journal: which facts there were, not when or how often.

For one intent whose inputs do not drift, none of them reads the instant of a fact, but for three:

* an effect may come later after its acknowledgement than the deadline allows: not where a whole run is shorter;
* an approval may have lapsed before a stage began: that breaks the promise at once, and for good;
* or before anything was sent, which the first attempt decides for all.

And none counts further than to two effects. So the history of a run that was cut is a set: of the effects,
with whether there were two of one kind, and of what else the checks look at, without instants and paths.
"""

from collections import Counter
from collections.abc import Hashable, Iterator

from simkit.journal import Journal
from simkit.records import Attempt, CleanUp, Effect, Fault, Readback, Reply, Report, Settlement, Start
from simkit.terms import LayerName, State

__all__ = ["history"]

READ = frozenset({State.COMPLETED, State.ACCEPTED, State.REJECTED, State.CONFLICT})
"""Replies that some check looks at; of the others only those that name stages."""


def history(journal: Journal) -> frozenset[Hashable]:
    """What a check of an effect promise can tell of the run so far."""
    effects = Counter(
        fact._replace(at_s=0.0, result="", operation_id="") for fact in journal if isinstance(fact, Effect)
    )
    return frozenset(
        (
            *((effect, min(count, 2)) for effect, count in effects.items()),
            *(fact._replace(at_s=0.0, result="") for fact in journal.of(Effect)),
            *_others(journal),
        )
    )


def _others(journal: Journal) -> Iterator[Hashable]:
    for fact in journal:
        match fact:
            case Fault():
                yield "something went wrong"
            case Attempt(layer=LayerName.AGENT):
                yield fact._replace(at_s=0.0, path="", attempt_number=0)
            case Reply() if fact.state in READ or fact.stages:
                yield fact._replace(at_s=0.0, path="", result="")
            case Readback() if fact.party != "server":
                yield fact._replace(at_s=0.0)
            case Report() | Settlement() | CleanUp() | Start():
                yield fact._replace(at_s=0.0)
