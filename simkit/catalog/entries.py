"""What an entry of the catalog holds: a system of record or a retry policy, with source, grade and guesses.

An entry says two things. In words: what its documents or its code say. As data: the behaviour that a scenario
takes over, in the fields of `simkit.scenario`. Where the documents are silent, the data holds a guess, and the
entry lists it: whoever uses the entry passes that list on.
"""

from dataclasses import dataclass
from enum import StrEnum

from simkit.choices import ReadbackBy
from simkit.distributions import Wait
from simkit.scenario import Queue, RetryPolicy, SystemBehaviour
from simkit.terms import LayerName

__all__ = [
    "CheckedAgainst",
    "PolicyEntry",
    "PolicyGrade",
    "PolicyKind",
    "ReadbackOffer",
    "Source",
    "SourceKind",
    "SystemEntry",
    "SystemGrade",
]


class SystemGrade(StrEnum):
    """How well what an entry says of a system of record is supported, the best first."""

    OFFICIAL = "official documents or the vendor's code"
    OFFICIAL_IN_PART = "official, but excerpts, an older copy, or an SDK with a second source"
    THIRD_PARTY = "third parties, or concluded from what an SDK lacks"
    MEMORY = "memory alone"


class PolicyGrade(StrEnum):
    """How well what an entry says of a retry policy is supported, the best first."""

    EXECUTED = "the real code was run"
    SOURCE = "the code was read"
    DOCUMENTS = "documents alone"
    NOT_VERIFIED = "not verified"


class PolicyKind(StrEnum):
    """What kind of party retries or forwards."""

    SDK = "SDK"
    HTTP_LIBRARY = "HTTP library"
    RETRY_LIBRARY = "retry library"
    RPC = "RPC library"
    PROXY = "proxy"
    MESH = "service mesh"
    GATEWAY = "gateway"
    LOAD_BALANCER = "load balancer"
    CDN = "content delivery network"
    AGENT_FRAMEWORK = "agent framework"
    MCP_CLIENT = "MCP client"
    MCP_SERVER = "MCP server"
    QUEUE = "task queue"
    WORKFLOW = "workflow engine"


class CheckedAgainst(StrEnum):
    """With what an entry was last compared."""

    RUN = "a run of the real code"
    SOURCE = "the cited source"
    NOTES = "notes taken from the cited source"


class SourceKind(StrEnum):
    """What a source is."""

    OFFICIAL = "official documentation"
    VENDOR_CODE = "vendor's code"
    THIRD_PARTY = "third party"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where something is written, and what it says there."""

    where: str
    kind: SourceKind
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadbackOffer:
    """How a system of record can be asked about one operation.

    Parameters
    ----------
    by
        What the question names.
    lag
        How long an effect may stay unseen.
    """

    by: ReadbackBy
    lag: Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemEntry:
    """A real system of record.

    Parameters
    ----------
    id
        By which files name it; the name of its file.
    operation
        The write that the entry is about.
    summary
        What to know of it, in a sentence.
    checked_at
        Day of the last comparison, as 2026-11-30.
    key, retention, mismatch, concurrent, stored, scope, readback
        In words, what is documented of each; `unknown` where the documents are silent.
    cautions
        What surprises people.
    open_questions
        What nobody has verified.
    guessed
        Fields of `behaviour` and `readback_offer`, dotted, that no source states.
    not_simulated
        What is documented, and not acted out.
    behaviour
        What a scenario takes over.
    readback_offer
        None where it cannot be asked about one operation.
    """

    id: str
    name: str
    category: str
    operation: str
    summary: str
    grade: SystemGrade
    checked_at: str
    checked_against: CheckedAgainst
    key: str
    retention: str
    mismatch: str
    concurrent: str
    stored: str
    scope: str
    readback: str
    cautions: tuple[str, ...]
    open_questions: tuple[str, ...]
    sources: tuple[Source, ...]
    guessed: tuple[str, ...]
    not_simulated: tuple[str, ...]
    behaviour: SystemBehaviour
    readback_offer: ReadbackOffer | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyEntry:
    """A real retry policy.

    Parameters
    ----------
    id
        By which files name it; the name of its file.
    package
        What it is part of, as people install it.
    version
        Which one was looked at.
    retried, waits, budget, retry_after, key
        In words: the failures, the formula, what limits the retries, what an asked wait does, and whether
        a key is minted and for what; `unknown` where nobody knows.
    takes_place_of
        Layers of a scenario in whose place it may stand.
    variants
        Settings of the same code that retry otherwise, in words.
    guessed
        Fields of `behaviour`, dotted, that no source states or that everybody configures.
    not_simulated
        What it does besides, and is not acted out.
    behaviour
        What a scenario takes over; None where it retries nothing by itself but redelivers.
    queue
        How it redelivers; None where it does not.
    """

    id: str
    name: str
    kind: PolicyKind
    package: str
    version: str
    summary: str
    grade: PolicyGrade
    checked_at: str
    checked_against: CheckedAgainst
    retried: str
    waits: str
    budget: str
    retry_after: str
    key: str
    takes_place_of: tuple[LayerName, ...]
    variants: tuple[str, ...]
    cautions: tuple[str, ...]
    open_questions: tuple[str, ...]
    sources: tuple[Source, ...]
    guessed: tuple[str, ...]
    not_simulated: tuple[str, ...]
    behaviour: RetryPolicy | None
    queue: Queue | None = None
