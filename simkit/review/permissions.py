"""The permission table: what each layer may do next, given what it knows, as a grid of words.

========  ==========================================================
word      meaning
========  ==========================================================
yes       no continuation within the conditions breaks an effect promise
no (n)    refused or withdrawn, for the reason with that number
hold      not explored, so the owner decides
========  ==========================================================

Holding and stopping are never refused: they are what is left. What follows then is judged with one attempt.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from simkit.review.page import Block, Row, Text, Tone, plain, row
from simkit.review.wording import count_words, layer_words
from simkit.study.results import Cell
from simkit.terms import Action, EvidenceKind, Knowledge, LayerName

__all__ = ["cut_refusals", "cut_rows", "permission_blocks"]

_NOT_EXPLORED = "hold"

_HEADINGS = MappingProxyType({Action.NEW_OPERATION: "new operation", Action.HOLD: "hold"})


class _Place(NamedTuple):
    """A row of the grid: what a layer knows of a stage."""

    layer: LayerName
    stage: str
    known: Knowledge
    is_id_persisted: bool

    @property
    def order(self) -> tuple[int, int, bool]:
        """Layers outermost first, then what is known in the order of the words; stages keep theirs."""
        return tuple(LayerName).index(self.layer), tuple(Knowledge).index(self.known), not self.is_id_persisted


_Cells = Mapping[tuple[_Place, Action], Cell]


def permission_blocks(cells: tuple[Cell, ...], *, is_complete: bool) -> tuple[Block, Block]:
    """The grid, and the numbered reasons of what it refuses.

    The stage is named only where there are several, and the ID only where it can be lost.

    Parameters
    ----------
    cells
        In any order, but for the stages; a cell that is missing was not explored.
    is_complete
        Whether the exploration of the cells reached its end.
    """
    by_place: _Cells = {(_place(cell), cell.action): cell for cell in cells}
    explored = [cell for cell in cells if cell.is_permitted is not None]
    stages = tuple(dict.fromkeys(cell.stage for cell in cells))
    places = sorted(
        dict.fromkeys(_place(cell) for cell in explored),
        key=lambda place: (place.order[0], stages.index(place.stage), place.order),
    )
    tried = {cell.action for cell in explored}
    columns = [action for action in Action if action in tried]
    numbers = _numbers(by_place, places, columns)
    rows = tuple(_grid_row(by_place, place, columns, numbers, names_stage=len(stages) > 1) for place in places)
    grid = Block(
        name="permissions",
        title="What each layer may do next",
        evidence=EvidenceKind.SIMULATED,
        columns=("Layer", "It knows", *(_HEADINGS.get(action, str(action)) for action in columns)),
        rows=rows,
        noun="row",
        nouns="rows",
        notes=_notes(cells, tried, is_complete=is_complete),
    )
    refusals = Block(
        name="refusals",
        title="Why an action was refused",
        evidence=EvidenceKind.SIMULATED,
        columns=(),
        rows=tuple(row(f"({number})", reason) for reason, number in numbers.items()),
        noun="reason",
        nouns="reasons",
    )
    return grid, refusals


def _place(cell: Cell) -> _Place:
    return _Place(cell.layer, cell.stage, cell.known, cell.is_id_persisted)


def _numbers(by_place: _Cells, places: list[_Place], columns: list[Action]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for place in places:
        for action in columns:
            cell = by_place.get((place, action))
            if cell is not None and cell.is_permitted is False and cell.reason:
                numbers.setdefault(cell.reason, len(numbers) + 1)
    return numbers


def _grid_row(
    by_place: _Cells, place: _Place, columns: list[Action], numbers: dict[str, int], *, names_stage: bool
) -> Row:
    texts = []
    for action in columns:
        cell = by_place.get((place, action))
        texts.append(_cell_text(cell, numbers) if cell is not None else plain(_NOT_EXPLORED, Tone.MUTED))
    layer = layer_words(place.layer)
    known = str(place.known) if place.is_id_persisted else f"{place.known}, ID lost"
    return row(f"{layer}, {place.stage}" if names_stage else layer, known, *texts)


def _cell_text(cell: Cell, numbers: dict[str, int]) -> Text:
    if cell.is_permitted is None:
        return Text(text=_NOT_EXPLORED, tone=Tone.MUTED, is_marked=cell.is_declared)
    if cell.is_permitted:
        return Text(text="yes", tone=Tone.GOOD, is_marked=cell.is_declared)
    return Text(text="no", tone=Tone.BAD, is_marked=cell.is_declared, note_number=numbers.get(cell.reason, 0))


def _notes(cells: tuple[Cell, ...], tried: set[Action], *, is_complete: bool) -> tuple[str, ...]:
    if not tried:
        return ("No row was explored: hold for the owner.",)
    notes = ["▸ done today. Every other row, and 'hold' in a cell: not explored, so hold for the owner."]
    untried = [str(action) for action in Action if action not in tried]
    if untried:
        notes.append(f"Not explored anywhere: {', '.join(untried)}.")
    withdrawn_count = sum(cell.is_withdrawn for cell in cells)
    if withdrawn_count:
        words = count_words(withdrawn_count, "cell was", "cells were")
        notes.append(f"{words} withdrawn when every layer did whatever it may.")
    if not is_complete:
        notes.append("The exploration was stopped before its end: no cell is proved.")
    return tuple(notes)


def cut_rows(grid: Block, row_count_max: int) -> Block:
    """Keep that many rows of the grid: first those in which something is refused, in their order."""
    if len(grid.rows) <= row_count_max:
        return grid
    ranked = sorted(range(len(grid.rows)), key=lambda index: (_rank(grid.rows[index]), index))
    kept = frozenset(ranked[:row_count_max])
    rows = [entry for index, entry in enumerate(grid.rows) if index in kept]
    rows += [entry for index, entry in enumerate(grid.rows) if index not in kept]
    return replace(grid, rows=tuple(rows)).cut(row_count_max)


def _rank(entry: Row) -> int:
    refused = [text for text in entry.cells if text.tone is Tone.BAD]
    if any(text.is_marked for text in refused):
        return 0
    return 1 if refused else 2


def cut_refusals(grid: Block, refusals: Block, row_count_max: int) -> tuple[Block, Block]:
    """Keep the first reasons; the grid drops the numbers of the others, and reasons that no row needs go too."""
    used = {text.note_number for entry in grid.rows for text in entry.cells}
    needed = [entry for number, entry in enumerate(refusals.rows, start=1) if number in used]
    unneeded = [entry for number, entry in enumerate(refusals.rows, start=1) if number not in used]
    renumbered = {
        int(entry.cells[0].text.strip("()")): number for number, entry in enumerate(needed[:row_count_max], start=1)
    }
    texts = [row(f"({number})", entry.cells[1]) for number, entry in enumerate((*needed, *unneeded), start=1)]
    rows = tuple(
        replace(
            entry,
            cells=tuple(replace(text, note_number=renumbered.get(text.note_number, 0)) for text in entry.cells),
        )
        for entry in grid.rows
    )
    kept_count = min(row_count_max, len(needed))
    return replace(grid, rows=rows), replace(refusals, rows=tuple(texts)).cut(kept_count)
