"""Tests of the numbers, against oracles and published values."""
