"""Keeps the search index in step with the catalogue, and asks it."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from zlib import crc32

from dpkb import __version__, index
from dpkb.errors import DpkbError
from dpkb.paths import KB_FOLDER, cache_folder

# Looking at every file takes longer than a search where there are very many. A catalogue larger
# than this is looked at whole once a minute, and in between by the times of its folders, which
# change when a file is added, removed or replaced, but not when one is rewritten in place.
_MANY_FILES = 2000
_LOOK_AGAIN = 60.0


def find(folders: list[Path], question: str, most: int, kind: str | None = None,
         family: str | None = None) -> index.Found:
    """The entries that answer a question best; the index is built anew where it has to be.

    Raises DpkbError where a catalogue cannot be read.
    """
    path = _index_path(folders)
    try:
        try:
            return index.search(_current(folders, path), question, most, kind, family)
        except index.StaleIndex:
            return index.search(_build(folders, path), question, most, kind, family)
    except OSError as error:
        raise DpkbError(f"{error.filename}: cannot be read: {error.strerror}") from None


def _current(folders: list[Path], path: Path | None) -> sqlite3.Connection:
    """The index, if it was built from the catalogue as it is now. Raises StaleIndex."""
    if path is None:
        raise index.StaleIndex
    connection, notes = index.open_index(path)
    if notes.get("folders") != _folder_times(folders):
        raise index.StaleIndex
    many = int(notes.get("files", 0)) > _MANY_FILES
    if many and time.time() - path.stat().st_mtime < _LOOK_AGAIN:
        return connection
    if notes.get("state") != _state(folders)[0]:
        raise index.StaleIndex
    if many:
        _note_the_look(path)
    return connection


def _note_the_look(path: Path) -> None:
    try:
        os.utime(path)
    except OSError:
        return  # a read-only cache: the next search looks again


def _build(folders: list[Path], path: Path | None) -> sqlite3.Connection:
    # Only here: reading the entries takes longer than a whole search does.
    from dpkb import index_build
    from dpkb.catalogue import load

    # Before the entries are read: what changes meanwhile is then seen by the next search.
    state, files = _state(folders)
    notes = {"state": state, "files": str(files), "folders": _folder_times(folders)}
    catalogue = load(folders)
    notes["unreadable"] = str(catalogue.unreadable)
    try:
        return index_build.build(catalogue, notes, path)
    except (OSError, sqlite3.Error, index.StaleIndex):
        # A full disk, a folder that cannot be written, another process in between: do without.
        return index_build.build(catalogue, notes, None)


def _index_path(folders: list[Path]) -> Path | None:
    """Where the index of these catalogues is kept; None where there is no place for it."""
    cache = cache_folder()
    return cache / f"index-{crc32(_names(folders).encode()):08x}.sqlite" if cache else None


def _names(folders: list[Path]) -> str:
    # A folder whose name is no text is still a name, and a database keeps only text.
    return "\n".join(map(str, folders)).encode(errors="backslashreplace").decode()


def _folder_times(folders: list[Path]) -> str:
    times = [str(os.stat(folder / KB_FOLDER).st_mtime_ns) for folder in folders]
    return "\n".join([__version__, _names(folders), *times])


def _state(folders: list[Path]) -> tuple[str, int]:
    """A check sum over name, size and time of every entry file, and how many there are."""
    total, count, latest = 0, 0, 0
    for folder in folders:
        with os.scandir(folder / KB_FOLDER) as files:
            rows = []
            for file in files:
                if file.name.endswith(".md") and not file.name.startswith("_"):
                    try:
                        stat = file.stat()
                    except OSError:  # a link that leads nowhere, a file that is just being replaced
                        stat = file.stat(follow_symlinks=False)
                    latest = max(latest, stat.st_mtime_ns)
                    rows.append(f"{file.name}\0{stat.st_size}\0{stat.st_mtime_ns}")
        total = crc32(os.fsencode("\n".join(sorted(rows))), total)
        count += len(rows)
    return f"{total:08x} {count} {latest}", count
