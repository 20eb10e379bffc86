"""One journal has one digest in any process, and another as soon as one number differs."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from simkit.chance import Sampled
from simkit.journal import Journal
from simkit.records import Attempt, CleanUp, Effect, End, Fact, Fault, Report, Settlement, StateChange
from simkit.study.tree import leaves
from simkit.terms import Settled
from simkit.world import run_concrete, run_intervals
from tests.builders import a_scenario, conditions_with, engine_policy, rates_at

__all__: list[str] = []

ROOT = Path(__file__).resolve().parent.parent.parent

PROGRAM = """
from tests.world.test_journal_digest import digests
print(*digests(), sep="\\n")
"""


def digests() -> list[str]:
    """Digests of sampled and of explored runs, the explored ones in the order in which they were found."""
    sampled = [run_concrete(engine_policy(3, 0.2), Sampled(11, index)).journal for index in range(20)]
    scenario = conditions_with(
        a_scenario(), rates=rates_at(0.1, "server.after_effect", "gateway_to_server.request_late")
    )
    explored = [leaf.run.journal for leaf in leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1)]
    return [journal.digest() for journal in (*sampled, *explored)]


@pytest.mark.parametrize("hash_seed", ("0", "1", "4242"))
def test_another_process_with_another_hash_seed_gets_the_same_digests(hash_seed: str) -> None:
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}

    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )

    assert result.stdout.split() == digests()


def test_the_same_seed_gives_the_same_digest_and_another_seed_another() -> None:
    scenario = engine_policy(2, 0.2)
    together = [
        "".join(run_concrete(scenario, Sampled(seed, index)).journal.digest() for index in range(10))
        for seed in (1, 1, 2)
    ]

    assert together[0] == together[1]
    assert together[0] != together[2]


def a_journal() -> Journal:
    """A run with faults, attempts and an effect."""
    journals = (run_concrete(engine_policy(2, 0.2), Sampled(1, index)).journal for index in range(100))
    return next(journal for journal in journals if len(journal.of(Fault)) > 1 and journal.of(Effect))


def test_a_change_of_one_number_in_one_fact_changes_the_digest() -> None:
    facts = list(a_journal())
    changed: list[Fact] = [fact._replace(at_s=fact.at_s + 1e-6) if isinstance(fact, Effect) else fact for fact in facts]

    assert Journal(facts).digest() == a_journal().digest()
    assert Journal(changed).digest() != Journal(facts).digest()


def test_a_change_of_one_latency_in_the_scenario_changes_the_digest() -> None:
    scenario = a_scenario()
    slower = replace(scenario, hops=tuple(replace(hop, latest_landing_s=0.02) for hop in scenario.hops))

    digest, other = (run_concrete(world, Sampled(1, 0)).journal.digest() for world in (scenario, slower))

    assert digest != other


def test_the_order_of_facts_is_part_of_the_digest() -> None:
    facts = list(a_journal())

    assert Journal(reversed(facts)).digest() != Journal(facts).digest()


def test_json_lines_hold_every_fact_with_its_kind_in_order() -> None:
    journal = a_journal()

    rows = [json.loads(line) for line in journal.to_json_lines().splitlines()]

    assert [row["fact"] for row in rows] == [type(fact).__name__ for fact in journal]
    assert rows[0]["fact"] == "Promised"
    assert rows[-1]["fact"] == "End"
    assert [row["at_s"] for row in rows if row["fact"] == "Effect"] == [fact.at_s for fact in journal.of(Effect)]


def test_frames_have_a_row_for_each_fact_of_their_kind_and_columns_even_where_there_is_none() -> None:
    journal = a_journal()

    frames, empty = journal.to_frames(), Journal().to_frames()

    for name, kind in {"attempts": Attempt, "effects": Effect, "states": StateChange, "reports": Report}.items():
        assert len(frames[name]) == len(journal.of(kind))
        assert list(frames[name].columns) == list(empty[name].columns)
        assert "at_s" in empty[name].columns
    assert frames["effects"]["at_s"].tolist() == [fact.at_s for fact in journal.of(Effect)]


def test_a_journal_tells_the_same_as_one_with_equal_facts_and_not_as_one_with_another_or_one_more() -> None:
    settled = Settlement(at_s=1.0, party="p", intent="i", operation_id="o", settled=Settled.ABSENT)
    cleaned = CleanUp(at_s=1.0, party="p", stage="i", intent="o", operation_id=Settled.ABSENT)  # the same tuple
    end = End(at_s=2.0, is_quiescent=True, waiting_for="")
    journal = Journal([settled, end])

    assert journal.tells_the_same_as(Journal([settled, end]))
    assert not journal.tells_the_same_as(Journal([cleaned, end]))
    assert not journal.tells_the_same_as(Journal([settled, end._replace(at_s=3.0)]))
    assert not journal.tells_the_same_as(Journal([settled]))
