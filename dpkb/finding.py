"""Keeps the search index in step with the catalogue, and asks it."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from pathlib import Path

from dpkb import __version__, index
from dpkb.paths import KB_FOLDER, cache_folder


def find(folders: list[Path], question: str, most: int, kind: str | None = None,
         family: str | None = None) -> index.Found:
    """The entries that answer a question best; the index is built anew where it has to be."""
    state = catalogue_state(folders)
    path = index_path(folders)
    try:
        if path is None:
            raise index.StaleIndex
        return index.search(index.open_index(path, state), question, most, kind, family)
    except index.StaleIndex:
        return index.search(_build(folders, state, path), question, most, kind, family)


def _build(folders: list[Path], state: str, path: Path | None) -> sqlite3.Connection:
    # Only here: reading the entries takes longer than a whole search does.
    from dpkb.catalogue import load

    catalogue = load(folders)
    unreadable = catalogue.unreadable
    try:
        return index.build(catalogue, unreadable, state, path)
    except (OSError, sqlite3.Error, index.StaleIndex):
        # A full disk, a folder that cannot be written, another process in between: do without.
        return index.build(catalogue, unreadable, state, None)


def index_path(folders: list[Path]) -> Path | None:
    """Where the index of these catalogues is kept; None where there is no place for it."""
    cache = cache_folder()
    name = hashlib.sha256("\n".join(map(str, folders)).encode()).hexdigest()[:16]
    return cache / f"index-{name}.sqlite" if cache else None


def catalogue_state(folders: list[Path]) -> str:
    """A hash over name, size and time of every entry file: it changes when the catalogue does."""
    total = hashlib.blake2b(f"{__version__} {index.LAYOUT}".encode(), digest_size=16)
    for folder in folders:
        with os.scandir(folder / KB_FOLDER) as files:
            rows = []
            for file in files:
                if file.name.endswith(".md") and not file.name.startswith("_"):
                    stat = file.stat()
                    rows.append(f"{file.name}\0{stat.st_size}\0{stat.st_mtime_ns}")
        total.update("\n".join(sorted(rows)).encode() + b"\1")
    return total.hexdigest()
