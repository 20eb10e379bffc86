"""Laws of waits in scenario files: read back as they were written, and refused in one line each."""

from dataclasses import replace

import pytest

from simkit.contract import parse_scenario, scenario_text
from simkit.distributions import Atom, Discrete, Exponential, Law, Lognormal, Uniform, Wait
from simkit.errors import InputError
from simkit.scenario import Scenario
from tests.builders import a_scenario

__all__: list[str] = []

LAWS = (
    Lognormal(median_s=0.02, sigma=1.2),
    Exponential(mean_s=0.5),
    Uniform(shortest_s=0.0, longest_s=3.0),
    Discrete(atoms=(Atom(duration_s=0.25, weight=1.0), Atom(duration_s=2.0, weight=0.5))),
)


def with_law(law: Law | None) -> Scenario:
    first, *others = a_scenario().hops
    request = Wait(s_min=0.0, s_typical=0.02, s_max=5.0, law=law)
    return a_scenario(hops=(replace(first, request=request, latest_landing_s=5.0), *others))


@pytest.mark.parametrize("law", LAWS)
def test_a_law_is_read_back_as_it_was_written(law: Law) -> None:
    scenario = with_law(law)

    again = parse_scenario(scenario_text(scenario).encode(), file="scenario.yaml")

    assert again == scenario


def test_a_law_is_written_by_its_kind_with_units_where_they_belong() -> None:
    text = scenario_text(with_law(LAWS[0]))

    assert "law:\n        kind: lognormal\n        median: 20 ms\n        sigma: 1.2\n" in text


def test_scenarios_with_other_laws_have_other_digests() -> None:
    assert len({with_law(law).digest() for law in (None, *LAWS)}) == 1 + len(LAWS)


@pytest.mark.parametrize(
    ("written", "told"),
    (
        ("law: 3", "fields with their values are expected"),
        ("law: {kind: gaussian, median: 20 ms}", "kind: lognormal, exponential, uniform, discrete"),
        ("law: {median: 20 ms}", "kind: lognormal, exponential, uniform, discrete"),
        ("law: {kind: lognormal, median: 20 ms}", "sigma"),
        ("law: {kind: lognormal, median: 20, sigma: 1}", "a duration needs a unit"),
        ("law: {kind: lognormal, median: 20 ms, sigma: -1}", "sigma is finite and above 0, got -1.0"),
        ("law: {kind: uniform, shortest: 6 s, longest: 7 s}", "exclude each other"),
        ("law: {kind: discrete, atoms: [{duration: 1 s}]}", "weight"),
        ("laws: {}", "this is no wait"),
    ),
)
def test_a_law_without_meaning_is_refused_where_it_stands(written: str, told: str) -> None:
    plain = scenario_text(with_law(LAWS[0]))
    start = plain.index("      law:")
    end = plain.index("    response:", start)
    content = (plain[:start] + f"      {written}\n" + plain[end:]).encode()

    with pytest.raises(InputError) as refused:
        parse_scenario(content, file="scenario.yaml")

    lines = [str(problem) for problem in refused.value.problems]
    assert any(told in line and "hops.0.request" in line for line in lines), lines
