"""Which single change of what somebody declares would lift the verdict.

Tried is every other value of every declared choice and switch of the agent, the layers, the server, the keys that
it sends, and whoever sends again; one attempt instead of several; and leaving out a path that sends again.
What the surroundings are like is not tried, since nobody changes it by declaring something else.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from typing import Any

from simkit.choices import WriteOrder
from simkit.errors import ScenarioError
from simkit.scenario import Scenario, SiteRate, windows_of
from simkit.study.margin_results import Lift, Margin
from simkit.study.structure.claims import CLAIMS, limited, structural_verdict
from simkit.terms import ClaimKind, FaultKind, Verdict

__all__ = ["declared_changes", "lifting_changes", "smallest_change"]

OWN_PARTS = ("agent", "layers", "server", "stages", "reconciler", "reissues")

RUN_COUNT_MAX = 1_500
"""Runs for each change; one that needs more is not known to lift anything."""

_NOT_DECLARED = frozenset({"downstream", "name", "kind", "drift", "claim", "order", "may_recompute_audience"})
"""How others are, what things are called, what is approved; claim and order come together."""


def declared_changes(scenario: Scenario) -> Iterator[tuple[str, Scenario]]:
    """Every single change that has a meaning, in words, and the changed scenario; counts first."""
    for index, layer in enumerate(scenario.layers):
        if layer.repeats:
            once = replace(layer, attempts=1)
            layers = (*scenario.layers[:index], once, *scenario.layers[index + 1 :])
            before = layer.attempts or "without an end"
            yield f"{_words(layer.name)}: attempts {before} to 1", replace(scenario, layers=layers)
    for index, path in enumerate(scenario.reissues):
        others = (*scenario.reissues[:index], *scenario.reissues[index + 1 :])
        yield f"{path.name}: does not send again", replace(scenario, reissues=others)
    for part in OWN_PARTS:
        if getattr(scenario, part) is not None:
            for words, changed in _changes(getattr(scenario, part), part):
                if (whole := _with(scenario, part, changed)) is not None:
                    yield words, whole
    server = scenario.server
    for claim in ClaimKind:
        for order in WriteOrder:
            if (claim, order) != (server.claim, server.order):
                rewritten = _rewritten(scenario, claim, order)
                if rewritten is not None:
                    yield f"server: claim '{server.claim}', order '{server.order}' to '{claim}', '{order}'", rewritten


def lifting_changes(
    scenario: Scenario,
    verdict: Verdict,
    *,
    fault_budget: int,
    is_over: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[Lift, ...]:
    """The declared changes that lift the verdict by structure, as far as the time lets them be tried."""
    better = CLAIMS if verdict is Verdict.DISABLE else CLAIMS[: CLAIMS.index(verdict)]
    lifts = []
    for words, changed in declared_changes(scenario) if better else ():
        if is_over():
            break
        tell(f"what would lift it: {words}")
        lifted = structural_verdict(changed, fault_budget, limited(is_over, RUN_COUNT_MAX), better)
        if lifted in better:
            lifts.append(Lift(change=words, verdict=lifted))
    return tuple(lifts)


def smallest_change(margins: tuple[Margin, ...], lifts: tuple[Lift, ...]) -> Lift | None:
    """The smallest single change that lifts the verdict: a number that somebody sets, else the first declared change.

    Numbers are compared by the factor of the change, since a second more means something else to a timeout
    than to a retention; of two from or to 0 the one that changes by less is smaller. A declared choice has no
    size, and is another design, so it comes after them.
    """
    lifting = [margin for margin in margins if not margin.is_given and margin.is_verified and margin.is_lifting]
    if lifting:
        least = min(lifting, key=lambda margin: (margin.factor, margin.distance_s))
        words = f"{least.called} {least.value_s:,.12g} s to {least.flips_at_s:,.12g} s"
        return Lift(change=words, verdict=least.verdict_beyond or least.verdict_before)
    return lifts[0] if lifts else None


def _changes(part: Any, called: str) -> Iterator[tuple[str, Any]]:
    """Every single change in a part, with the part as it would be."""
    if isinstance(part, tuple):
        for index, element in enumerate(part):
            if is_dataclass(element):
                for words, changed in _changes(element, getattr(element, "name", called)):
                    yield words, (*part[:index], changed, *part[index + 1 :])
        return
    for field in fields(part):
        if field.name not in _NOT_DECLARED:
            for words, content in _others(getattr(part, field.name), called, field.name):
                changed = _with(part, field.name, content)
                if changed is not None:
                    yield words, changed


def _others(content: Any, called: str, field: str) -> Iterator[tuple[str, Any]]:
    """Every other content of a field that is a single change."""
    if is_dataclass(content) or isinstance(content, tuple):
        inside = f"{_words(called)} {_words(field)}" if is_dataclass(content) else called
        yield from _changes(content, inside)
    elif isinstance(content, bool | StrEnum):
        others = (not content,) if isinstance(content, bool) else (one for one in type(content) if one != content)
        for other in others:
            yield f"{_words(called)}: {_words(field)} '{_said(content)}' to '{_said(other)}'", other


def _rewritten(scenario: Scenario, claim: ClaimKind, order: WriteOrder) -> Scenario | None:
    """The scenario with another write path; who may die or pause in some window of it may do so in every window."""
    server = _with(scenario.server, "claim", claim, order=order)
    if server is None:
        return None
    windows = windows_of(order)
    paused = [window.replace(".", ".paused_", 1) for window in windows if window.startswith("server.")]
    rates: list[SiteRate] = []
    for kind, sites in ((FaultKind.CRASH, windows), (FaultKind.PAUSE, paused)):
        known = next((rate for rate in scenario.conditions.rates if rate.kind is kind), None)
        rates += [replace(known, site=site) for site in sites if known is not None]
    others = [rate for rate in scenario.conditions.rates if rate.kind not in (FaultKind.CRASH, FaultKind.PAUSE)]
    changed: Scenario | None = _with(
        scenario, "server", server, conditions=replace(scenario.conditions, rates=(*others, *rates))
    )
    return changed


def _with(part: Any, field: str, content: Any, **others: Any) -> Any:
    """The part with another content; None where that has no meaning."""
    try:
        return replace(part, **{field: content}, **others)
    except ScenarioError:
        return None


def _words(name: str) -> str:
    return name.replace("_", " ")


def _said(content: object) -> str:
    return ("no", "yes")[content] if isinstance(content, bool) else str(content)
