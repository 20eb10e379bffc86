"""Real libraries against the policies of their entries in the catalog: the same faults, the same conduct."""
