"""Worlds that come with the workbench, by name: data with its source, and nothing that runs."""

from simkit.catalog.incidents import incident_content, incident_names, incident_title
from simkit.catalog.nearest import nearest_names
from simkit.catalog.scenarios import scenario_about, scenario_content, scenario_names

__all__ = [
    "incident_content",
    "incident_names",
    "incident_title",
    "nearest_names",
    "scenario_about",
    "scenario_content",
    "scenario_names",
]
