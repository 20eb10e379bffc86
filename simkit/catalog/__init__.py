"""Worlds, systems of record and retry policies that come with the workbench, by name: data with its source."""

from simkit.catalog.entries import (
    CheckedAgainst,
    PolicyEntry,
    PolicyGrade,
    PolicyKind,
    ReadbackOffer,
    Source,
    SourceKind,
    SystemEntry,
    SystemGrade,
)
from simkit.catalog.incidents import incident_content, incident_names, incident_title
from simkit.catalog.loads import load_about, load_content, load_names
from simkit.catalog.nearest import nearest_names
from simkit.catalog.policies import policy_content, policy_names
from simkit.catalog.policy_facts import (
    FAILURES,
    IDEMPOTENT,
    WRITE,
    LongestTime,
    RetryRow,
    first_waits,
    longest_time,
    retry_rows,
)
from simkit.catalog.scenarios import scenario_about, scenario_content, scenario_names
from simkit.catalog.searching import matches
from simkit.catalog.systems import system_content, system_names
from simkit.catalog.tables import read_table, table_path, write_table

__all__ = [
    "FAILURES",
    "IDEMPOTENT",
    "WRITE",
    "CheckedAgainst",
    "LongestTime",
    "PolicyEntry",
    "PolicyGrade",
    "PolicyKind",
    "ReadbackOffer",
    "RetryRow",
    "Source",
    "SourceKind",
    "SystemEntry",
    "SystemGrade",
    "first_waits",
    "incident_content",
    "incident_names",
    "incident_title",
    "load_about",
    "load_content",
    "load_names",
    "longest_time",
    "matches",
    "nearest_names",
    "policy_content",
    "policy_names",
    "read_table",
    "retry_rows",
    "scenario_about",
    "scenario_content",
    "scenario_names",
    "system_content",
    "system_names",
    "table_path",
    "write_table",
]
