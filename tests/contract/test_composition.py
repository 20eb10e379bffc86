"""Entries of the catalog in a scenario: what stands in their place, what is overridden, and what is refused where."""

from pathlib import Path

import pytest

from simkit.catalog import policy_content, system_content
from simkit.choices import KeyRecorded, ReadbackBy
from simkit.contract import Composed, composed, named_scenario, parse_composed
from simkit.contract.catalog_file import parse_policy, parse_system
from simkit.contract.offers import readback_of
from simkit.contract.parts import Origin
from simkit.distributions import Backoff
from simkit.errors import InputError, Problem
from simkit.scenario import RetryLayer
from simkit.terms import ErrorClass, LayerName, OnExhausted

__all__: list[str] = []

HEAD = "schema_version: 1\nname: mine\nlike: plain-write\n"
PLAIN = named_scenario("plain-write")
STRIPE = parse_system(system_content("stripe-v1"), file="stripe-v1.yaml")
BOTOCORE = parse_policy(policy_content("botocore-standard-v2"), file="botocore-standard-v2.yaml")


def mine(text: str) -> Composed:
    return parse_composed((HEAD + text).encode(), file="mine.yaml")


def problem_in(text: str) -> Problem:
    with pytest.raises(InputError) as refusal:
        parse_composed((HEAD + text).encode(), file="mine.yaml")
    (problem,) = refusal.value.problems
    return problem


def sdk_of(found: Composed) -> RetryLayer:
    layer = found.scenario.layer(LayerName.DOWNSTREAM_SDK)
    assert layer is not None
    return layer


def test_a_layer_that_names_a_policy_has_nothing_of_the_scenario_but_its_name() -> None:
    layer = sdk_of(mine("layers:\n  - {name: downstream_sdk, like: botocore-standard-v2}\n"))

    assert BOTOCORE.behaviour is not None
    assert {field: getattr(layer, field) for field in BOTOCORE.behaviour.__slots__} == {
        field: getattr(BOTOCORE.behaviour, field) for field in BOTOCORE.behaviour.__slots__
    }


def test_numbers_beside_the_id_are_overridden_and_said_to_be() -> None:
    found = mine("layers:\n  - {name: downstream_sdk, like: botocore-standard-v2, attempts: 5, backoff: {cap: 4 s}}\n")

    layer = sdk_of(found)
    assert layer.attempts == 5
    assert isinstance(layer.backoff, Backoff)
    assert (layer.backoff.first_s, layer.backoff.cap_s) == (0.05, 4.0)
    (taken,) = found.taken
    assert (taken.entry_id, taken.place) == ("botocore-standard-v2", "layers.downstream_sdk")
    assert taken.overridden == ("attempts", "backoff.cap")
    assert (taken.grade, taken.checked_at) == (str(BOTOCORE.grade), BOTOCORE.checked_at)


@pytest.mark.parametrize("downstream", ("stripe-v1", "{like: stripe-v1}"))
def test_a_stage_that_names_a_system_keeps_its_name_and_the_time_that_the_work_takes(downstream: str) -> None:
    found = mine(f"stages:\n  - name: record\n    downstream: {downstream}\n")

    (system,), (before,) = found.scenario.downstreams, PLAIN.downstreams
    assert (system.name, system.work) == (before.name, before.work)
    assert system.key_recorded is KeyRecorded.AT_START
    assert system.key_retention == STRIPE.behaviour.key_retention
    assert found.taken[0].place == "stages.record.downstream"


def test_a_guess_stays_a_guess_until_the_scenario_says_the_value_itself() -> None:
    text = (
        "stages:\n  - name: record\n    downstream: {like: stripe-v1, key_retention: {counted_from: first attempt}}\n"
    )

    guessed = mine("stages:\n  - name: record\n    downstream: stripe-v1\n").taken[0]
    said = mine(text).taken[0]

    assert guessed.guessed == ("key_retention.counted_from", "key_recorded")
    assert (said.guessed, said.overridden) == (("key_recorded",), ("key_retention.counted_from",))


def test_a_stack_stands_over_the_scenario_that_the_file_is_like() -> None:
    found = mine("stack:\n  sdk: {like: botocore-standard-v2, attempts: 5}\n  downstream: stripe-v1\n")

    assert [layer.name for layer in found.scenario.layers] == [LayerName.AGENT, LayerName.DOWNSTREAM_SDK]
    assert found.scenario.layers[0] == PLAIN.layers[0]
    assert sdk_of(found).attempts == 5
    assert [(taken.entry_id, taken.place) for taken in found.taken] == [
        ("botocore-standard-v2", "layers.downstream_sdk"),
        ("stripe-v1", "stages.record.downstream"),
    ]


def test_the_same_stack_in_python_gives_the_same_scenario() -> None:
    in_file = mine("stack:\n  sdk: {like: botocore-standard-v2, attempts: 5}\n  downstream: stripe-v1\n")

    in_python = composed(PLAIN, sdk={"like": "botocore-standard-v2", "attempts": 5}, downstream="stripe-v1")

    assert in_python.taken == in_file.taken
    assert in_python.scenario.layers == in_file.scenario.layers
    assert in_python.scenario.stages == in_file.scenario.stages
    assert in_python.scenario.name == PLAIN.name


def test_a_scenario_that_takes_nothing_from_the_catalog_is_composed_as_it_is() -> None:
    found = composed(PLAIN)

    assert found.scenario.digest() == PLAIN.digest()
    assert found.taken == ()


ASKS = "attempts: 2, latency: 100 ms, on_uncertain: hold"


def test_a_server_that_asks_asks_as_the_system_of_the_catalog_offers() -> None:
    # What the entry offers is behind by an hour at most, which is a guess.
    assert STRIPE.readback_offer is not None
    found = mine(f"server:\n  readback: {{{ASKS}}}\nstack: {{downstream: stripe-v1}}\n")

    readback = found.scenario.server.readback
    assert readback is not None
    assert (readback.by, readback.lag_s_max, readback.attempts) == (ReadbackBy.CLIENT_REFERENCE, 3600.0, 2)
    offered = found.taken[0]
    assert (offered.place, offered.entry_id, offered.guessed) == ("server.readback", "stripe-v1", ("lag_max",))


def test_what_the_same_file_says_of_the_readback_is_said_instead() -> None:
    found = mine(f"server:\n  readback: {{{ASKS}, by: list, lag_max: 0 s}}\nstack: {{downstream: stripe-v1}}\n")

    readback = found.scenario.server.readback
    assert readback is not None
    assert (readback.by, readback.lag_s_max) == (ReadbackBy.LIST, 0.0)


def test_a_readback_may_name_the_system_itself() -> None:
    text = f"server:\n  readback: {{like: stripe-v1, {ASKS}, by: list}}\n"

    found = mine(text + "stages:\n  - name: record\n    downstream: stripe-v1\n")

    readback = found.scenario.server.readback
    assert readback is not None
    assert (readback.by, readback.lag_s_max) == (ReadbackBy.LIST, 3600.0)


def test_an_unknown_id_is_refused_with_the_nearest_ones() -> None:
    problem = problem_in("stack:\n  downstream: strip-v1\n")

    assert (problem.file, problem.line, problem.field) == ("mine.yaml", 5, "stack.downstream")
    assert problem.message == "the catalog has no system of record of that ID"
    assert "stripe-v1" in problem.allowed


def test_a_system_in_the_place_of_a_policy_is_refused() -> None:
    problem = problem_in("layers:\n  - {name: downstream_sdk, like: stripe-v1}\n")

    assert (problem.line, problem.field) == (5, "layers.0.like")
    assert problem.message == "this is a system of record, and a retry policy is expected"


def test_a_policy_in_the_place_of_another_layer_is_refused_with_the_places_that_it_has() -> None:
    problem = problem_in("stack: {agent: botocore-standard-v2}\n")

    assert problem.message == "this does not stand in the place of agent"
    assert problem.allowed == "downstream_sdk"


def test_an_override_of_what_the_entry_does_not_have_is_refused_with_what_it_has() -> None:
    problem = problem_in(
        "stack:\n  sdk: {like: botocore-standard-v2, circuit_breaker: {failure_count: 5, open: 1 min}}\n"
    )

    assert (problem.line, problem.field) == (5, "stack.sdk.circuit_breaker")
    assert problem.message == "botocore-standard-v2 has none to override"
    assert "token_bucket" in problem.allowed
    assert "circuit_breaker" not in problem.allowed


def test_a_number_within_a_mechanism_that_the_entry_has_not_is_refused_too() -> None:
    problem = problem_in("stack:\n  sdk: {like: botocore-standard-v2, token_bucket: {above_count: 3}}\n")

    assert problem.field == "stack.sdk.token_bucket.above_count"


def test_a_mechanism_can_be_taken_away() -> None:
    found = mine("stack:\n  sdk: {like: botocore-standard-v2, token_bucket: none}\n")

    assert sdk_of(found).token_bucket is None
    assert found.taken[0].overridden == ("token_bucket",)


def test_an_invented_field_beside_an_id_is_refused_as_everywhere() -> None:
    problem = problem_in("stack:\n  sdk: {like: botocore-standard-v2, attempt: 5}\n")

    assert (problem.line, problem.field, problem.message) == (5, "stack.sdk.attempt", "there is no such field")


@pytest.mark.parametrize(
    ("text", "field", "message"),
    (
        ("stack: stripe-v1\n", "stack", "fields with their values are expected"),
        ("stack: {proxy: stripe-v1}\n", "stack.proxy", "a stack has no such place"),
        ("stack: {sdk: {attempts: 2}}\n", "stack.sdk", "a stack names an entry of the catalog in each place"),
        (
            "stack: {sdk: botocore-standard-v2}\nlayers: [{name: downstream_sdk, attempts: 2}]\n",
            "layers.0",
            "the stack of the same file names what stands in the place of downstream_sdk",
        ),
    ),
)
def test_a_stack_that_cannot_be_read_is_refused_where_it_stands(text: str, field: str, message: str) -> None:
    problem = problem_in(text)

    assert (problem.field, problem.message) == (field, message)


def test_an_own_entry_is_named_by_its_path_from_the_file_that_names_it(tmp_path: Path) -> None:
    own = system_content("stripe-v1").replace(b"id: stripe-v1", b"id: billing").replace(b"24 h, kind", b"2 h, kind")
    (tmp_path / "entries").mkdir()
    (tmp_path / "entries" / "billing.yaml").write_bytes(own)
    text = HEAD + "stack:\n  downstream: entries/billing.yaml\n"

    found = parse_composed(text.encode(), file=str(tmp_path / "mine.yaml"))

    retention = found.scenario.downstreams[0].key_retention
    assert retention is not None
    assert retention.retention_s == 7200.0
    assert found.taken[0].entry_id == "billing"


def test_an_own_entry_that_is_wrong_is_refused_by_its_own_file_line_and_field(tmp_path: Path) -> None:
    own = system_content("stripe-v1").replace(b"effect: create", b"effect: createe")
    (tmp_path / "billing.yaml").write_bytes(own)
    line = own.decode().splitlines().index("  effect: createe") + 1

    with pytest.raises(InputError) as refusal:
        composed(PLAIN, downstream=str(tmp_path / "billing.yaml"))

    (problem,) = refusal.value.problems
    assert (problem.file, problem.line, problem.field) == (str(tmp_path / "billing.yaml"), line, "behaviour.effect")


@pytest.mark.parametrize(
    ("place", "name", "message"),
    (
        ("downstream", "missing.yaml", "missing.yaml: there is no such file"),
        ("downstream", "own.yaml", "this is the file of a retry policy"),
        ("sdk", "mine.yaml", "this is the file of a scenario"),
    ),
)
def test_a_file_that_is_none_or_of_another_kind_is_refused_where_it_is_named(
    tmp_path: Path, place: str, name: str, message: str
) -> None:
    (tmp_path / "own.yaml").write_bytes(policy_content("botocore-standard-v2"))
    text = HEAD + f"stack:\n  {place}: {name}\n"
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")

    with pytest.raises(InputError) as refusal:
        parse_composed(text.encode(), file=str(tmp_path / "mine.yaml"))

    (problem,) = refusal.value.problems
    assert (problem.file, problem.field, problem.value) == (str(tmp_path / "mine.yaml"), f"stack.{place}", name)
    assert (problem.line, message in problem.message) == (text.splitlines().index(f"  {place}: {name}") + 1, True)


def test_a_gateway_that_the_scenario_lacks_needs_its_hop_named_too() -> None:
    # How long a message takes on that hop is a number that no entry of a policy knows.
    stack = "stack: {gateway: envoy-retry-on-5xx}\n"
    hop = "hops: [{name: agent_to_gateway, request: 20 ms, response: 20 ms, latest_landing: 1 min}]\n"

    found = mine(stack + hop)

    assert "these layers need agent_to_gateway" in problem_in(stack).message
    assert found.scenario.layer(LayerName.GATEWAY) is not None


def test_a_status_without_quotes_is_read_as_the_word_that_it_is() -> None:
    text = "layers:\n  - {name: downstream_sdk, attempts: 2, retries_on: [429, timeout], on_exhausted: say unknown}\n"

    assert sdk_of(mine(text)).retries_on == (ErrorClass.OVERLOADED, ErrorClass.TIMEOUT)
    assert sdk_of(mine(text)).on_exhausted is OnExhausted.SAY_UNKNOWN


QUEUED = "hops:\n  - name: gateway_to_server\n    queue: celery-delivery\n"


def test_a_hop_takes_how_a_task_queue_redelivers() -> None:
    entry = parse_policy(policy_content("celery-delivery"), file="celery-delivery.yaml")

    found = mine(QUEUED)

    assert found.scenario.hop("gateway_to_server").queue == entry.queue
    assert found.taken[0].place == "hops.gateway_to_server.queue"


@pytest.mark.parametrize(
    ("text", "message"),
    (
        (
            QUEUED.replace("celery-delivery", "botocore-standard-v2"),
            "this redelivers nothing: it is a layer that",
        ),
        ("stack: {sdk: celery-delivery}\n", "this retries nothing by itself: it redelivers, as the queue of a hop"),
    ),
)
def test_a_queue_is_no_layer_and_a_layer_no_queue(text: str, message: str) -> None:
    assert problem_in(text).message.startswith(message)


@pytest.mark.parametrize(
    ("wait", "bounds_s"),
    (("{least: 1 s, typical: 2 s, most: 3 s}", (1.0, 3.0)), ("250 ms", (0.25, 0.25))),
)
def test_a_wait_by_bounds_stands_instead_of_a_formula(wait: str, bounds_s: tuple[float, float]) -> None:
    found = mine(f"stack:\n  sdk: {{like: botocore-standard-v2, backoff: {wait}}}\n")

    backoff = sdk_of(found).wait_before(1)
    assert (backoff.s_min, backoff.s_max) == bounds_s
    assert found.taken[0].overridden == ("backoff",)


def test_a_system_that_cannot_be_asked_offers_no_readback() -> None:
    content = system_content("stripe-v1").decode()
    offer = content[content.index("readback_offer:") :]
    unaskable = content.replace(offer, "readback_offer: none\n").replace("  - readback_offer.lag\n", "")
    entry = parse_system(unaskable.encode(), file="own.yaml")

    assert readback_of(entry, Origin(file="own.yaml", line=1, place=())) is None


def test_nothing_of_the_policy_that_stood_there_is_left() -> None:
    before = composed(PLAIN, sdk="botocore-standard-v2")

    after = composed(before.scenario, sdk="requests-default")

    assert sdk_of(before).token_bucket is not None
    assert sdk_of(after).token_bucket is None
    assert [taken.entry_id for taken in after.taken] == ["requests-default"]


def test_a_system_and_a_policy_of_one_id_are_told_apart_by_their_place() -> None:
    found = composed(PLAIN, sdk="azure-servicebus", downstream="azure-servicebus")

    assert [taken.place for taken in found.taken] == ["layers.downstream_sdk", "stages.record.downstream"]


def test_of_two_systems_the_server_asks_as_the_slower_one_offers(tmp_path: Path) -> None:
    entry = system_content("stripe-v1").decode()
    lag = next(line for line in entry.splitlines() if line.startswith("  lag:"))
    (tmp_path / "slow.yaml").write_text(entry.replace(lag, "  lag: 2 h"))
    (tmp_path / "quick.yaml").write_text(entry.replace(lag, "  lag: 1 s"))
    text = (
        f"{HEAD}server:\n  readback: {{{ASKS}}}\nstages:\n  - {{name: record, downstream: slow.yaml}}\n"
        "  - {name: mail, downstream: {like: quick.yaml, name: mail, work: 1 s}}\n"
    )

    readback = parse_composed(text.encode(), file=str(tmp_path / "mine.yaml")).scenario.server.readback

    assert readback is not None
    assert readback.lag_s_max == 7200.0
