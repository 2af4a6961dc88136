"""Code -> findings: the failures of the catalogue that can be seen in a program's text."""
