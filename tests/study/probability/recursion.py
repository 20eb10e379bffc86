"""An oracle for the three policies of the rare-duplicate example: no runs, no clock, no tree of answers."""

from collections.abc import Callable, Mapping
from fractions import Fraction

__all__ = ["ENGINE_DUPLICATE_SITES", "duplicate_probability"]

ENGINE_DUPLICATE_SITES = (
    "gateway_to_server.request_lost",
    "server.before_reservation",
    "server.after_reservation",
    "server_to_downstream.request_lost",
    "server.after_effect",
    "readback.cannot_tell",
)
"""All that a duplicate depends on: once there is a receipt nothing is made any more."""

Down = frozenset[str]
Next = Callable[[Down], Fraction]


def duplicate_probability(
    look_up_count: int, rates: float | Mapping[str, float] | Mapping[str, Fraction], share: float
) -> Fraction:
    """Of three attempts at one operation, as a recursion over what is durable, in exact fractions.

    Parameters
    ----------
    look_up_count
        0: a stale reservation is run again at once.
    rates
        By site, or the same for all.
    share
        Fraction of a rate at which a party stays down, so that it fails at every later passing.
    """
    by_site = dict.fromkeys(ENGINE_DUPLICATE_SITES, rates) if isinstance(rates, float) else rates
    exact = {site: Fraction(by_site[site]) for site in ENGINE_DUPLICATE_SITES if site in by_site}
    lasting = Fraction(share)

    def meet(site: str, down: Down, good: Next, bad: Next) -> Fraction:
        party, rate = site.partition(".")[0], exact[site]
        if party in down:
            return bad(down)
        single = (1 - lasting) * rate * bad(down) if lasting < 1 else Fraction(0)
        onset = lasting * rate * bad(down | {party}) if lasting else Fraction(0)
        return (1 - rate) * good(down) + single + onset

    def attempts(left: int, is_reserved: bool, effect_count: int, down: Down) -> Fraction:  # noqa: FBT001
        """From the start of an attempt, while no receipt exists."""
        if left == 0:
            return Fraction(effect_count > 1)

        def give_up(is_now_reserved: bool, count: int) -> Next:  # noqa: FBT001
            return lambda down: attempts(left - 1, is_now_reserved, count, down)

        def write(down: Down) -> Fraction:
            count = effect_count + 1
            made: Next = lambda down: meet(  # noqa: E731
                "server.after_effect",
                down,
                lambda _: Fraction(count > 1),
                give_up(True, count),  # noqa: FBT003
            )
            return meet("server_to_downstream.request_lost", down, made, give_up(True, effect_count))  # noqa: FBT003

        def reserve(down: Down) -> Fraction:
            return meet("server.after_reservation", down, write, give_up(True, effect_count))  # noqa: FBT003

        def look_up(asked: int, down: Down) -> Fraction:
            if asked == look_up_count:
                return reserve(down)
            settled: Next = lambda down: Fraction(effect_count > 1) if effect_count else reserve(down)  # noqa: E731
            return meet("readback.cannot_tell", down, settled, lambda down: look_up(asked + 1, down))

        def arrive(down: Down) -> Fraction:
            return look_up(0, down) if is_reserved else reserve(down)

        again = give_up(is_reserved, effect_count)
        enter: Next = lambda down: meet("server.before_reservation", down, arrive, again)  # noqa: E731
        return meet("gateway_to_server.request_lost", down, enter, again)

    return attempts(3, False, 0, frozenset())  # noqa: FBT003
