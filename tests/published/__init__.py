"""Results that other people published, reproduced by the worlds of the catalog."""
