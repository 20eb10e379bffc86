"""The tests; a package, so that no other installed folder called `tests` can take its place."""

__all__: list[str] = []
