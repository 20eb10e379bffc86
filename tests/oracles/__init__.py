"""Oracles: the same protocols solved by somebody else, to compare with."""
