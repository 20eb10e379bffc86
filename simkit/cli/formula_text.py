"""The formula of a backoff as people write it."""

from simkit.cli.entry_text import time_words
from simkit.distributions import Backoff

__all__ = ["formula_words"]


def formula_words(backoff: Backoff) -> str:
    """The wait before retry n.

    Examples
    --------
    >>> formula_words(Backoff(first_s=0.05, factor=2, cap_s=20, scale_min=0))
    'min(20 s, 50 ms × 2^(n−1)) × U(0, 1)'
    """
    if backoff.previous_factor is not None:
        growth = f"U({time_words(backoff.first_s)}, {backoff.previous_factor:g} × the wait before)"
    else:
        growth = _growth(backoff)
    text = growth if backoff.cap_s is None else f"min({time_words(backoff.cap_s)}, {growth})"
    if backoff.scale_min != backoff.scale_max:
        is_sum = backoff.cap_s is None and backoff.offset_s
        text = f"{f'({text})' if is_sum else text} × U({backoff.scale_min:g}, {backoff.scale_max:g})"
    elif backoff.scale_min != 1:
        text = f"{text} × {backoff.scale_min:g}"
    if backoff.added_s_max:
        text += f" + U(0, {time_words(backoff.added_s_max)})"
    if backoff.floor_s:
        text += f", at least {time_words(backoff.floor_s)}"
    if backoff.ceiling_s is not None:
        text += f", at most {time_words(backoff.ceiling_s)}"
    if backoff.immediate_count:
        text += f"; the first {backoff.immediate_count} at once"
    return text


def _growth(backoff: Backoff) -> str:
    factors = [time_words(backoff.first_s)]
    if backoff.factor != 1:
        factors.append(f"{backoff.factor:g}^(n−1)")
    if backoff.power:
        factors.append("n" if backoff.power == 1 else f"n^{backoff.power:g}")
    product = " × ".join(factors)
    return f"{time_words(backoff.offset_s)} + {product}" if backoff.offset_s else product
