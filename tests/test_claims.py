"""Claims and proofs point at each other: a sentence with its test, a mark with its claim, a command with CI."""

import ast
import json
import re
from pathlib import Path

import pytest

from tests.claims import CLAIMS, Claim

__all__: list[str] = []

ROOT = Path(__file__).resolve().parent.parent
MARK = re.compile(r"<!--\s*claim:\s*(\S+)\s*-->")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def read_prose(path: Path) -> str:
    """Return what people read in a file: of a notebook, the text between the code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
    return "\n\n".join("".join(cell["source"]) for cell in cells)


def on_one_line(text: str) -> str:
    """Return the text without comments, and with single spaces."""
    return " ".join(COMMENT.sub(" ", text).split())


def marked_sentences(text: str) -> dict[str, str]:
    """Return for each mark all text that stands before it; a marked sentence is its end."""
    return {match.group(1): on_one_line(text[: match.start()]) for match in MARK.finditer(text)}


def marked_files() -> list[Path]:
    """Return the texts in which people mark claims."""
    return [ROOT / "README.md", *sorted((ROOT / "notebooks").glob("*.ipynb"))]


def test_names(path: Path) -> set[str]:
    """Return the names of the tests that a file defines at its top level."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


test_names.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_stands_word_for_word_where_it_says(claim: Claim) -> None:
    text = read_prose(ROOT / claim.where)

    assert on_one_line(claim.sentence) in on_one_line(text)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_test_of_a_claim_exists(claim: Claim) -> None:
    path, _, name = claim.test.partition("::")

    assert name in test_names(ROOT / path)


@pytest.mark.parametrize("path", marked_files(), ids=lambda path: path.name)
def test_every_marked_sentence_is_a_claim_of_that_file(path: Path) -> None:
    claimed = {claim.id: on_one_line(claim.sentence) for claim in CLAIMS if ROOT / claim.where == path}

    marked = marked_sentences(read_prose(path))

    assert set(marked) == set(claimed)
    assert [name for name, text in marked.items() if not text.endswith(claimed[name])] == []


@pytest.mark.parametrize("name", ("review", "test"))
def test_a_command_of_the_readme_is_one_line_that_sets_itself_up_with_the_pins(name: str) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")

    (block,) = re.findall(rf"^<!-- command: {name} -->\n```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)

    assert block.count("\n") == 1
    assert block.startswith("python3 -m venv .venv && .venv/bin/pip install -q -c .ci/constraints.txt ")


def test_claims_have_names_of_their_own() -> None:
    names = [claim.id for claim in CLAIMS]

    assert len(names) == len(set(names))


def test_a_mark_belongs_to_the_sentence_before_it() -> None:
    text = "One holds.\nTwo <b>also</b>\nholds. <!-- claim: two --> Three. <!-- claim: three -->"

    marked = marked_sentences(text)

    assert marked == {"two": "One holds. Two <b>also</b> holds.", "three": "One holds. Two <b>also</b> holds. Three."}


def test_of_a_notebook_only_the_text_can_claim(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["Said", " here."]},
        {"cell_type": "code", "source": ["# Not said."]},
    ]
    path = tmp_path / "01_question.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")

    assert read_prose(path) == "Said here."
