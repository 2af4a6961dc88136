"""A question -> ranked entries."""
