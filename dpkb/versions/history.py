"""The history of a package's names: in which releases each exists, and what it takes.

tools/history.py reads it from the wheels of the last release of each minor version. Only names that differ between
releases have a row; what has none exists as long as its owner. What the source does not tell is unknown, never a guess.
"""

from __future__ import annotations

import bisect
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from dpkb.errors import DpkbError

DATA = Path(__file__).resolve().parent / "data"
SUFFIX = ".names"
_MAX_LINKS = 20


class Answer(Enum):
    """Whether a release has what is asked for."""

    YES = "yes"
    NO = "no"
    # It is there, but does nothing but raise.
    RAISES = "raises"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Question:
    """What code uses: a dotted name, and perhaps a keyword or a number of positional arguments of a call.

    called: it is called, which a name that only raises does not stand. on_instance: an attribute of an object.
    """

    path: str
    called: bool = False
    keyword: str | None = None
    positional: int | None = None
    on_instance: bool = False

    @property
    def name(self) -> str:
        """The name as people write it."""
        path = self.path.removesuffix(".__init__")
        if self.keyword:
            return f"{path}({self.keyword}=)"
        return f"{path}({self.positional} positional arguments)" if self.positional is not None else path


@dataclass(frozen=True)
class Release:
    """One release: the last of its minor version. pins: what it requires of other packages of the history."""

    version: str
    python: str
    newest_python: str
    pins: tuple[str, ...]

    @property
    def minor(self) -> str:
        """Its minor version, such as 4.46."""
        parsed = Version(self.version)
        return f"{parsed.major}.{parsed.minor}"


class History:
    """What is known of one package, by the name that is imported."""

    def __init__(self, path: Path):
        self._path = path
        try:
            with open(path, "rb") as file:
                size = int.from_bytes(file.read(4), "big")
                head: dict[str, Any] = json.loads(zlib.decompress(file.read(size)))
        except (OSError, ValueError, zlib.error) as error:
            raise DpkbError(f"{path} cannot be read: {error}") from None
        self.package: str = head["package"]
        self.releases = [
            Release(r["version"], r["python"], r["newest"], tuple(r["pins"])) for r in head["releases"]
        ]
        # The newest release of two years before this was read.
        self._recent = Version(head["recent"])
        self._notes: dict[str, dict[str, str]] = head["notes"]
        self._first_keys = [block[0] for block in head["blocks"]]
        lengths = [block[1] for block in head["blocks"]]
        self._places = [(4 + size + sum(lengths[:i]), length) for i, length in enumerate(lengths)]
        self._blocks: dict[int, dict[str, list[str]]] = {}

    def answer(self, question: Question) -> list[Answer]:
        """The answer of each release, the oldest first."""
        return [self._answer_in(question, index) for index in range(len(self.releases))]

    def answer_where_owned(self, question: Question) -> list[Answer]:
        """The answers, unknown where the class, module or function itself is absent: that says nothing of its parts."""
        is_part = question.keyword is not None or question.positional is not None
        owner = question.path if is_part else question.path.rpartition(".")[0]
        owners = self.answer(Question(owner)) if owner else [Answer.YES] * len(self.releases)
        return [
            Answer.UNKNOWN if above is Answer.NO else answer
            for answer, above in zip(self.answer(question), owners, strict=True)
        ]

    def recent_indexes(self) -> list[int]:
        """The releases of the last two years; the newest if there is none."""
        recent = [i for i, r in enumerate(self.releases) if Version(r.version) > self._recent]
        return recent or [len(self.releases) - 1]

    def find_definitions(self, name: str) -> list[str]:
        """The dotted names of classes and functions that end in a name, where they differ between releases."""
        ending = re.compile(rf"(?:^|\.){re.escape(name)}(?:\.__init__)?$")
        found = []
        for number in range(len(self._places)):
            for key, row in self._block(number).items():
                if ending.search(key) and any(value[:1] in ("c", "f") for value in row):
                    found.append(key.removesuffix(".__init__"))
        return list(dict.fromkeys(found))

    def find_instead(self, question: Question) -> str | None:
        """What the library itself says to use instead; None if it says nothing."""
        name = question.keyword or question.path.rpartition(".")[2]
        notes = self._notes.get(name, {})
        owner = self.find_place(question.path)
        for place in sorted(notes, key=lambda place: not owner.startswith(place)):
            text = notes[place]
            public = re.split(r"\._", place)[0]
            if owner.startswith(public + "."):
                return _advice_in(text)
        values = [self._look(question.path, index)[0] or "" for index in range(len(self.releases))]
        raised = [v for v in values if v.startswith("r ") and len(v) > 2]
        return _advice_in(raised[-1][2:]) if raised and not question.keyword else None

    def find_place(self, path: str) -> str:
        """Where the newest release that has a name defines it."""
        for index in reversed(range(len(self.releases))):
            value, place = self._look(path, index)
            if value is not None and value[:1] not in ("", "?", "-"):
                return place
        return path

    def _answer_in(self, question: Question, index: int) -> Answer:
        value, place = self._look(question.path, index)
        if value == "" or (value == "-" and not question.on_instance):
            return Answer.NO
        if value in ("?", "-"):
            return Answer.UNKNOWN
        if value is not None and value[0] == "r":
            return Answer.RAISES if question.called else Answer.YES
        if question.keyword is None and question.positional is None:
            return Answer.YES
        if value is None or value[0] == "c":
            signature, _ = self._look(place + ".__init__", index)
            value = signature if signature or value else None
        if value is None or value[:1] != "f":
            return Answer.UNKNOWN
        return _accepts(value, question)

    def _look(self, path: str, index: int) -> tuple[str | None, str]:
        """The value of a dotted name in a release, and where it is defined. None: as its owner."""
        first, *parts = path.split(".")
        place, value = first, self._at(first, index)
        for part in parts:
            if value is not None and (value == "" or value[0] in "?-v"):
                return ("" if value == "" else "?"), place
            if part.startswith("__") and part != "__init__":  # not read: Python itself gives some of them
                return "?", place
            child = f"{place}.{part}"
            found = self._at(child, index)
            if found is None and value is not None and value[0] == "c":
                found, child = self._inherited(value, part, index, child)
            place, value = self._follow(child, found, index)
        return value, place

    def _inherited(
        self, value: str, part: str, index: int, child: str, depth: int = 0
    ) -> tuple[str | None, str]:
        absent = None
        for base in value.partition(" ")[2].split(","):
            if not base.startswith(child.split(".")[0] + ".") or depth > _MAX_LINKS:
                continue
            place = f"{base}.{part}"
            found = self._at(place, index)
            if found is None:
                above = self._at(base, index)
                if above and above[0] == "c":
                    found, place = self._inherited(above, part, index, place, depth + 1)
            if found:
                return found, place
            absent = absent if found is None else found
        return absent, child

    def _follow(self, place: str, value: str | None, index: int) -> tuple[str, str | None]:
        for _ in range(_MAX_LINKS):
            if value is None or value[:1] != "=":
                break
            place = value[1:]
            value = self._at(place, index)
        return place, value

    def _at(self, key: str, index: int) -> str | None:
        if not self._places:
            return None
        number = max(bisect.bisect_right(self._first_keys, key) - 1, 0)
        row = self._block(number).get(key)
        return None if row is None else row[index]

    def _block(self, number: int) -> dict[str, list[str]]:
        if number not in self._blocks:
            start, length = self._places[number]
            with open(self._path, "rb") as file:
                file.seek(start)
                text = zlib.decompress(file.read(length)).decode()
            rows = (line.split("\t") for line in text.split("\n") if line)
            self._blocks[number] = {key: _expand(runs) for key, *runs in rows}
        return self._blocks[number]


def _advice_in(text: str) -> str:
    """The sentence of a deprecation text that says what to do; all of it if none does."""
    sentences = re.split(r"(?<=[a-z`)])\. (?=[A-Z`])", text)
    return next((s for s in sentences if re.search(r"\b[Uu]se\b|instead|favor of|replace", s)), text)


def _expand(runs: list[str]) -> list[str]:
    row: list[str] = []
    for run in runs:
        count, _, value = run.partition(" ")
        row += [value] * int(count)
    return row


def _accepts(value: str, question: Question) -> Answer:
    """Whether a function takes a keyword, or a number of positional arguments."""
    signature, _, rest = value[2:].partition("|")
    extra = set(rest.replace("?#", "?,#").split(","))
    parameters = [part for part in signature.split(",") if part]
    names = [part.rstrip("=") for part in parameters]
    if question.keyword is not None:
        only_positional = names[: names.index("/")] if "/" in names else []
        if question.keyword in names and question.keyword not in only_positional:
            return Answer.YES
        unknown = "**" in names or extra & {"?", question.keyword}
    else:
        stars = [i for i, name in enumerate(names) if name.startswith("*")]
        before = [name for name in names[: stars[0] if stars else None] if name != "/"]
        if len(before) >= (question.positional or 0):
            return Answer.YES
        unknown = "*args" in names or extra & {"?", "#"}
    return Answer.UNKNOWN if unknown else Answer.NO


@cache
def load_history(name: str) -> History | None:
    """The history of a package, by the name that is imported; None if there is none."""
    path = DATA / f"{name}{SUFFIX}"
    return History(path) if name.isidentifier() and path.exists() else None


def known_packages() -> list[str]:
    """The names of the packages that have a history."""
    return sorted(path.name.removesuffix(SUFFIX) for path in DATA.glob(f"*{SUFFIX}"))


def find_missing(answers: Sequence[Answer]) -> list[bool]:
    """For each release: whether it lacks something that is known to be in another one.

    What is unknown counts as missing only after a release that lacks it, or before the first that is known. A name
    that goes is often still given for some releases in ways that the source does not show.
    """
    if Answer.YES not in answers:
        return [all(answer in (Answer.NO, Answer.RAISES) for answer in answers)] * len(answers)
    known = [answer for answer in answers if answer is not Answer.UNKNOWN]
    missing, before = [], known[0] is not Answer.YES
    for answer in answers:
        before = before if answer is Answer.UNKNOWN else answer is not Answer.YES
        missing.append(before)
    return missing


def specifier(history: History, good: list[bool]) -> str | None:
    """The releases that are good as a PEP 440 specifier; None for all of them, or none.

    Borders are known to the minor release.
    """
    if all(good) or not any(good):
        return None
    minors = [release.minor for release in history.releases]
    runs = [
        (is_good, [i for i, _ in run]) for is_good, run in groupby(enumerate(good), key=lambda pair: pair[1])
    ]
    parts = []
    if not runs[0][0]:
        parts.append(f">={minors[runs[1][1][0]]}")
    for is_good, indexes in runs[1:-1]:
        if not is_good:
            parts += [f"!={minors[i]}.*" for i in indexes]
    if not runs[-1][0]:
        parts.append(f"<{minors[runs[-1][1][0]]}")
    return ",".join(parts)


def release_indexes(history: History, version: str) -> list[int]:
    """The releases that tell what a version has: its minor version, or its neighbours. [] if it is newer or older.

    A nightly or pre-release lies between two minor versions, and has what both have.
    """
    try:
        parsed = Version(version)
    except InvalidVersion:
        return []
    minors = [Version(release.minor).release[:2] for release in history.releases]
    wanted = (parsed.major, parsed.minor)
    if wanted in minors:
        index = minors.index(wanted)
        return [i for i in (index - 1, index) if i >= 0] if parsed.is_prerelease else [index]
    return [len(minors) - 1] if minors and wanted > minors[-1] and parsed.is_prerelease else []


def allowed(history: History, requirement: str) -> list[bool]:
    """For each release: whether a requirement such as `>=4.0,<4.46` lets it, or its minor version, be installed."""
    try:
        wanted = SpecifierSet(requirement)
    except InvalidSpecifier:
        return [True] * len(history.releases)
    exact = [s.version.removesuffix(".*") for s in wanted if s.operator in ("==", "~=")]
    minors = {Version(version).release[:2] for version in exact}
    return [
        wanted.contains(release.version, prereleases=True) or Version(release.minor).release[:2] in minors
        for release in history.releases
    ]
