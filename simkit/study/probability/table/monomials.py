"""Rows of equal exponents merged, and their values at given logarithms.

The exponents of a few columns at a time take few different values. So exponentials are taken of those, a *block*,
and only multiplied for all rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "Ints", "Monomials", "merged"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BLOCK_COUNT_MAX = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """Some columns: their different rows of exponents, and which of them each merged row has."""

    columns: Ints
    exponents: Floats
    of_rows: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Monomials:
    """Merged rows.

    Parameters
    ----------
    coefficients
        Sum of the weights of the rows that were merged.
    keys
        One row of keys for each merged row; rows with other keys are not merged.
    """

    coefficients: Floats
    keys: Ints
    blocks: tuple[_Block, ...]

    def values(self, logarithms: Floats) -> Floats:
        """Each merged row: coefficient times the exponential of exponents times logarithms."""
        values = self.coefficients.copy()
        factors = np.empty_like(values)
        for block in self.blocks:
            of_block = np.exp(block.exponents @ logarithms[block.columns])
            # The indices are right by construction; not to check them saves half of the time.
            np.take(of_block, block.of_rows, out=factors, mode="clip")
            values *= factors
        return values

    def exponents_weighted(self, weights: Floats, column_count: int) -> Floats:
        """Sum over the merged rows of weight times exponent, for each column."""
        sums = np.zeros(column_count)
        for block in self.blocks:
            by_block_row = np.bincount(block.of_rows, weights, minlength=len(block.exponents))
            sums[block.columns] = by_block_row @ block.exponents
        return sums


def merged(exponents: Ints, keys: Ints, weights: Floats) -> Monomials:
    """Merge rows with equal exponents and equal keys.

    Parameters
    ----------
    exponents
        Shape (rows, columns), not negative.
    keys
        Shape (rows, keys), not negative.
    weights
        Shape (rows,).
    """
    chunks = list(_chunks(exponents))
    row_codes = _joined([*(codes for _, codes in chunks), *keys.T])
    _, first, merged_rows = np.unique(row_codes, return_index=True, return_inverse=True)
    blocks = []
    for columns, codes in chunks:
        _, first_of_code = np.unique(codes, return_index=True)
        blocks.append(
            _Block(
                columns=np.array(columns, dtype=np.int64),
                exponents=exponents[first_of_code][:, columns].astype(np.float64),
                of_rows=codes[first],
            )
        )
    coefficients = np.bincount(merged_rows, weights, minlength=len(first)).astype(np.float64)
    return Monomials(coefficients=coefficients, keys=keys[first], blocks=tuple(blocks))


def _chunks(exponents: Ints) -> Iterator[tuple[list[int], Ints]]:
    """Columns that together take few different values, with the number of its value for each row."""
    columns: list[int] = []
    codes = np.zeros(len(exponents), dtype=np.int64)
    for column in range(exponents.shape[1]):
        joined = _joined([codes, exponents[:, column]])
        if columns and joined.max(initial=0) >= BLOCK_COUNT_MAX:
            yield columns, codes
            columns, joined = [], _joined([exponents[:, column]])
        columns, codes = [*columns, column], joined
    yield columns, codes


def _joined(parts: Sequence[Ints]) -> Ints:
    """One number for each different combination, from 0."""
    codes = parts[0]
    for part in parts:
        _, codes = np.unique(codes * (part.max(initial=0) + 1) + part, return_inverse=True)
    return codes
