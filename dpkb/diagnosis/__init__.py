"""A log -> the entries that explain it."""
