"""The two tests that every real library has to pass, and the rows of the table that they hand over."""

from collections.abc import Callable
from importlib.metadata import version
from zlib import crc32

import pytest

from simkit.catalog.entries import PolicyEntry
from simkit.chance import Sampled
from tests.agreement.agreement_table import WAITS, WRITES, waits_row, writes_row
from tests.agreement.conduct import Case, behaviour_of, catalog_entry, law_before, real_conducts
from tests.agreement.faults import RealFault
from tests.agreement.judging import CLOCK_STEP_S, Comparison, compared_with
from tests.agreement.luck import seeded
from tests.agreement.simulated import simulated_conduct

__all__ = ["RecordProperty", "check_waits", "check_writes", "compared", "every_fault", "every_sample"]

SAMPLE_COUNT = 200
"""Writes under a fault whose waits are drawn; the luck of both sides is seeded, so the samples are always the same."""

CONSTANT_COUNT = 3
"""Writes under a fault whose waits are always the same."""

RecordProperty = Callable[[str, object], None]


def every_fault(cases: tuple[Case, ...]) -> pytest.MarkDecorator:
    """One test for each library and fault."""
    rows = tuple(pytest.param(case, fault, id=f"{case.name} {fault.word}") for case in cases for fault in RealFault)
    return pytest.mark.parametrize(("case", "fault"), rows)


def every_sample(cases: tuple[Case, ...]) -> pytest.MarkDecorator:
    """One test for each library and fault under which its waits are drawn."""
    rows = tuple(
        pytest.param(case, fault, id=f"{case.name} {fault.word}") for case in cases for fault in case.sampled_under
    )
    return pytest.mark.parametrize(("case", "fault"), rows)


def check_writes(case: Case, fault: RealFault, record_property: RecordProperty) -> None:
    """Under one fault, library and entry make as many attempts as were measured, and each wait is within bounds."""
    comparison = compared(catalog_entry(case.entry), case, fault, write_count=1)

    record_property(WRITES, writes_row(comparison))
    assert not comparison.differences, "\n".join(comparison.differences)


def check_waits(case: Case, fault: RealFault, record_property: RecordProperty) -> None:
    """In many writes under one fault, the waits of library and entry have the bounds and the law of the formula."""
    entry = catalog_entry(case.entry)
    laws = [law_before(behaviour_of(entry), number, fault) for number in range(1, case.attempts[fault])]
    is_drawn = any(law.s_min < law.s_max for law in laws)

    comparison = compared(entry, case, fault, write_count=SAMPLE_COUNT if is_drawn else CONSTANT_COUNT)

    for row in waits_row(comparison):
        record_property(WAITS, row)
    assert not comparison.differences, "\n".join(comparison.differences)


def compared(entry: PolicyEntry, case: Case, fault: RealFault, *, write_count: int) -> Comparison:
    """Let the library and the policy of an entry send so many writes each under one fault."""
    of_its_own = f"{case.name} {fault.word}"
    with seeded(of_its_own):
        real = real_conducts(case, fault, write_count=write_count)
    simulated = [
        simulated_conduct(
            behaviour_of(entry),
            fault,
            method=case.method,
            clears_after=case.clears_after,
            luck=Sampled(crc32(of_its_own.encode()), index),
        )
        for index in range(write_count)
    ]
    return Comparison(
        entry=entry,
        method=case.method,
        installed_version=version(case.package),
        fault=fault,
        measured_count=case.attempts[fault],
        real_count=_count_furthest_from(case.attempts[fault], [one.attempt_count for one in real]),
        simulated_count=_count_furthest_from(case.attempts[fault], [one.attempt_count for one in simulated]),
        waits=tuple(compared_with(entry, fault, real)),
        simulated_waits=tuple(compared_with(entry, fault, simulated, tolerance_s=CLOCK_STEP_S)),
    )


def _count_furthest_from(expected: int, counts: list[int]) -> int:
    """The count of the writes if it is always the same, else the one that differs most from what is expected."""
    return max(counts, key=lambda count: abs(count - expected))
