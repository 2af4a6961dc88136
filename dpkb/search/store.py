"""Keeps the search index up to date with the catalogue, and searches it.

The index is a file in the user's own cache, which is trusted: an index edited by hand answers as edited.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from dpkb import __version__
from dpkb.errors import DpkbError
from dpkb.paths import KB_FOLDER, SEARCH_SUFFIX, cache_folder, is_entry_file
from dpkb.search.index import StaleIndex, open_index
from dpkb.search.rank import SearchResult, search

# With very many files a look at each of them takes longer than a search. A larger catalogue than this is
# looked at once a minute, and in between only the times of its folders are compared. These change when a
# file is added, removed or replaced, but not when one is rewritten in place.
MANY_FILES = 2000
_SECONDS_BETWEEN_LOOKS = 60.0
# An empty file beside the index: its time is that of the last look at every file.
_LOOK_SUFFIX = ".looked"
# How often a catalogue is read that changes meanwhile.
_TRIES = 2


def find(folders: list[Path], question: str, most: int, kind: str | None = None,
         family: str | None = None) -> SearchResult:
    """The entries that answer a question best. Builds the index again if the catalogue has changed.

    Raises DpkbError if a catalogue cannot be read.
    """
    path = _index_path(folders)
    try:
        return search(_current(folders, path), question, most, kind, family)
    except StaleIndex:
        return search(_build(folders, path), question, most, kind, family)


def _current(folders: list[Path], path: Path | None) -> sqlite3.Connection:
    """The index, if it was built from the catalogue as it is now. Raises StaleIndex."""
    if path is None:
        raise StaleIndex
    connection, notes = open_index(path)
    if notes.get("folders") != _folder_times(folders):
        raise StaleIndex
    has_many_files = int(notes.get("files", 0)) > MANY_FILES
    if has_many_files and 0 <= time.time() - _last_look(path) < _SECONDS_BETWEEN_LOOKS:
        return connection
    if notes.get("state") != _state(folders)[0]:
        raise StaleIndex
    if has_many_files:
        with contextlib.suppress(OSError):  # a read-only cache: the next search looks again
            path.with_suffix(_LOOK_SUFFIX).touch()
    return connection


def _last_look(path: Path) -> float:
    """When every file of the catalogue was last compared with the index; 0 if never."""
    times = [0.0]
    for file in (path, path.with_suffix(_LOOK_SUFFIX)):
        with contextlib.suppress(OSError):
            times.append(file.stat().st_mtime)
    return max(times)


def _build(folders: list[Path], path: Path | None) -> sqlite3.Connection:
    # Imported only here: these take longer to load than a whole search.
    from dpkb.catalogue.load import load
    from dpkb.search import build

    notes: dict[str, str] = {}
    for _ in range(_TRIES):
        # Before the entries are read: the next search then notices a change while they are read.
        state, files = _state(folders)
        notes = {"state": state, "files": str(files), "folders": _folder_times(folders)}
        catalogue = load(folders)
        notes["unreadable"] = str(catalogue.unreadable)
        # A file that was there in the list and gone when it was read is not an unreadable entry.
        if not catalogue.unreadable or _state(folders)[0] == state:
            break
    try:
        return build.build(catalogue, notes, path)
    except (OSError, sqlite3.Error, StaleIndex):
        # A full disk, a folder without write permission, another process: the index stays in memory.
        return build.build(catalogue, notes, None)


def _index_path(folders: list[Path]) -> Path | None:
    """Where the index of these catalogues is kept; None if there is no cache folder."""
    cache = cache_folder()
    return cache / f"index-{crc32(_names(folders).encode()):08x}.sqlite" if cache else None


def _names(folders: list[Path]) -> str:
    # A database keeps only text, and the name of a folder may be any bytes.
    return "\n".join(map(str, folders)).encode(errors="backslashreplace").decode()


@contextlib.contextmanager
def _reading_catalogues() -> Iterator[None]:
    """Raise DpkbError if the folder of a catalogue cannot be read."""
    try:
        yield
    except OSError as error:
        raise DpkbError(f"{error.filename}: cannot be read: {error.strerror}") from None


def _folder_times(folders: list[Path]) -> str:
    with _reading_catalogues():
        times = [str(os.stat(folder / KB_FOLDER).st_mtime_ns) for folder in folders]
    return "\n".join([__version__, _names(folders), *times])


def _state(folders: list[Path]) -> tuple[str, int]:
    """A checksum over the name, size and time of every file of entries, and the number of files."""
    total, count, latest = 0, 0, 0
    for folder in folders:
        with _reading_catalogues(), os.scandir(folder / KB_FOLDER) as files:
            rows = []
            for file in files:
                if is_entry_file(file.name) or file.name.endswith(SEARCH_SUFFIX):
                    with contextlib.suppress(FileNotFoundError):  # removed since it was listed
                        stat = _stat(file)
                        latest = max(latest, stat.st_mtime_ns)
                        rows.append(f"{file.name}\0{stat.st_size}\0{stat.st_mtime_ns}")
        total = crc32(os.fsencode("\n".join(sorted(rows))), total)
        count += len(rows)
    return f"{total:08x} {count} {latest}", count


def _stat(file: os.DirEntry[str]) -> os.stat_result:
    try:
        return file.stat()
    except OSError:  # a link that leads nowhere
        return file.stat(follow_symlinks=False)
