"""What nbval does not compare: the log stream, and pictures, which tests check by their data."""

import pytest

__all__ = ["pytest_collectstart"]


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Add to the outputs that nbval's notebook files leave out."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("stderr", "image/svg+xml")
