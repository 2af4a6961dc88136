"""Loads kb/ as one Catalogue, with every problem in the texts of its entries."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from dpkb import files
from dpkb.catalogue import parse
from dpkb.errors import DpkbError, UnknownName
from dpkb.ids import normalize_id, order_of
from dpkb.model import Entry, Family, Problem, RecordedMessage, Reproducer, Script, Signpost
from dpkb.paths import (
    FAMILIES_FOLDER,
    KB_FOLDER,
    MESSAGES_SUFFIX,
    REPRODUCERS_FOLDER,
    SEARCH_SUFFIX,
    SIGNPOSTS_NAME,
    file_beside,
    is_entry_file,
)
from dpkb.scripts import docstring, rules
from dpkb.text import join_lines

UNANSWERED_NAME = "messages_without_entry.yaml"
# The titles of a few similar entries must fit in one message.
_TITLE_CHARACTERS = 40


@dataclass(frozen=True)
class Catalogue:
    """All valid entries by id, in order, and the problems of the others."""

    entries: dict[str, Entry]
    families: dict[str, Family]
    problems: list[Problem]
    # The pages of the entries that were left out because of their problems.
    left_out: list[Path]
    # Each has a kb/ and a reproducers/.
    folders: list[Path]
    signposts: tuple[Signpost, ...] = ()

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    @property
    def unreadable_count(self) -> int:
        """How many entries were left out."""
        return len(self.left_out)

    @property
    def titles(self) -> dict[str, str]:
        """The title of each entry, by id."""
        return {entry.id: entry.title for entry in self}

    def find_entry(self, name: str) -> Entry:
        """The entry of this id: DP15, dp15 or dp-15. Raises UnknownName, which suggests similar ids.

        Raises DpkbError if the entry was left out because of its problems.
        """
        entry_id = normalize_id(name)
        entry = self.entries.get(entry_id)
        if entry is None:
            if page := self.find_left_out_page(entry_id):
                raise DpkbError(
                    f"{entry_id} cannot be read: {page} or a file that belongs to it has "
                    "mistakes; `dpkb check` lists them"
                )
            raise UnknownName(
                f"no entry {name!r}. {self._suggest_entries(entry_id)} To look for words: dpkb search {name}"
            )
        return entry

    def find_left_out_page(self, entry_id: str) -> Path | None:
        """The page of the entry that has this id and was left out, judged by its file name; None without."""
        return next((page for page in self.left_out if page.stem.startswith(f"{entry_id.lower()}_")), None)

    def find_script(self, entry: Entry, name: str) -> Script:
        """A script of an entry. Raises UnknownName, which lists the scripts of the entry."""
        script = entry.find_script(name.removesuffix(".py"))
        if script is None:
            names = ", ".join(entry.script_names)
            raise UnknownName(f"{entry.id} has no script {name!r}. It has {names}.")
        return script

    def load_reproducer(self, entry_id: str, name: str) -> Reproducer:
        """A script of an entry, with its text. Raises UnknownName, and DpkbError if it is unreadable."""
        return read_reproducer(self.find_script(self.find_entry(entry_id), name))

    def _suggest_entries(self, entry_id: str) -> str:
        """The entries with similar ids, for an id that does not exist."""
        # Two exchanged characters are the most common typing error.
        near = [known for known in self.entries if sorted(known) == sorted(entry_id)]
        near += difflib.get_close_matches(entry_id, self.entries, n=4, cutoff=0.5)
        near = list(dict.fromkeys(near))[:4]
        offered = ", ".join(f"{i} ({join_lines(self.entries[i].title, _TITLE_CHARACTERS)})" for i in near)
        return f"Similar ids: {offered}." if near else "`dpkb list` shows them all."


def load(folders: list[Path]) -> Catalogue:
    """Read every entry and family of these catalogues. A bad entry is a problem, never an exception."""
    entries: dict[str, Entry] = {}
    families: dict[str, Family] = {}
    problems: list[Problem] = []
    left_out: list[Path] = []
    signposts: tuple[Signpost, ...] = ()
    for folder in folders:
        for path in list_entry_files(folder):
            entry, entry_problems = read_entry(path, folder / REPRODUCERS_FOLDER / path.stem)
            problems += entry_problems
            if entry is None:
                left_out.append(path)
            elif entry.id in entries:
                left_out.append(path)
                message = (
                    f"{entry.id} is also the id of {entries[entry.id].path}; ids are unique: choose another"
                )
                problems.append(Problem(path, message, entry.key_lines.get("id"), "id"))
            else:
                entries[entry.id] = entry
        for path in sorted((folder / KB_FOLDER / FAMILIES_FOLDER).glob("*.md")):
            family, family_problems = _read_family(path)
            problems += family_problems
            if family:
                families.setdefault(family.letters, family)
        found, signpost_problems = _read_signposts(folder / KB_FOLDER / SIGNPOSTS_NAME)
        signposts += found
        problems += signpost_problems
    ordered = dict(sorted(entries.items(), key=lambda item: order_of(item[0])))
    return Catalogue(ordered, families, problems, left_out, folders, signposts)


def list_entry_files(folder: Path) -> list[Path]:
    """The entry files of a catalogue, sorted by name. Raises DpkbError if the folder cannot be read."""
    try:
        names = os.listdir(folder / KB_FOLDER)
    except OSError as error:
        raise DpkbError(f"{folder / KB_FOLDER}: cannot be read: {error.strerror}") from None
    return sorted(folder / KB_FOLDER / name for name in names if is_entry_file(name))


def _read_signposts(path: Path) -> tuple[tuple[Signpost, ...], list[Problem]]:
    if not _exists(path):
        return (), []
    try:
        return parse.parse_signposts(_read_in_kb(path), path)
    except DpkbError as error:
        return (), [Problem(path, str(error))]


def read_unanswered(folder: Path) -> tuple[tuple[RecordedMessage, ...], list[Problem]]:
    """The messages that lead to no entry of a catalogue, each with the reason, and the problems of their file."""
    path = folder / KB_FOLDER / UNANSWERED_NAME
    try:
        return (
            parse.parse_messages(_read_in_kb(path, parse.MAX_MESSAGES_BYTES), path, "reason")
            if _exists(path)
            else ((), [])
        )
    except DpkbError as error:
        return (), [Problem(path, str(error))]


def _read_family(path: Path) -> tuple[Family | None, list[Problem]]:
    """A family from its file; (None, problems) if anything in it is wrong."""
    try:
        return parse.parse_family(_read_in_kb(path), path)
    except DpkbError as error:
        return None, [Problem(path, str(error))]


def read_entry(path: Path, scripts: Path) -> tuple[Entry | None, list[Problem]]:
    """One entry from its files; (None, problems) if anything in them is wrong."""
    claims_path, reading = scripts / parse.CLAIMS_NAME, path
    try:
        text = _read_in_kb(path)
        texts = []
        for suffix in (SEARCH_SUFFIX, MESSAGES_SUFFIX):
            reading = file_beside(path, suffix)
            texts.append(_read_in_kb(reading, parse.MAX_MESSAGES_BYTES) if _exists(reading) else None)
        reading = claims_path
        claims = _read_in_reproducers(claims_path) if _exists(claims_path) else None
    except DpkbError as error:
        return None, [Problem(reading, str(error))]
    return parse.parse_entry(text, path, scripts, texts[0], claims, texts[1])


def read_entry_text(entry: Entry) -> str:
    """The file of an entry as it is now. Raises DpkbError if it cannot be read, as when it was loaded."""
    try:
        return _read_in_kb(entry.path)
    except DpkbError as error:
        raise DpkbError(f"{entry.path}: {error}") from None


def _exists(path: Path) -> bool:
    """Whether something has this name, a broken link included."""
    return path.is_symlink() or path.exists()


def _read_in_kb(path: Path, max_bytes: int = parse.MAX_ENTRY_BYTES) -> str:
    """A file of kb/. Raises DpkbError if it cannot be read, or is a link to a place outside of kb/."""
    if path.is_symlink() and files.leads_outside(path, path.parent.resolve()):
        raise DpkbError(f"leads out of the catalogue's {KB_FOLDER}/: put the file itself here")
    return files.read_text(path, max_bytes)


def _read_in_reproducers(path: Path, max_bytes: int = parse.MAX_ENTRY_BYTES) -> str:
    """A file of reproducers/<stem>/. Raises DpkbError if it cannot be read or lies outside reproducers/."""
    # Trusting a catalogue means trusting the files in its reproducers/ folder, and no others.
    if files.leads_outside(path, path.parents[2].resolve() / REPRODUCERS_FOLDER):
        raise DpkbError(f"leads out of the catalogue's {REPRODUCERS_FOLDER}/: put the file itself there")
    return files.read_text(path, max_bytes)


def read_source(script: Script) -> str:
    """The text of a script. Raises DpkbError if it cannot be read, or is a link out of its catalogue."""
    try:
        return _read_in_reproducers(script.path, rules.MAX_SCRIPT_BYTES)
    except DpkbError as error:
        raise DpkbError(f"{script.path}: {error}") from None


def read_reproducer(script: Script) -> Reproducer:
    """The script with its source and what it needs to run. Raises DpkbError if it cannot be read."""
    source = read_source(script)
    try:
        needs = docstring.read_needs(source)
    except (docstring.BadDocstring, SyntaxError, ValueError, RecursionError) as error:
        raise DpkbError(f"{script.path}: {error}; see `dpkb check`") from None
    declared = {field.name: getattr(script, field.name) for field in fields(Script)}
    return Reproducer(**declared, source=source, needs=needs)
