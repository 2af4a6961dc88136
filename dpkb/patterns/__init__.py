"""Patterns in RE2 syntax: matched in linear time, and in words."""
