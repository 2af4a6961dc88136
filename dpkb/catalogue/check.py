"""All problems of a catalogue that can be found without running a script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dpkb.catalogue import parse
from dpkb.catalogue.body import find_mentions
from dpkb.catalogue.load import (
    UNANSWERED_NAME,
    Catalogue,
    list_entry_files,
    read_source,
    read_unanswered,
)
from dpkb.catalogue.page_rules import find_page_problems
from dpkb.errors import DpkbError
from dpkb.ids import family_of
from dpkb.model import PLACES, VERSIONED_PACKAGES, Entry, Problem, Script
from dpkb.paths import KB_FOLDER, MESSAGES_SUFFIX, REPRODUCERS_FOLDER, file_beside
from dpkb.patterns import matching
from dpkb.scripts import docstring, rules

# Names of GPUs that look like ids of a family that may exist.
_GPUS = frozenset(["A100", "H100", "H200", "V100"])


def check(catalogue: Catalogue, folders: list[Path]) -> list[Problem]:
    """The problems in these folders: of the entries' texts, then of their scripts and pages.

    The catalogue may have other folders too: entries may refer to entries there.
    """
    problems = [problem for problem in catalogue.problems if _is_below(problem.path, folders)]
    families = {entry.family for entry in catalogue}
    for entry in catalogue:
        if not _is_below(entry.path, folders):
            continue
        sources, unreadable = _read_scripts(entry)
        problems += unreadable
        problems += _find_stray_scripts(entry)
        problems += _find_reference_problems(entry, catalogue.entries, families)
        problems += _find_script_name_problems(entry)
        problems += find_page_problems(entry, sources)
        problems += rules.find_entry_problems(entry, sources)
        problems += _find_range_problems(entry, sources)
    problems += _find_family_problems(catalogue, families, folders)
    for folder in folders:
        problems += _find_stray_folders(folder)
        problems += _find_message_problems(catalogue, folder)
    return problems


def _find_message_problems(catalogue: Catalogue, folder: Path) -> Iterator[Problem]:
    """Recorded messages that lead to another entry than the one in whose file they are."""
    unanswered, problems = read_unanswered(folder)
    yield from problems
    files = [
        (entry.id, file_beside(entry.path, MESSAGES_SUFFIX), entry.messages)
        for entry in catalogue
        if _is_below(entry.path, [folder])
    ]
    owners: dict[str, set[str]] = {}
    for entry in catalogue:
        for pattern in entry.line_patterns:
            if not pattern.weak and not pattern.near:
                owners.setdefault(pattern.match, set()).add(entry.id)
    texts = list(owners)
    patterns = matching.PatternSet(texts)
    for entry_id, path, rows in [*files, ("", folder / KB_FOLDER / UNANSWERED_NAME, unanswered)]:
        for row in rows:
            found = set().union(*(owners[texts[i]] for i in patterns.matches(row.message)))
            if others := sorted(found - {entry_id}):
                message = f"{row.message!r} leads to {', '.join(others)}: remove it here, or narrow the pattern there"
                yield Problem(path, message)


def _is_below(path: Path, folders: list[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _read_scripts(entry: Entry) -> tuple[dict[str, str], list[Problem]]:
    """The source of each declared script by name, and a problem for each that cannot be read."""
    sources, problems = {}, []
    for script in entry.scripts:
        try:
            sources[script.name] = read_source(script)
        except DpkbError as error:
            advice = "" if script.path.exists() else "; write the script, or remove this key"
            problems.append(_create_script_problem(script, f"{error}{advice}"))
    return sources, problems


def _find_stray_scripts(entry: Entry) -> list[Problem]:
    """A problem for each Python file beside the scripts that the entry does not declare."""
    folder = entry.scripts[0].path.parent
    message = f"a stray script: declare it under `scripts` of {entry.path.name}, or delete it"
    return [
        Problem(path, message) for path in sorted(folder.glob("*.py")) if path.stem not in entry.script_names
    ]


def _find_script_name_problems(entry: Entry) -> Iterator[Problem]:
    """Names on the page that are no script of the entry, and scripts that the page never names."""
    line_of_name: dict[str, int] = {}
    for section in entry.sections:
        for name in find_mentions(section.text)[1]:
            line_of_name.setdefault(name, section.line)
    for name, line in sorted(line_of_name.items()):
        stem = name.removesuffix(".py")
        if parse.SCRIPT_NAME.fullmatch(stem) and stem not in entry.script_names:
            yield Problem(
                entry.path,
                f"the text names {name}, which is not one of its scripts: correct the "
                "name, or add the script",
                line,
            )
    for script in entry.scripts:
        if script.name not in ("broken", "fixed") and f"{script.name}.py" not in line_of_name:
            yield _create_script_problem(
                script, f"the text never names `{script.name}.py`: explain it on the page"
            )


def _find_range_problems(entry: Entry, sources: dict[str, str]) -> Iterator[Problem]:
    """Version ranges of packages that no script of the entry needs."""
    patterns = (*entry.signatures, *(pattern for script in entry.scripts for pattern in script.patterns))
    ranges = [one.range.specifiers for one in (*patterns, *entry.scripts)]  # type: ignore[attr-defined]
    named = {name for pairs in (entry.affects, *ranges) for name, _ in pairs}
    needed = {name for source in sources.values() for name in docstring.find_distributions(source)}
    for name in sorted(named.difference(needed, VERSIONED_PACKAGES, PLACES)):
        message = f"has a version range of {name}, which no script of the entry needs: correct the name"
        yield Problem(entry.path, message)


def _create_script_problem(script: Script, message: str) -> Problem:
    """A problem at the line that declares this script."""
    return Problem(script.declared_in, message, script.declared_at, f"scripts.{script.name}")


def _find_stray_folders(folder: Path) -> list[Problem]:
    """A problem for each folder of scripts in a catalogue that no entry has."""
    stems = {path.stem for path in list_entry_files(folder)}
    reproducers = folder / REPRODUCERS_FOLDER
    strays = [p for p in sorted(reproducers.glob("*/")) if any(p.glob("*.py")) and p.name not in stems]
    return [
        Problem(p, f"a stray folder: write its entry {KB_FOLDER}/{p.name}.md, or delete the folder")
        for p in strays
    ]


def _find_family_problems(catalogue: Catalogue, families: set[str], folders: list[Path]) -> Iterator[Problem]:
    """Ids on an overview page that are no entry, and entries of the family that the page never names."""
    for letters, family in catalogue.families.items():
        if not _is_below(family.path, folders):
            continue
        text = "\n".join(section.text for section in family.sections)
        named = find_mentions(text)[0]
        members = {entry.id for entry in catalogue if entry.family == letters}
        for other in sorted(named - set(catalogue.entries)):
            if family_of(other) in families:
                message = f"the text refers to {other}, which is not in the catalogue: correct the id"
                yield Problem(family.path, message)
        for missing in sorted(members - named):
            yield Problem(family.path, f"the page never names {missing}: add it")


def _find_reference_problems(
    entry: Entry, entries: dict[str, Entry], families: set[str]
) -> Iterator[Problem]:
    """References to entries that do not exist, or to the entry itself."""
    for key, ids in (
        ("see_also", entry.see_also),
        ("confused_with", [other.id for other in entry.confused_with]),
    ):
        for other in ids:
            if other not in entries:
                message = f"{other} is not an entry of the catalogue: correct the id"
                yield Problem(entry.path, message, entry.key_lines.get(key), key)
            elif other == entry.id:
                yield Problem(entry.path, "names the entry itself: remove it", entry.key_lines.get(key), key)
    for section in entry.sections:
        for other in sorted(find_mentions(section.text)[0]):
            # FP16 looks like an id too, but no entry has its letters.
            if other not in entries and other not in _GPUS and family_of(other) in families:
                message = f"the text refers to {other}, which is not in the catalogue: correct the id"
                yield Problem(entry.path, message, section.line)
