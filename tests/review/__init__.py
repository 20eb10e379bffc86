"""The page, drawn from hand-made studies."""
