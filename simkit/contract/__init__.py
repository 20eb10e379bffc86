"""The files that people write: read, checked, and said back in plain words.

`load_review` turns a review file into a frozen `Review`; everything that is wrong with the file comes
back at once, as the problems of one `InputError`.
"""

from simkit.contract.answers import UNKNOWN, NotApplicable, Unknown
from simkit.contract.checking import Checked, check_content
from simkit.contract.durations import Duration, seconds
from simkit.contract.file_kinds import FileKind, kind_of_file
from simkit.contract.file_schemas import policy_schema, scenario_schema, system_schema
from simkit.contract.incident_file import Incident, parse_incident
from simkit.contract.known_entries import Entry, entries, entries_at, entry_document, read_entry
from simkit.contract.load_file import load_at, named_load, parse_load
from simkit.contract.loading import load_review, parse_review, read_content, review_digest
from simkit.contract.review import GuaranteedRetention, Review
from simkit.contract.scenario_file import Composed, composed, parse_composed, parse_scenario, scenario_text
from simkit.contract.schema import review_schema
from simkit.contract.sources import Sourced, about_named_scenarios, named_scenario, read_scenario, scenario_at
from simkit.contract.taken import Taken
from simkit.contract.translation import Translation, scenario_of

__all__ = [
    "UNKNOWN",
    "Checked",
    "Composed",
    "Duration",
    "Entry",
    "FileKind",
    "GuaranteedRetention",
    "Incident",
    "NotApplicable",
    "Review",
    "Sourced",
    "Taken",
    "Translation",
    "Unknown",
    "about_named_scenarios",
    "check_content",
    "composed",
    "entries",
    "entries_at",
    "entry_document",
    "kind_of_file",
    "load_at",
    "load_review",
    "named_load",
    "named_scenario",
    "parse_composed",
    "parse_incident",
    "parse_load",
    "parse_review",
    "parse_scenario",
    "policy_schema",
    "read_content",
    "read_entry",
    "read_scenario",
    "review_digest",
    "review_schema",
    "scenario_at",
    "scenario_of",
    "scenario_schema",
    "scenario_text",
    "seconds",
    "system_schema",
]
