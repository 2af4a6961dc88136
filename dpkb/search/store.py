"""Keeps the search index up to date with the catalogue, and searches it.

The index is a file in the cache folder of the user, and its content is trusted.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from dpkb import __version__
from dpkb.errors import DpkbError
from dpkb.paths import (
    KB_FOLDER,
    MESSAGES_SUFFIX,
    SEARCH_SUFFIX,
    SIGNPOSTS_NAME,
    find_cache_folder,
    is_entry_file,
)
from dpkb.search.index import StaleIndex, open_index
from dpkb.search.rank import SearchResult, search

# How often a catalogue is read if it changes meanwhile.
_MAX_READS = 2


def find_entries(
    folders: list[Path], question: str, limit: int, kind: str | None = None, family: str | None = None
) -> SearchResult:
    """The entries that answer a question best, at most `limit`; builds the index if it is out of date.

    Raises DpkbError if a catalogue cannot be read.
    """
    # Bytes of the command line that are not UTF-8 arrive as surrogates, which the database refuses.
    question = question.encode("utf-8", "replace").decode()
    path = _find_index_path(folders)
    with contextlib.suppress(StaleIndex), _open_current(folders, path) as connection:
        return search(connection, question, limit, kind, family)
    with contextlib.closing(_build(folders, path)) as connection:
        return search(connection, question, limit, kind, family)


@contextlib.contextmanager
def _open_current(folders: list[Path], path: Path | None) -> Iterator[sqlite3.Connection]:
    """Open the index if it was built from the catalogue as it is now. Raises StaleIndex."""
    if path is None:
        raise StaleIndex
    connection, notes = open_index(path)
    with contextlib.closing(connection):
        if notes.get("catalogue") != _describe_catalogue(folders):
            raise StaleIndex
        yield connection


def _build(folders: list[Path], path: Path | None) -> sqlite3.Connection:
    """Read the catalogue and build its index; keep it in memory if it cannot be written."""
    # Imported only here: to load these takes longer than a search.
    from dpkb.catalogue.load import load
    from dpkb.search import build

    notes: dict[str, str] = {}
    for _ in range(_MAX_READS):
        # Before the entries are read, so that the next search notices a change meanwhile.
        before = _describe_catalogue(folders)
        catalogue = load(folders)
        notes = {"catalogue": before, "unreadable": str(catalogue.unreadable_count)}
        # A file that was removed after it was listed is not an unreadable entry: read again.
        if not catalogue.unreadable_count or _describe_catalogue(folders) == before:
            break
    try:
        return build.build(catalogue, notes, path, catalogue.signposts)
    except (OSError, sqlite3.Error, StaleIndex):
        # A full disk, a folder without write permission, another process: keep the index in memory.
        return build.build(catalogue, notes, None, catalogue.signposts)


def _find_index_path(folders: list[Path]) -> Path | None:
    """Where the index of these catalogues is kept; None if there is no cache folder."""
    cache = find_cache_folder()
    return cache / f"index-{crc32(_join_folder_names(folders).encode()):08x}.sqlite" if cache else None


def _join_folder_names(folders: list[Path]) -> str:
    # A database accepts only text, and the name of a folder may be any bytes.
    return "\n".join(map(str, folders)).encode(errors="backslashreplace").decode()


def _describe_catalogue(folders: list[Path]) -> str:
    """The version of dpkb, the folders, and a checksum over the name, size and time of every file of entries.

    Raises DpkbError if a folder cannot be read.
    """
    checksum, count, latest = 0, 0, 0
    for folder in folders:
        rows = []
        try:
            with os.scandir(folder / KB_FOLDER) as files:
                for file in files:
                    if is_entry_file(file.name) or file.name.endswith(
                        (SEARCH_SUFFIX, MESSAGES_SUFFIX, SIGNPOSTS_NAME)
                    ):
                        with contextlib.suppress(FileNotFoundError):  # removed since it was listed
                            status = _read_status(file)
                            latest = max(latest, status.st_mtime_ns)
                            rows.append(f"{file.name}\0{status.st_size}\0{status.st_mtime_ns}")
        except OSError as error:
            raise DpkbError(f"{error.filename}: cannot be read: {error.strerror}") from None
        checksum = crc32(os.fsencode("\n".join(sorted(rows))), checksum)
        count += len(rows)
    return "\n".join([__version__, _join_folder_names(folders), f"{checksum:08x} {count} {latest}"])


def _read_status(file: os.DirEntry[str]) -> os.stat_result:
    try:
        return file.stat()
    except OSError:  # a link that leads nowhere
        return file.stat(follow_symlinks=False)
