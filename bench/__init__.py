"""Benchmarks. Each compares with something that runs on the same machine at the same time."""
