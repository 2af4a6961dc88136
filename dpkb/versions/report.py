"""Code -> the releases that each of its libraries needs, and what the installed ones break."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dpkb.source_code.find_files import find_files
from dpkb.source_code.parsed_code import CannotRead, ParsedCode, read_code
from dpkb.text import count_of, join_lines
from dpkb.versions.history import (
    Answer,
    History,
    Question,
    allowed,
    find_missing,
    known_packages,
    load_history,
    release_indexes,
    specifier,
)
from dpkb.versions.requirements import is_requirements_file, read_requirements
from dpkb.versions.uses import Use, UseFinder, minor_of, needed_python

_PYTHON_2 = (
    "Missing parentheses in call to",
    "multiple exception types must be parenthesized",
    "leading zeros",
)
_FILES_BETWEEN_COLLECTIONS = 200
# The uses of one package: each once, with all of its places.
_Found = dict[tuple[Question, bool], tuple[Use, "list[Place]"]]


@dataclass(frozen=True)
class Place:
    """A line of code; cell: its number in a notebook."""

    file: str
    line: int
    cell: int | None = None

    def __str__(self) -> str:
        return f"{self.file}:{f'cell {self.cell}:' if self.cell else ''}{self.line}"


@dataclass(frozen=True)
class Reason:
    """A name that sets a border: the first and the last minor release that have it, if they are borders.

    needs: the releases that have it; None if none does.
    """

    name: str
    places: tuple[Place, ...]
    first: str | None
    last: str | None
    instead: str | None
    breaks: bool
    needs: str | None


@dataclass(frozen=True)
class PackageReport:
    """What the code needs of one package. good: for each release whether nothing is missing."""

    name: str
    history: History
    good: list[bool]
    needs: str | None
    installed: str | None
    pinned: str | None
    ok: bool | None
    because: tuple[Reason, ...]
    # The names that an import, or an attribute of an import, leads to.
    imports: tuple[str, ...] = ()


@dataclass
class VersionsReport:
    """What a tree of code needs. python: the oldest that has its syntax, where, and why."""

    packages: list[PackageReport] = field(default_factory=list)
    python: tuple[str, Place, str] | None = None
    notes: list[str] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)
    files: int = 0


def examine(
    paths: Iterable[Path],
    installed: Mapping[str, str],
    is_allowed: Callable[[Path], bool] = lambda path: True,
) -> VersionsReport:
    """What the code in files and folders needs. installed: package -> version, by the name that is imported.

    is_allowed: says whether a folder or a file that was not named may be read.
    """
    # Millions of syntax nodes are created here. Python's garbage collector would take half of the time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return _examine(paths, installed, is_allowed)
    finally:
        if was_enabled:
            gc.enable()


def _examine(
    paths: Iterable[Path], installed: Mapping[str, str], is_allowed: Callable[[Path], bool]
) -> VersionsReport:
    packages = known_packages()
    report = VersionsReport()
    pins: dict[str, str] = {}
    found: dict[str, _Found] = {}
    others: set[str] = set()
    files = []
    for path in paths:
        if is_requirements_file(path) or path.suffix == ".txt":
            pins.update(read_requirements(path))
            report.files += 1
        else:
            files += list(find_files([path], report.unreadable, is_allowed))
            for child in sorted(path.glob("*")) if path.is_dir() else ():
                if is_requirements_file(child) and is_allowed(child):
                    pins.update(read_requirements(child))
    own = {file.stem for file in files} | {file.parent.name for file in files}
    vendored = {file.parent.name for file in files if file.name == "__init__.py"} | {f.stem for f in files}
    mentions = tuple(name.encode() for name in packages)
    for number, file in enumerate(files, 1):
        report.files += 1
        if number % _FILES_BETWEEN_COLLECTIONS == 0:
            gc.collect()
        try:
            code = read_code(file, mentions)
        except CannotRead as error:
            is_old = any(text in str(error) for text in _PYTHON_2)
            why = "is Python 2 code, which no release for Python 3 runs: convert it first (2to3)"
            report.unreadable[str(file)] = why if is_old else join_lines(str(error))
            continue
        except RecursionError:
            report.unreadable[str(file)] = "is nested too deeply to be read"
            continue
        if code is not None:
            others |= _add_file(report, code, set(packages) - vendored, found)
    for package in sorted(vendored & set(packages)):
        report.notes.append(f"{package}: this tree has its own copy, so its releases are not looked at")
    if unknown := sorted(others - own - set(sys.stdlib_module_names) - set(packages)):
        report.notes.append(f"no history of {', '.join(unknown)}: nothing is said about them")
    for name in sorted(found):
        history = load_history(name)
        if history is not None:
            report.packages.append(_report_package(name, history, found[name].values(), installed, pins))
    if {"gym", "gymnasium"} <= {package.name for package in report.packages if package.imports}:
        report.notes.append(
            "gym and gymnasium are two packages: one refuses the environments and spaces of the other, such as "
            "those of `from gym import spaces`. Import all from gymnasium (E2); gym is left out below"
        )
    return report


def _add_file(
    report: VersionsReport,
    code: ParsedCode,
    packages: set[str],
    found: dict[str, _Found],
) -> set[str]:
    """Add the uses in one file. Returns the other packages that it imports."""

    def place(line: int) -> Place:
        return Place(code.name, *code.place(line))

    if code.unread:
        report.unreadable[code.name] = code.unread
    finder = UseFinder(code.tree, packages)
    for name in finder.imported:
        found.setdefault(name, {})
    for use in finder.uses:
        uses = found.setdefault(use.question.path.split(".")[0], {})
        uses.setdefault((use.question, use.override), (use, []))[1].extend(map(place, use.lines))
    for module, line in finder.stars:
        report.notes.append(
            f"{place(line)}: import * of {module}: the names that the code takes from it are not seen"
        )
    for module, line in finder.built[:1]:
        rest = f", and {count_of(len(finder.built) - 1, 'more')}" if len(finder.built) > 1 else ""
        report.notes.append(f"{place(line)}: a name of {module} is built at run time, and not seen{rest}")
    syntax = needed_python(code.tree, code.text)
    if syntax and (report.python is None or minor_of(syntax[0]) > minor_of(report.python[0])):
        report.python = (syntax[0], place(syntax[1]), syntax[2])
    return finder.others


def _report_package(
    name: str,
    history: History,
    uses: Iterable[tuple[Use, list[Place]]],
    installed: Mapping[str, str],
    pins: Mapping[str, str],
) -> PackageReport:
    version, pinned = installed.get(name), pins.get(name)
    good = [True] * len(history.releases)
    bad_uses, imports = [], set()
    plain: dict[str, list[bool]] = {}
    # Where a name is missing, its members and its parameters say nothing new.
    for use, places in sorted(
        uses, key=lambda pair: (pair[0].question.called, pair[0].question.path.count("."))
    ):
        if not use.override and not use.question.on_instance:
            imports.add(use.question.path)
        bad = missing_in(history, use)
        above = plain.get(use.question.path, plain.get(use.question.path.rpartition(".")[0]))
        if not use.question.called:
            plain[use.question.path] = bad
        if any(bad) and (above is None or any(b and not a for a, b in zip(above, bad, strict=True))):
            bad_uses.append((use, places, bad))
        if any(bad) and not all(bad):  # what no release has is no question of versions
            good = [is_good and not is_bad for is_good, is_bad in zip(good, bad, strict=True)]
    indexes = release_indexes(history, version) if version else []
    pin = allowed(history, pinned) if pinned else []
    ok = None
    if indexes:
        ok = not any(all(bad[i] for i in indexes) for _, _, bad in bad_uses)
    elif any(pin):
        ok = any(a and g for a, g in zip(pin, good, strict=True))
        indexes = [] if ok else [i for i, is_allowed in enumerate(pin) if is_allowed]
    reasons = (
        _reason(history, use, places, bad, indexes)
        for use, places, bad in bad_uses
        if _matters(bad, good, indexes)
    )
    # A name that is called is asked for twice: as a name, and as something to call.
    once = {(reason.name, reason.places): reason for reason in reasons}
    return PackageReport(
        name,
        history,
        good,
        specifier(history, good),
        version,
        pinned,
        ok,
        tuple(sorted(once.values(), key=lambda reason: not reason.breaks)),
        tuple(sorted(imports)),
    )


def missing_in(history: History, use: Use) -> list[bool]:
    """For each release: whether it is known not to have what a use needs."""
    owner, _, name = use.question.path.rpartition(".")
    if use.override and name.startswith("_"):
        public = history.answer_where_owned(Question(f"{owner}.{name[1:]}"))
        return [answer is Answer.YES and Answer.NO in public[:i] for i, answer in enumerate(public)]
    answers = history.answer(use.question)
    owned = history.answer_where_owned(use.question)
    bad = find_missing(owned if Answer.YES in owned else answers)
    bad = [is_bad or answer is Answer.NO for is_bad, answer in zip(bad, answers, strict=True)]
    # A method that the code defines itself works with releases that do not have it yet. It is not called
    # any more by those that have it no longer.
    return [is_bad and False in bad[:i] for i, is_bad in enumerate(bad)] if use.override else bad


def _matters(bad: list[bool], good: list[bool], indexes: list[int]) -> bool:
    """Whether a use excludes a release at the border of the good ones, or one that is installed."""
    if indexes and all(bad[i] for i in indexes):
        return True
    if not any(good) or all(bad):
        return True
    borders = [i for i in range(len(good)) if not good[i] and any(good[max(i - 1, 0) : i + 2])]
    return any(bad[i] for i in borders)


def _reason(history: History, use: Use, places: list[Place], bad: list[bool], indexes: list[int]) -> Reason:
    have = [i for i, is_bad in enumerate(bad) if not is_bad]
    first = history.releases[have[0]].minor if have and have[0] > 0 else None
    last = history.releases[have[-1]].minor if have and have[-1] < len(bad) - 1 else None
    return Reason(
        use.question.name,
        tuple(places),
        first,
        last,
        history.find_instead(use.question) if last else None,
        bool(indexes) and all(bad[i] for i in indexes),
        specifier(history, [not is_bad for is_bad in bad]),
    )
