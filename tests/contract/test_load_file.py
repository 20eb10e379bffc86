"""Files of worlds under load: all of the catalog load, and a wrong one is refused by file, line and field."""

import pytest

from simkit.catalog import load_about, load_names
from simkit.contract import named_load, parse_load
from simkit.errors import InputError

__all__: list[str] = []


@pytest.mark.parametrize("name", load_names())
def test_every_world_under_load_of_the_catalog_loads_with_its_name_and_source(name: str) -> None:
    scenario = named_load(name)

    assert scenario.name == name
    assert scenario.source
    assert load_about(name).endswith(".")


@pytest.mark.parametrize(
    ("more", "told"),
    (
        ("arivals: {client_count: 3}", "mine.yaml:4: arivals: there is no such field"),
        ("service: {work: 3}", "mine.yaml:4: service.work: a duration needs a unit"),
        (
            "service: {work: {kind: normal, mean: 1 s}}",
            "uniform, discrete, folded normal",
        ),
        ("layers: [{name: client, attempts: 0}]", "client.attempts is 1 or more, got 0"),
        ("cut_at: 0 s", "cut_at: later than the last arrival"),
        ("like: retries-non", "retries-none"),
    ),
)
def test_a_wrong_file_is_refused_where_it_is_wrong(more: str, told: str) -> None:
    like = "" if more.startswith("like") else "like: retries-none\n"
    written = f"schema_version: 1\n{like}name: mine\n{more}\n"

    with pytest.raises(InputError) as refused:
        parse_load(written.encode(), file="mine.yaml")

    assert told in str(refused.value)
