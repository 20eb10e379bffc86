"""The safe part of YAML that is read: what it means, what of YAML is refused, and that noise never hurts."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simkit.contract.reading import read_tree
from tests.contract.ticket_review import TEMPLATES, TICKET_TEXT, document, problems_in

TICKET_BYTES = TICKET_TEXT.encode()
PRINTABLE = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=20)
SCALARS = st.none() | st.booleans() | st.integers(-(10**15), 10**15) | PRINTABLE
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PRINTABLE, inner, max_size=3),
    max_leaves=10,
)


def read(text: str) -> object:
    return read_tree(text.encode(), "review.yaml").value


@settings(deadline=None)
@given(st.dictionaries(PRINTABLE, VALUES, max_size=4))
def test_every_json_document_is_read_as_json_reads_it(value: dict[str, object]) -> None:
    written = json.dumps(value, ensure_ascii=False, indent=1)

    assert read(written) == json.loads(written)


@pytest.mark.parametrize("name", ("full.yaml", "minimal.yaml", "examples/create_ticket.yaml"))
def test_the_templates_say_the_same_to_ruamel(name: str) -> None:
    path = TEMPLATES / name

    assert read(path.read_text(encoding="utf-8")) == document(path)


@pytest.mark.parametrize(
    ("written", "value"),
    (
        ("on", "on"),
        ("off", "off"),
        ("yes", "yes"),
        ("no", "no"),
        ("y", "y"),
        ("true", True),
        ("'true'", "true"),
        ("FALSE", False),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-3", -3),
        ("0.5", 0.5),
        ("1e-4", 0.0001),
        (".5", 0.5),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("2026-11-30", "2026-11-30"),
        ("12:30", "12:30"),
        (".inf", ".inf"),
        ("15 min", "15 min"),
    ),
)
def test_a_scalar_means_what_yaml_1_2_says_and_words_stay_words(written: str, value: object) -> None:
    found = read(f"a: {written}")

    assert found == {"a": value}
    assert isinstance(found, dict)
    assert type(found["a"]) is type(value)


@pytest.mark.parametrize(
    ("content", "line", "field", "message"),
    (
        ("a: 1\nb: &x 1", 2, "b", "an anchor (&)"),
        ("a: 1\nb: *x", 2, "b", "an alias (*)"),
        ("a: !!python/object/apply:os.system ['true']", 1, "a", "a YAML tag (!)"),
        ("a:\n  b: 1\n  b: 2", 3, "a.b", "the field is written twice, first on line 2"),
        ("a: 1\n---\nb: 2", 2, "", "a second document begins"),
        ("%YAML 1.1\n---\na: on", 2, "", "a YAML directive (%)"),
        ("? [1, 2]\n: 3", 1, "", "a field's name is a list or a mapping"),
        ("a: [1\nb: 2", 2, "", "this is not valid YAML: expected ',' or ']', but got ':'"),
        ("a: 1\nb: \x07", 2, "", "a control character"),
        ('a: "\\a"', 1, "a", "a control character"),
        ('a: "\\ud800"', 1, "a", "a control character"),
        ("a: 1\nb: \u202e1", 2, "", "a control character"),
        ('a: "\\UFFFFFFFF"', 1, "", "this is not valid YAML here or shortly after"),
        (b"a: 1\nb: \xff", 2, "", "the file is not UTF-8"),
        ("a: 1\n" + "b" * 2001, 2, "", "the line is too long"),
        ("a: " + "[" * 1000, 1, "a" + ".0" * 15, "the nesting is too deep"),
        ("\n".join(f"k{number}: 1" for number in range(6000)), 5001, "", "the file has too many values"),
        ("a: [" + ("1, " * 500 + "\n ") * 11 + "]", 10, "", "the file has too many values"),
        ("", 0, "", "this is no review file"),
        ("- a", 0, "", "this is no review file"),
    ),
)
def test_what_is_more_than_plain_data_is_refused_where_it_stands(
    content: str | bytes, line: int, field: str, message: str
) -> None:
    (problem,) = problems_in(content)

    assert (problem.line, problem.field, problem.message) == (line, field, message)
    assert "\n" not in str(problem)


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert read("\ufeffa: 1") == {"a": 1}


@pytest.mark.parametrize(
    "unit", ("- ", "{", "? ", "!", "&a ", "'", "\n", "#\n", "---\n", "a: |\n  x\n", ":", "%", "[1,")
)
def test_a_million_bytes_of_one_sign_are_a_problem_of_one_line_each(unit: str) -> None:
    content = unit * (1_000_000 // len(unit))

    problems = problems_in(content)

    assert problems
    assert all("\n" not in str(problem) for problem in problems)


def review_or_problems(content: bytes) -> None:
    problems = problems_in(content)

    assert all(str(problem).startswith("review.yaml") for problem in problems)
    assert all(str(problem).isprintable() for problem in problems)


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_noise_gives_problems_and_never_a_traceback(content: bytes) -> None:
    review_or_problems(content)


@settings(deadline=None)
@given(st.text(st.sampled_from("ab01 \n\t-:?[]{},&*!|>'\"%@`#~.<\\ue\u2028"), max_size=60))
def test_noise_out_of_yaml_signs_never_gives_a_traceback(text: str) -> None:
    review_or_problems(text.encode())


@settings(deadline=None)
@given(st.integers(0, len(TICKET_BYTES)), st.integers(0, 30), st.binary(max_size=12))
def test_a_review_with_bytes_exchanged_never_gives_a_traceback(start: int, length: int, other: bytes) -> None:
    review_or_problems(TICKET_BYTES[:start] + other + TICKET_BYTES[start + length :])


def places(value: Any, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(found for key, item in inner for found in places(item, (*place, key)))]


TICKET = document(TEMPLATES / "examples" / "create_ticket.yaml")


@settings(deadline=None)
@given(st.sampled_from(places(TICKET)[1:]), VALUES | st.floats() | st.just("unknown"))
def test_a_review_with_any_value_anywhere_never_gives_a_traceback(place: tuple[str | int, ...], other: object) -> None:
    changed = json.loads(json.dumps(TICKET))
    part = changed
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = other

    review_or_problems(json.dumps(changed, indent=1).encode())
