"""Tests of the study: trees, probabilities, explorations, permissions, samples, windows, verdicts."""
