"""Names that libraries lack, as findings of `dpkb lint`: in an environment, or in all releases of two years."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from dpkb.ignore_comments import is_silenced
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.source_file import SourceFile, once_per_file
from dpkb.source_code.parsed_code import MAX_BYTES, encoding_of
from dpkb.versions.history import Question, known_packages, load_history, specifier
from dpkb.versions.report import Place, examine, missing_in
from dpkb.versions.uses import UseFinder

_NO_RELEASE = "no release of the last two years of "


def entry_of(package: str) -> str:
    """The entry about code and a library of different versions."""
    return "E1" if package == "torch" else "E2"


def find_missing_names(paths: Iterable[Path], installed: Mapping[str, str]) -> Iterator[Finding]:
    """A finding for each place in files and folders where code uses what an installed package lacks."""
    for package in examine(paths, installed).packages:
        for reason in package.because:
            if not reason.breaks or not package.installed:
                continue
            message = f"{package.name} {package.installed} has no `{reason.name}`"
            fix = reason.instead or _describe_fix(package.name, package.needs)
            for place in reason.places:
                finding = _finding(package.name, message, fix, place, _source_line(place))
                if not is_silenced(finding.id, finding.source_line):
                    yield finding


def find_outdated_names(file: SourceFile, entry: str) -> Iterator[Finding]:
    """A finding of this entry for each line of a file that uses what no recent release of a library has."""
    for package, question, instead, needs, lines in _outdated(file):
        for number in lines if entry_of(package) == entry else ():
            line, cell = file.source.place(number)
            message = f"{_NO_RELEASE}{package} has `{question.name}`"
            fix = instead or _describe_fix(package, needs)
            yield _finding(package, message, fix, Place(file.source.name, line, cell), file.lines[number - 1])


def is_outdated(finding: Finding) -> bool:
    """Whether a finding is of find_outdated_names()."""
    return finding.message.startswith(_NO_RELEASE)


@once_per_file
def _outdated(file: SourceFile) -> list[tuple[str, Question, str | None, str | None, tuple[int, ...]]]:
    parents = Path(file.source.name).absolute().parents
    packages = [
        name for name in _mentioned(file.source.text) if not any(_is_own(folder, name) for folder in parents)
    ]
    found = []
    uses = UseFinder(file.source.tree, packages).uses if packages else ()
    # The names that are missing: how they are called says nothing new.
    names = set()
    for use in sorted(uses, key=lambda use: use.question.called):
        package = use.question.path.split(".")[0]
        history = load_history(package)
        bad = missing_in(history, use) if history else []
        # A name that never was is a mistake of another kind.
        if history and not all(bad) and all(bad[i] for i in history.recent_indexes()):
            needs = specifier(history, [not is_bad for is_bad in bad])
            instead = history.find_instead(use.question)
            if not use.question.called:
                names.add(use.question.path)
            question = Question(use.question.path) if use.question.path in names else use.question
            found.append((package, question, instead, needs, use.lines))
    return found


def _mentioned(text: str) -> list[str]:
    return [name for name in known_packages() if name in text]


@cache
def _is_own(folder: Path, package: str) -> bool:
    """Whether a tree has its own copy of a package, as that of the package itself has."""
    return (folder / package / "__init__.py").exists() or (folder / f"{package}.py").exists()


def _describe_fix(package: str, needs: str | None) -> str:
    return f"a release that has it: {package}{needs}" if needs else "another name"


def _finding(package: str, message: str, fix: str, place: Place, line: str) -> Finding:
    certainty = Certainty.LIKELY if message.startswith(_NO_RELEASE) else Certainty.CERTAIN
    column = len(line) - len(line.lstrip()) + 1
    return Finding(
        entry_of(package), certainty, message, fix, place.file, place.line, column, line, place.cell
    )


def _source_line(place: Place) -> str:
    """The line of a Python file; "" in a notebook."""
    if place.cell:
        return ""
    lines = _lines_of(place.file)
    return lines[place.line - 1] if place.line <= len(lines) else ""


@cache
def _lines_of(file: str) -> list[str]:
    with open(file, "rb") as stream:
        data = stream.read(MAX_BYTES)
    return data.decode(encoding_of(data), "replace").splitlines()
