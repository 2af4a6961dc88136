"""Every problem of a catalogue that can be found without running a script."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from dpkb import measured, needs, pairs, parse
from dpkb.catalogue import Catalogue, entry_files, source_of
from dpkb.entry import Entry, Problem, Script
from dpkb.errors import DpkbError
from dpkb.paths import KB_FOLDER, REPRODUCERS_FOLDER


def check(catalogue: Catalogue, folders: list[Path]) -> list[Problem]:
    """The problems of the entries' texts, then those of their scripts, then stray folders."""
    problems = list(catalogue.problems)
    for entry in catalogue:
        sources, found = _read_scripts(entry, entry.scripts[0].path.parent)
        problems += found
        problems += _dangling(entry, catalogue.entries)
        problems += _body_problems(entry)
        problems += script_problems(entry, sources)
    problems += _family_problems(catalogue)
    for folder in folders:
        problems += _stray_folders(folder)
    return problems


def _read_scripts(entry: Entry, folder: Path) -> tuple[dict[str, str], list[Problem]]:
    """The source of each declared script, and what is missing or stray beside the declarations."""
    sources, problems = {}, []
    for script in entry.scripts:
        line = entry.lines.get(f"scripts.{script.name}")
        try:
            sources[script.name] = source_of(script)
        except DpkbError as error:
            problems.append(Problem(entry.path, str(error), line, f"scripts.{script.name}"))
    for stray in sorted(folder.glob("*.py")):
        if stray.stem not in entry.script_names:
            problems.append(Problem(stray, f"a stray script: {entry.path.name} does not name it"))
    return sources, problems


def _body_problems(entry: Entry) -> list[Problem]:
    """Scripts that the text names and the entry lacks, and the reverse."""
    named: set[str] = set()
    for section in entry.sections:
        named |= parse.mentions(section.text)[1]
    problems = []
    for name in sorted(named):
        stem = name.removesuffix(".py")
        if parse.SCRIPT_NAME.fullmatch(stem) and stem not in entry.script_names:
            problems.append(Problem(entry.path, f"the text names {name}, which is no script of it"))
    for script in entry.scripts:
        if script.name not in ("broken", "fixed") and f"{script.name}.py" not in named:
            line = entry.lines.get(f"scripts.{script.name}")
            message = f"the text never names `{script.name}.py`"
            problems.append(Problem(entry.path, message, line, f"scripts.{script.name}"))
    return problems


def script_problems(entry: Entry, sources: dict[str, str]) -> list[Problem]:
    """What is wrong with the scripts of an entry, read as these texts: each alone, and as a pair."""
    problems = []
    docstrings = {}
    for script in entry.scripts:
        if script.name not in sources:
            continue
        source = sources[script.name]
        found = _static_problems(script, source)
        problems += [Problem(script.path, message, line) for line, message in found]
        try:
            docstrings[script.name] = found_docstring = needs.docstring(source)
            needs.needs_line(found_docstring.labels["Needs"])
        except needs.BadDocstring as error:
            problems.append(Problem(script.path, str(error), 1))
        except SyntaxError:
            continue
    if "broken" in sources and "fixed" in sources:
        message = pairs.pair_problem(sources["broken"], sources["fixed"])
        if message:
            problems.append(Problem(entry.scripts[0].path.with_name("fixed.py"), message))
    return problems + _docstring_problems(entry, docstrings)


@lru_cache(maxsize=64)
def _static_problems(script: Script, source: str) -> tuple[tuple[int | None, str], ...]:
    """What a text breaks by itself. Kept, as mutants are read beside the same pair again and again."""
    try:
        return *pairs.script_problems(script, source), *measured.problems(source)
    except RecursionError:
        return ((None, "nested too deeply"),)


def _docstring_problems(entry: Entry, docstrings: dict) -> list[Problem]:
    """The docstring is one for the folder: the pair's to the letter, the others' but for labels."""
    problems = []
    first = docstrings.get("broken")
    for script in entry.scripts:
        here = docstrings.get(script.name)
        if here is None or first is None:
            continue
        if not here.title.startswith(f"{entry.id}: "):
            problems.append(Problem(script.path, f"the docstring does not start with `{entry.id}: `", 1))
        if script.name == "fixed" and here.text != first.text:
            problems.append(Problem(script.path, "its docstring differs from that of broken.py", 1))
        elif (here.title, here.mechanism) != (first.title, first.mechanism):
            message = "its docstring's title or mechanism differs from that of broken.py"
            problems.append(Problem(script.path, message, 1))
    return problems


def _stray_folders(folder: Path) -> list[Problem]:
    stems = {path.stem for path in entry_files(folder)}
    reproducers = folder / REPRODUCERS_FOLDER
    strays = [p for p in sorted(reproducers.glob("*/")) if any(p.glob("*.py")) and p.name not in stems]
    return [Problem(p, f"a stray folder: no {KB_FOLDER}/{p.name}.md belongs to it") for p in strays]


def _family_problems(catalogue: Catalogue) -> Iterator[Problem]:
    """Ids that an overview page names and the catalogue lacks, and entries that it does not name."""
    for letters, family in catalogue.families.items():
        text = "\n".join(section.text for section in family.sections)
        named = parse.mentions(text)[0]
        members = {entry.id for entry in catalogue if entry.family == letters}
        known = {entry.family for entry in catalogue}
        for other in sorted(named - set(catalogue.entries)):
            if other.rstrip("0123456789") in known:
                yield Problem(family.path, f"the text refers to {other}, which is no entry of the catalogue")
        for missing in sorted(members - named):
            yield Problem(family.path, f"the page never names {missing}")


def _dangling(entry: Entry, entries: dict[str, Entry]) -> Iterator[Problem]:
    families = {other.family for other in entries.values()}
    for key, ids in (("see_also", entry.see_also),
                     ("confused_with", [other.id for other in entry.confused_with])):
        for other in ids:
            if other not in entries:
                message = f"{other} is no entry of the catalogue"
                yield Problem(entry.path, message, entry.lines.get(key), key)
            elif other == entry.id:
                yield Problem(entry.path, "names the entry itself", entry.lines.get(key), key)
    for section in entry.sections:
        for other in sorted(parse.mentions(section.text)[0] - set(entries)):
            # H100 and FP16 look like ids too: only letters that a family here has are held to it.
            if other.rstrip("0123456789") in families:
                message = f"the text refers to {other}, which is no entry of the catalogue"
                yield Problem(entry.path, message, section.line)
