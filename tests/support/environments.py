"""Folders that look like a Python environment, with the names of the packages that are installed there."""

from pathlib import Path


def make_environment(folder: Path, **packages: str) -> Path:
    """An environment with these versions of packages. Returns the path of its Python, which cannot run."""
    site = folder / "lib" / "python3.11" / "site-packages"
    for name, version in packages.items():
        (site / f"{name}-{version}.dist-info").mkdir(parents=True)
    (folder / "bin").mkdir()
    python = folder / "bin" / "python"
    python.write_text("#!/bin/false\n")
    return python
