"""What recorded runs have shown."""
