"""Finds the failures of the catalogue that the text of a program shows."""
