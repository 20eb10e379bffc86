"""Stored tables: read as they were written, and refused where anything else lies there."""

import hashlib
from pathlib import Path

import pytest

from simkit.catalog import read_table, write_table
from simkit.errors import InputError

__all__: list[str] = []


def test_a_table_is_read_as_it_was_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"

    write_table(path, b"n,square\n2,4\n")

    assert read_table(path) == b"n,square\n2,4\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["numbers.csv", "numbers.sha256"]


def test_the_digest_is_the_one_that_sha256sum_checks(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"

    write_table(path, b"n\n1\n")

    digest, _, name = (tmp_path / "numbers.sha256").read_text().strip().partition("  ")
    assert (digest, name) == (hashlib.sha256(b"n\n1\n").hexdigest(), "numbers.csv")


def test_a_table_that_somebody_changed_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    write_table(path, b"n,square\n2,4\n")
    path.write_bytes(b"n,square\n2,5\n")

    with pytest.raises(InputError, match=r"numbers\.csv.*digest"):
        read_table(path)
