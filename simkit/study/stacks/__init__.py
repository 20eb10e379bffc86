"""Stacks of the catalog: agent, gateway, SDKs, write path and system of record, explored and weighed together."""

from simkit.study.stacks.budgets import LayerBudget, last_arrival_s, layer_budgets
from simkit.study.stacks.findings import CanBeMade, SystemsFindings, by_system, systems_findings, window_in_words
from simkit.study.stacks.guesses import Turned, turned_guesses
from simkit.study.stacks.layer_counts import FAILURES, counted_runs, counts_frame
from simkit.study.stacks.layered import LayeredResult, budgets_frame, layered
from simkit.study.stacks.outage import OutageCourse, outage_course, stack_under_load
from simkit.study.stacks.protection import Protection, protection
from simkit.study.stacks.stack import Stack, WritePath, composed_stack, stack_scenario, system_entry
from simkit.study.stacks.system_rows import SystemRow, system_row
from simkit.study.stacks.system_table import (
    COLUMNS,
    SYSTEMS_TABLE,
    explored_rows,
    stale_systems,
    systems_frame,
    table_content,
)

__all__ = [
    "COLUMNS",
    "FAILURES",
    "SYSTEMS_TABLE",
    "CanBeMade",
    "LayerBudget",
    "LayeredResult",
    "OutageCourse",
    "Protection",
    "Stack",
    "SystemRow",
    "SystemsFindings",
    "Turned",
    "WritePath",
    "budgets_frame",
    "by_system",
    "composed_stack",
    "counted_runs",
    "counts_frame",
    "explored_rows",
    "last_arrival_s",
    "layer_budgets",
    "layered",
    "outage_course",
    "protection",
    "stack_scenario",
    "stack_under_load",
    "stale_systems",
    "system_entry",
    "system_row",
    "systems_findings",
    "systems_frame",
    "table_content",
    "turned_guesses",
    "window_in_words",
]
