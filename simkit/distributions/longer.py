"""The longer one of two waits, where somebody makes whichever it is."""

from simkit.distributions.clipped import Clipped
from simkit.distributions.wait import Wait

__all__ = ["longer_of"]


def longer_of(first: Wait, second: Wait) -> Wait:
    """A wait as long as the longer one of two.

    The law of one is kept where the other is a constant, which gets the mass of all that would be shorter. Where
    both spread, only the bounds and a typical duration are known, and no law.
    """
    constant, other = (first, second) if first.s_min == first.s_max else (second, first)
    longer = Wait(
        s_min=max(first.s_min, second.s_min),
        s_typical=max(first.s_typical, second.s_typical),
        s_max=max(first.s_max, second.s_max),
    )
    if constant.s_min != constant.s_max or other.law is None or longer.s_min == longer.s_max:
        return longer
    if longer.s_min == other.s_min:
        return other
    law = Clipped(law=other.law, at_s=(longer.s_min, longer.s_max))
    return Wait(s_min=longer.s_min, s_typical=longer.s_typical, s_max=longer.s_max, law=law)
