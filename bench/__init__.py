"""Benchmarks: ratios against something run beside them, never a wall-clock figure alone."""
