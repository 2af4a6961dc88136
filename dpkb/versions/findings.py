"""Names that an environment lacks, as findings of `dpkb lint`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from dpkb.ignore_comments import is_silenced
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.parsed_code import MAX_BYTES, encoding_of
from dpkb.versions.report import Place, examine

# The entry about code and libraries of different versions.
ENTRY = "E1"


def find_missing_names(paths: Iterable[Path], installed: Mapping[str, str]) -> Iterator[Finding]:
    """A finding for each place in files and folders where code uses what an installed package lacks."""
    for package in examine(paths, installed).packages:
        for reason in package.because:
            if not reason.breaks or not package.installed:
                continue
            fix = f"a release that has it: {package.name}{package.needs}" if package.needs else "another name"
            for place in reason.places:
                line = _source_line(place)
                if not is_silenced(ENTRY, line):
                    message = f"{package.name} {package.installed} has no `{reason.name}`"
                    yield Finding(
                        ENTRY,
                        Certainty.CERTAIN,
                        message,
                        reason.instead or fix,
                        place.file,
                        place.line,
                        len(line) - len(line.lstrip()) + 1,
                        line,
                        place.cell,
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
