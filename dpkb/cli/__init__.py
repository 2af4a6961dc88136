"""The command line: one module per command; main.py is the only exit."""
