"""All of kb/ as one Catalogue, with every problem of the entries' texts found on the way."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from dpkb import files, measured, needs, pairs, parse
from dpkb.entry import Entry, Family, Problem, Script
from dpkb.errors import DpkbError, UnknownName
from dpkb.paths import FAMILIES_FOLDER, KB_FOLDER, REPRODUCERS_FOLDER

T = TypeVar("T")


@dataclass(frozen=True)
class Catalogue:
    """The healthy entries, in order, and what is wrong with the others."""

    entries: dict[str, Entry]
    families: dict[str, Family]
    problems: list[Problem]

    @property
    def unreadable(self) -> int:
        """How many entry files hold something that keeps them from being served."""
        served = {entry.path for entry in self}
        unread = {problem.path for problem in self.problems if problem.path.parent.name != FAMILIES_FOLDER}
        return len(unread - served)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    def entry(self, name: str) -> Entry:
        """The entry of this id, in capitals or not. Raises UnknownName, offering near ids."""
        found = self.entries.get(name.upper())
        if found is None:
            raise UnknownName(f"no entry {name!r}. {self._near(name)}")
        return found

    def script(self, entry: Entry, name: str) -> Script:
        """A script of an entry. Raises UnknownName, naming those there are."""
        found = entry.script(name.removesuffix(".py"))
        if found is None:
            names = ", ".join(entry.script_names)
            raise UnknownName(f"{entry.id} has no script {name!r}. It has {names}.")
        return found

    def _near(self, name: str) -> str:
        # Two characters in the wrong order are the likeliest slip.
        near = [known for known in self.entries if sorted(known) == sorted(name.upper())]
        near += difflib.get_close_matches(name.upper(), self.entries, n=4, cutoff=0.5)
        near = list(dict.fromkeys(near))[:4]
        offered = ", ".join(f"{i} ({self.entries[i].title})" for i in near)
        found = f"Near: {offered}." if near else "`dpkb list` shows them all."
        return f"{found} To look for words: dpkb search {name}"


def load(folders: list[Path]) -> Catalogue:
    """Read every entry under these folders. Never raises for a bad entry."""
    entries: dict[str, Entry] = {}
    problems: list[Problem] = []
    for folder in folders:
        for path in entry_files(folder):
            scripts = folder / REPRODUCERS_FOLDER / path.stem
            entry, wrong = _read(path, partial(parse.parse, path=path, scripts_folder=scripts))
            problems += wrong
            if entry is None:
                continue
            if entry.id in entries:
                message = f"{entry.id} is also the id of {entries[entry.id].path}; ids are unique"
                problems.append(Problem(path, message, entry.lines.get("id"), "id"))
                continue
            entries[entry.id] = entry
    families = {}
    for folder in folders:
        for path in sorted((folder / KB_FOLDER / FAMILIES_FOLDER).glob("*.md")):
            family, wrong = _read(path, partial(parse.parse_family, path=path))
            problems += wrong
            if family:
                families.setdefault(family.letters, family)
    ordered = dict(sorted(entries.items(), key=lambda item: item[1].sort_key))
    return Catalogue(ordered, families, problems)


def entry_files(folder: Path) -> list[Path]:
    """The entry files of a catalogue: the Markdown files of kb/, without those that start with _.

    Raises DpkbError where the folder cannot be read: an empty list would pass for an empty catalogue.
    """
    try:
        names = os.listdir(folder / KB_FOLDER)
    except OSError as error:
        raise DpkbError(f"{folder / KB_FOLDER}: cannot be read: {error.strerror}") from None
    return sorted(folder / KB_FOLDER / name for name in names
                  if name.endswith(".md") and not name.startswith(("_", ".")))


def _read(path: Path, understand: Callable[[str], tuple[T | None, list[Problem]]],
          ) -> tuple[T | None, list[Problem]]:
    if path.is_symlink() and files.leads_out(path, path.parent.resolve()):
        return None, [Problem(path, f"leads out of the catalogue's {KB_FOLDER}/: put the file itself here")]
    try:
        text = files.text(path, parse.MAX_ENTRY_BYTES)
    except DpkbError as error:
        return None, [Problem(path, str(error))]
    return understand(text)


def source_of(script: Script) -> str:
    """The text of a script. Raises DpkbError where it cannot be read, or is not in its catalogue."""
    # A yes to the scripts of a catalogue is a yes to what lies in its reproducers/.
    if files.leads_out(script.path, script.path.parents[2].resolve() / REPRODUCERS_FOLDER):
        raise DpkbError(f"{script.path}: leads out of the catalogue's {REPRODUCERS_FOLDER}/: put the file "
                        "itself there")
    try:
        return files.text(script.path, pairs.MAX_SCRIPT_BYTES)
    except DpkbError as error:
        raise DpkbError(f"{script.path}: {error}") from None


def ready_to_run(script: Script) -> Script:
    """The script with what its `Needs:` line asks for. Raises DpkbError where it cannot be read."""
    text = source_of(script)
    try:
        asked = replace(needs.needs(text), skips=measured.skip_texts(text))
    except (needs.BadDocstring, SyntaxError, ValueError, RecursionError) as error:
        raise DpkbError(f"{script.path}: {error}; see `dpkb check`") from None
    return replace(script, needs=asked)
