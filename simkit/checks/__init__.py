"""Promises: each check reads a journal, and nothing else, and decides it for every intent."""

from simkit.checks.finding import Finding

__all__ = ["Finding"]
