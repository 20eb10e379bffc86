"""A protocol of three steps, enumerated by hand; the table below is the expectation, and is read by the test.

A server keeps no record. An attempt takes three steps, each of which fails with probability p and succeeds with
q = 1 - p: the request lands, or is lost (R); the effect is made and the server answers, or dies after the
effect (C); the response lands, or is lost (L). After any failure the agent tries once more, after two it gives
up. In each line: what failed in the first and in the second attempt (- nothing, so that it was the last),
the probability, the effects made, and whether the agent was told that it is done.

====  ======  =======  ===========  =======  ====
leaf  first   second   probability  effects  told
====  ======  =======  ===========  =======  ====
1     -       .        q^3          1        yes
2     R       -        p q^3        1        yes
3     R       R        p^2          0        no
4     R       C        p^2 q        1        no
5     R       L        p^2 q^2      1        no
6     C       -        p q^4        2        yes
7     C       R        p^2 q        1        no
8     C       C        p^2 q^2      2        no
9     C       L        p^2 q^3      2        no
10    L       -        p q^5        2        yes
11    L       R        p^2 q^2      1        no
12    L       C        p^2 q^3      2        no
13    L       L        p^2 q^4      2        no
====  ======  =======  ===========  =======  ====

So a second effect has the probability p q^4 (1 + q) + p^2 q^2 (1 + q)^2, about 2p where p is small: leaves 6, 8, 9,
10, 12 and 13. Nobody is told in p^2 (1 + q + q^2)^2 of all cases: one factor for each of two failed attempts.
"""

import re
from fractions import Fraction

import pytest

from simkit.records import Effect
from simkit.scenario import Scenario
from simkit.study.tree import Leaf
from simkit.terms import ClaimKind, LayerName
from tests.builders import a_layer, a_scenario, conditions_with, rates_at, server_with
from tests.oracles.agreement import happened
from tests.oracles.enumerated import all_leaves, exact_ranges

__all__: list[str] = []

LETTERS = {
    "gateway_to_server.request_lost": "R",
    "server.after_effect": "C",
    "gateway_to_server.response_lost": "L",
}

Line = tuple[str, str, int, int, int, str]
"""What failed first and second; exponents of p and q; effects; told or not."""


def three_steps(probability: float) -> Scenario:
    """The protocol of the table."""
    layers = (a_layer(LayerName.AGENT, attempts=2), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0))
    scenario = server_with(a_scenario(layers=layers), claim=ClaimKind.NONE)
    return conditions_with(scenario, rates=rates_at(probability, *LETTERS))


def table() -> list[Line]:
    """The lines of the table at the top of this file."""
    assert __doc__ is not None
    pattern = r"\d+ +([-RCL]) +([-.RCL]) +((?:[pq](?:\^\d)? )+) +(\d) +(yes|no)"
    return [
        (first, second, exponent("p", monomial), exponent("q", monomial), int(effects), told)
        for first, second, monomial, effects, told in re.findall(pattern, __doc__)
    ]


def exponent(letter: str, monomial: str) -> int:
    """How often a factor stands in a product: 3 for q in `p q^3`."""
    found = re.search(rf"{letter}(?:\^(\d))?", monomial)
    return 0 if found is None else int(found[1] or 1)


def line_of(leaf: Leaf) -> Line:
    """A leaf of simkit as a line of the table."""
    failed = {"1": "-", "2": "-"}
    for asked in leaf.trace:
        site, _, path = asked.site.partition("@")
        if asked.answer:
            failed[path[0]] = LETTERS[site]
    second = "." if failed["1"] == "-" else failed["2"]
    fault_count = sum(asked.answer for asked in leaf.trace)
    _, _, _, is_not_told, _ = happened(leaf.run.journal)
    effect_count = len(leaf.run.journal.of(Effect))
    told = "no" if is_not_told else "yes"
    return failed["1"], second, fault_count, len(leaf.trace) - fault_count, effect_count, told


def test_simkit_finds_the_leaves_that_were_found_by_hand_and_no_others() -> None:
    found = all_leaves(three_steps(0.25))

    assert len(table()) == 13
    assert sorted(line_of(leaf) for leaf in found) == sorted(table())


@pytest.mark.parametrize("rate", (0.001, 0.25, 0.5))
def test_simkit_gets_the_polynomials_that_were_summed_by_hand(rate: float) -> None:
    p = Fraction(str(rate))
    q = 1 - p
    scenario = three_steps(rate)

    duplicate, _, _, not_told, no_effect = exact_ranges(scenario, all_leaves(scenario), happened)

    by_hand = sum((p**i * q**j for _, _, i, j, effects, _ in table() if effects > 1), start=Fraction(0))
    assert sum(p**i * q**j for _, _, i, j, _, _ in table()) == 1
    assert by_hand == p * q**4 * (1 + q) + p**2 * q**2 * (1 + q) ** 2
    assert duplicate == (by_hand, by_hand)
    assert not_told == (p**2 * (1 + q + q**2) ** 2,) * 2
    assert no_effect == (p**2, p**2)
