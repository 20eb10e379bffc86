"""Tests of the promises, on journals written by hand."""
