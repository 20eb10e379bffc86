"""Every claim that the README, a notebook or the page makes, with the test that proves it.

To add one: write the sentence, mark it in a text that people write with ``<!-- claim: id -->`` right behind it,
and add a row here. ``tests/test_claims.py`` refuses a claim without its sentence or its test, and a mark without
its claim.
"""

from dataclasses import dataclass

__all__ = ["CLAIMS", "Claim"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One sentence that somebody may rely on.

    Parameters
    ----------
    id
        Short name, the one that stands in the mark.
    where
        File, relative to the checkout, in which the sentence stands word for word (line breaks don't matter).
    sentence
        What is claimed.
    test
        Name of the test that fails if it is not so: ``tests/test_x.py::test_sentence``.
    """

    id: str
    where: str
    sentence: str
    test: str


CLAIMS = (
    Claim(
        id="floors",
        where="README.md",
        sentence="A room imports only from the rows below its own.",
        test="tests/test_floors.py::test_every_room_of_simkit_imports_only_from_the_floors_below",
    ),
    Claim(
        id="light-import",
        where="README.md",
        sentence="`import simkit` loads no heavy library.",
        test="tests/test_tidy.py::test_importing_simkit_loads_no_heavy_library",
    ),
    Claim(
        id="wheel",
        where="README.md",
        sentence="A wheel carries the templates and works outside the checkout.",
        test="tests/test_wheel.py::test_the_wheel_reviews_its_own_template_outside_the_checkout",
    ),
    Claim(
        id="no-skips",
        where="README.md",
        sentence="Under CI a skipped test fails.",
        test="tests/test_tidy.py::test_a_skipped_test_fails_under_ci_and_only_there",
    ),
)
