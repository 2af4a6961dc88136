"""The text of a reproducer: docstring, rules, fingerprint, diff."""
