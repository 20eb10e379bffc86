"""What a scenario is about: which promises nothing in it could break, and what it leaves out.

A scenario with one call proves nothing about a second tenant, and one without an approval nothing about approvals.
So such promises are said not to apply, and what could break in that tool is tried in a scenario beside it, in
which a second wish comes after all that the first one sent has landed.
"""

from collections.abc import Iterator
from dataclasses import replace

from simkit.choices import Drift, OnUnknown, ScopePart
from simkit.scenario import Scenario, kind_of
from simkit.study.story import site_in_words
from simkit.terms import ClaimKind, FaultKind, Identity, Promise

__all__ = ["FAULT_KIND", "NOT_APPLYING", "beside", "excluded", "why_not"]

NOT_APPLYING = "does not apply: "
"""How the scope of a promise begins that nothing in a scenario could break."""

FAULT_KIND = "fault kind: "
"""How what is left out begins where it is a whole kind of fault."""

AFTERWARDS = "tried with one attempt and, once that has landed, a second wish"

NONE_HERE = "nothing of the kind here"

_SHARED_IDS = frozenset({Identity.PER_PROCESS, Identity.HASH_OF_ARGUMENTS})
"""Identities under which two wishes with equal inputs bear one ID."""


def beside(scenario: Scenario) -> Iterator[tuple[Promise, Scenario, str]]:
    """The promises that are tried in a scenario of their own, with what that does."""
    if scenario.agent.identity is Identity.NONE:
        return
    reused = scenario.with_reused_id()
    first, second = reused.calls
    if scenario.agent.identity is not Identity.HASH_OF_ARGUMENTS:
        yield Promise.CHANGED_INPUT_CONFLICTS, reused, f"{AFTERWARDS} under the same ID, with other inputs"
    if not _has_tenant_in_key(scenario):
        other = replace(second, inputs=first.inputs, tenant=f"{first.tenant}, another")
        yield (
            Promise.TENANTS_APART,
            replace(reused, calls=(first, other)),
            f"{AFTERWARDS} of another tenant under the same ID",
        )
    if scenario.agent.identity in _SHARED_IDS:
        equal = replace(second, inputs=first.inputs)
        yield Promise.DISTINCT_INTENTS, replace(reused, calls=(first, equal)), f"{AFTERWARDS} with equal inputs"


def why_not(scenario: Scenario, promise: Promise) -> str:
    """Why nothing in this scenario could break that promise; empty where something could."""
    calls, conditions = scenario.calls, scenario.conditions
    has_id = scenario.agent.identity is not Identity.NONE
    match promise:
        case Promise.CHANGED_INPUT_CONFLICTS if not has_id:
            why = "calls bear no ID"
        case Promise.CHANGED_INPUT_CONFLICTS if scenario.agent.identity is Identity.HASH_OF_ARGUMENTS:
            why = "other inputs make another ID"
        case Promise.DISTINCT_INTENTS if len(calls) == 1:
            why = "each wish has an ID of its own" if has_id else "calls bear no ID"
        case Promise.TENANTS_APART if len({call.tenant for call in calls}) == 1:
            why = "an ID is looked up with its tenant" if has_id else "calls bear no ID"
        case Promise.APPROVAL_RESPECTED if not any(call.approval for call in calls):
            why = NONE_HERE
        case Promise.AUDIENCE_APPROVED if not any(call.audience for call in calls):
            why = NONE_HERE
        case Promise.NOTHING_AFTER_SETTLEMENT if scenario.reconciler is None:
            why = NONE_HERE
        case Promise.CLEAN_UP_WAITS if not scenario.deletions and scenario.agent.on_unknown is OnUnknown.HOLD:
            why = NONE_HERE
        case Promise.WORK_IN_BUDGET if (conditions.attempt_count_max, conditions.time_s_max) == (None, None):
            why = NONE_HERE
        case _:
            return ""
    return NOT_APPLYING + why


def excluded(scenario: Scenario) -> tuple[str, ...]:
    """What the statements leave out, in words: kinds of fault, single sites, and what this scenario has not."""
    rates = scenario.conditions.rates
    possible = [rate for rate in rates if rate.probability != 0]
    listed, included = {rate.site for rate in rates}, {rate.kind for rate in possible}
    return (
        *(f"{FAULT_KIND}{kind}" for kind in FaultKind if kind not in included),
        *(
            f"no fault at {site_in_words(site)}"
            for site in scenario.sites()
            if site not in listed and kind_of(site) in included
        ),
        *(f"no fault at {site_in_words(rate.site)}: its rate is 0" for rate in rates if rate.probability == 0),
        *(
            f"more faults than that, although {site_in_words(rate.site)} is what happens each time: its rate is 1"
            for rate in rates
            if rate.probability == 1
        ),
        *_absent(scenario),
    )


def _absent(scenario: Scenario) -> Iterator[str]:
    """What could happen to a running tool, and to none of this scenario's parties."""
    yield "outages (but for the share of the rates)"
    yield "gateway restarts"
    if scenario.server.worker_count is None:
        yield "too few workers"
    if len(scenario.calls) == 1:
        yield "other calls meanwhile"
    if scenario.agent.drift is Drift.NONE:
        yield "drifting arguments"
    if scenario.reconciler is None and not scenario.reissues:
        yield "others who send it again"
    if not scenario.conditions.clocks:
        yield "clock skew"


def _has_tenant_in_key(scenario: Scenario) -> bool:
    """Whether a record is looked up by its tenant too, so that another tenant's call never meets it."""
    server = scenario.server
    return server.claim is not ClaimKind.NONE and ScopePart.TENANT in server.scope
