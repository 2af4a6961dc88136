"""Every problem of a catalogue that can be found without running a script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dpkb.catalogue import parse
from dpkb.catalogue.body import mentions
from dpkb.catalogue.load import Catalogue, entry_files, read_source
from dpkb.catalogue.page_rules import page_problems
from dpkb.errors import DpkbError
from dpkb.ids import family_of
from dpkb.model import Entry, Problem, Script
from dpkb.paths import KB_FOLDER, REPRODUCERS_FOLDER
from dpkb.scripts import rules


def check(catalogue: Catalogue, folders: list[Path]) -> list[Problem]:
    """The problems below these folders: of the entries' texts, of their scripts, then stray folders.

    The catalogue may hold more entries: those may be referred to.
    """
    problems = [problem for problem in catalogue.problems if _is_below(problem.path, folders)]
    families = {entry.family for entry in catalogue}
    for entry in catalogue:
        if not _is_below(entry.path, folders):
            continue
        sources, script_problems = _read_scripts(entry, entry.scripts[0].path.parent)
        problems += script_problems
        problems += _dangling(entry, catalogue.entries, families)
        problems += _body_problems(entry)
        problems += page_problems(entry, sources)
        problems += rules.problems(entry, sources)
    problems += _family_problems(catalogue, families, folders)
    for folder in folders:
        problems += _stray_folders(folder)
    return problems


def _is_below(path: Path, folders: list[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _read_scripts(entry: Entry, folder: Path) -> tuple[dict[str, str], list[Problem]]:
    """The source of each declared script, and what is missing or stray beside the declarations."""
    sources, problems = {}, []
    for script in entry.scripts:
        try:
            sources[script.name] = read_source(script)
        except DpkbError as error:
            problems.append(_at_claim(script, str(error)))
    for stray in sorted(folder.glob("*.py")):
        if stray.stem not in entry.script_names:
            problems.append(Problem(stray, f"a stray script: {entry.path.name} does not name it"))
    return sources, problems


def _body_problems(entry: Entry) -> list[Problem]:
    """Scripts that the text names and the entry lacks, and the reverse."""
    named: set[str] = set()
    for section in entry.sections:
        named |= mentions(section.text)[1]
    problems = []
    for name in sorted(named):
        stem = name.removesuffix(".py")
        if parse.SCRIPT_NAME.fullmatch(stem) and stem not in entry.script_names:
            problems.append(Problem(entry.path, f"the text names {name}, which is not one of its scripts"))
    for script in entry.scripts:
        if script.name not in ("broken", "fixed") and f"{script.name}.py" not in named:
            problems.append(_at_claim(script, f"the text never names `{script.name}.py`"))
    return problems


def _at_claim(script: Script, message: str) -> Problem:
    """A problem at the line that declares this script."""
    return Problem(script.declared_in, message, script.declared_at, f"scripts.{script.name}")


def _stray_folders(folder: Path) -> list[Problem]:
    stems = {path.stem for path in entry_files(folder)}
    reproducers = folder / REPRODUCERS_FOLDER
    strays = [p for p in sorted(reproducers.glob("*/")) if any(p.glob("*.py")) and p.name not in stems]
    return [Problem(p, f"a stray folder: no {KB_FOLDER}/{p.name}.md belongs to it") for p in strays]


def _family_problems(catalogue: Catalogue, families: set[str], folders: list[Path]) -> Iterator[Problem]:
    """Ids that an overview page names and the catalogue lacks, and entries that it does not name."""
    for letters, family in catalogue.families.items():
        if not _is_below(family.path, folders):
            continue
        text = "\n".join(section.text for section in family.sections)
        named = mentions(text)[0]
        members = {entry.id for entry in catalogue if entry.family == letters}
        for other in sorted(named - set(catalogue.entries)):
            if family_of(other) in families:
                yield Problem(family.path, f"the text refers to {other}, which is not in the catalogue")
        for missing in sorted(members - named):
            yield Problem(family.path, f"the page never names {missing}")


def _dangling(entry: Entry, entries: dict[str, Entry], families: set[str]) -> Iterator[Problem]:
    for key, ids in (("see_also", entry.see_also),
                     ("confused_with", [other.id for other in entry.confused_with])):
        for other in ids:
            if other not in entries:
                message = f"{other} is not an entry of the catalogue"
                yield Problem(entry.path, message, entry.key_lines.get(key), key)
            elif other == entry.id:
                yield Problem(entry.path, "names the entry itself", entry.key_lines.get(key), key)
    for section in entry.sections:
        for other in sorted(mentions(section.text)[0]):
            # H100 and FP16 look like ids too: only letters that a family here has are held to it.
            if other not in entries and family_of(other) in families:
                message = f"the text refers to {other}, which is not in the catalogue"
                yield Problem(entry.path, message, section.line)
