"""All of kb/ as one Catalogue, with every problem of the entries' texts found on the way."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from dpkb import measured, needs, parse
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
    """The entry files of a catalogue: the Markdown files of kb/, without those that start with _."""
    return sorted(p for p in (folder / KB_FOLDER).glob("*.md") if not p.name.startswith("_"))


def _read(path: Path, understand: Callable[[str], tuple[T | None, list[Problem]]],
          ) -> tuple[T | None, list[Problem]]:
    try:
        if path.stat().st_size > parse.MAX_ENTRY_BYTES:
            return None, [Problem(path, f"larger than {parse.MAX_ENTRY_BYTES:,} bytes")]
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        return None, [Problem(path, f"not UTF-8 at byte {error.start}")]
    except OSError as error:
        return None, [Problem(path, f"cannot be read: {error.strerror}")]
    return understand(text)


def ready_to_run(script: Script) -> Script:
    """The script with what its `Needs:` line asks for. Raises DpkbError where it cannot be read."""
    try:
        source = script.path.read_text(encoding="utf-8")
        asked = replace(needs.needs(source), skips=measured.skip_texts(source))
        return replace(script, needs=asked)
    except OSError as error:
        raise DpkbError(f"{script.path}: cannot be read: {error.strerror}") from None
    except (needs.BadDocstring, SyntaxError, ValueError) as error:
        raise DpkbError(f"{script.path}: {error}; see `dpkb check`") from None
