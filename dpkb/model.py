"""The records of the catalogue: what an entry, a script and its claim are. No I/O."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from dpkb.ids import family_of


class Kind(str, Enum):
    """How a failure shows itself."""

    SILENT = "silent"
    RAISES = "raises"
    HANGS = "hangs"
    KILLED = "killed"
    SLOW = "slow"
    MEMORY = "memory"


class Outcome(str, Enum):
    """The result of one run of one script."""

    HEALTHY = "healthy"
    WRONG_RESULT = "wrong result"
    RAISED = "raised"
    HUNG = "hung"
    KILLED = "killed"
    SKIPPED = "skipped"
    TIMED_OUT = "timed out"
    INVALID = "invalid"


class Certainty(str, Enum):
    """How sure a finding of lint or audit is, surest first."""

    # Lint: no reading of the code is right. Audit: it was seen.
    CERTAIN = "certain"
    # Wrong in most programs.
    LIKELY = "likely"
    # Worth a look. Shown only when asked for.
    HINT = "hint"

    __str__ = str.__str__  # every Python prints the value, as a StrEnum does


# The value of `shows:` in an entry, and the outcome that it declares.
SHOWS = {
    "wrong-result": Outcome.WRONG_RESULT,
    "raises": Outcome.RAISED,
    "hangs": Outcome.HUNG,
    "killed": Outcome.KILLED,
}

VERSIONED = ("torch", "torchvision", "python")


def release(version: str) -> Version | None:
    """The release number of a version text (2.6.0a0+git1 counts as 2.6.0); None if it is none."""
    try:
        return Version(Version(version).base_version)
    except InvalidVersion:
        return None


@dataclass(frozen=True)
class Range:
    """For which versions something holds: package name -> PEP 440 specifier. Empty: for all."""

    specifiers: tuple[tuple[str, str], ...] = ()

    def covers(self, versions: dict[str, str | None]) -> bool:
        """Whether these versions are inside. A package whose version is unknown does not exclude."""
        for package, specifier in self.specifiers:
            have = release(versions.get(package) or "")
            if have is not None and not SpecifierSet(specifier).contains(have, prereleases=True):
                return False
        return True

    def __str__(self) -> str:
        return ", ".join(f"{package} {specifier}" for package, specifier in self.specifiers)


@dataclass(frozen=True)
class Pattern:
    """A linear-time (RE2) pattern over one line, with the versions whose text it is."""

    match: str
    range: Range = Range()
    # Says little by itself: many causes end in this line, or the news is in another.
    weak: bool = False
    # A pattern that an earlier line of the log must match, for a line that says little alone.
    near: str = ""

    @property
    def words(self) -> str:
        """The text that the pattern matches, near enough to read and to search in."""
        return self._with_wildcards_as("…")

    @property
    def example(self) -> str:
        """A line that the pattern probably matches."""
        return self._with_wildcards_as("1")

    def _with_wildcards_as(self, filler: str) -> str:
        text = self.match
        for special in (r"\d+", r"\S+", r"\w+", ".*", ".+", r"\b", "^", "$"):
            text = text.replace(special, filler if special not in (r"\b", "^", "$") else "")
        return " ".join(text.replace("\\", "").replace("(?:", "(").split())


@dataclass(frozen=True)
class Needs:
    """What a script's `Needs:` line asks for, before it can run."""

    packages: tuple[str, ...] = ("torch",)
    devices: tuple[str, ...] = ("cpu",)
    linux: bool = False
    root: bool = False
    shm_mb: int | None = None
    open_files: int | None = None
    # An interpreter started for it alone: it sets variables that must be there before torch is.
    own_interpreter: bool = False
    # Patterns of the SKIPPED lines that its guards print; None where the script was not read.
    skips: tuple[str, ...] | None = None
    about_seconds: float = 5.0


@dataclass(frozen=True)
class Script:
    """A reproducer as its entry declares it: its place, its claim, and the outcome that must be seen."""

    entry: str
    name: str
    path: Path
    claim: str
    shows: Outcome
    patterns: tuple[Pattern, ...] = ()
    range: Range = Range()
    # Why `dpkb audit` cannot report this script, though it can report others of the entry.
    not_reported: str | None = None
    # The file and the line that declare it.
    declared_in: Path = field(default=Path(), compare=False, repr=False)
    declared_at: int = field(default=0, compare=False, repr=False)

    @property
    def key(self) -> str:
        """Its name in evidence: DP1/broken."""
        return f"{self.entry}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class Reproducer(Script):
    """A script that has been read: its text, and what it needs before it can run."""

    source: str = field(repr=False)
    needs: Needs


@dataclass(frozen=True)
class Source:
    """Something read before it was cited."""

    title: str
    url: str


@dataclass(frozen=True)
class Confusable:
    """Another entry with a like symptom, and the one cheap check that tells the two apart."""

    id: str
    check: str


@dataclass(frozen=True)
class Section:
    """One `## heading` of the body: its Markdown, and the line where it begins."""

    heading: str
    text: str
    line: int


@dataclass(frozen=True)
class Entry:
    """One failure of the catalogue."""

    id: str
    title: str
    summary: str
    kind: Kind
    path: Path
    keywords: tuple[str, ...]
    asked_as: tuple[str, ...]
    signatures: tuple[Pattern, ...]
    affects: tuple[tuple[str, str], ...]
    see_also: tuple[str, ...]
    confused_with: tuple[Confusable, ...]
    sources: tuple[Source, ...]
    scripts: tuple[Script, ...]
    sections: tuple[Section, ...]
    # Whether `lint` and `audit` can see the failure, and how sure they are: (("lint", "likely"), …).
    found_by: tuple[tuple[str, str], ...] = ()
    # Why neither of them can see it.
    unseen: str | None = None
    withdrawn: str | None = None
    lines: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def family(self) -> str:
        """The letters of the id."""
        return family_of(self.id)

    @cached_property
    def script_names(self) -> tuple[str, ...]:
        return tuple(script.name for script in self.scripts)

    def script(self, name: str) -> Script | None:
        """The script of this name (without .py), or None."""
        return next((script for script in self.scripts if script.name == name), None)

    def affects_versions(self, versions: dict[str, str | None]) -> bool:
        """Whether this failure is there on these versions. What is not known does not exclude."""
        stated = Range(tuple((k, v) for k, v in self.affects if k in VERSIONED))
        failure = self.script("broken")
        return stated.covers(versions) and (failure is None or failure.range.covers(versions))

    def section(self, heading: str) -> str:
        """The Markdown under a heading; empty where the entry does not have it."""
        return next((s.text for s in self.sections if s.heading == heading), "")


@dataclass(frozen=True)
class Family:
    """An overview of the entries that share their letters: when to suspect it, what to run first."""

    letters: str
    title: str
    summary: str
    path: Path
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Problem:
    """One thing wrong with the catalogue: where it is, and what to do."""

    path: Path
    message: str
    line: int | None = None
    key: str | None = None

    def located(self, path: str) -> str:
        """One line: file, line and key, then the message."""
        where = path + (f":{self.line}" if self.line else "")
        return f"{where}: {self.key}: {self.message}" if self.key else f"{where}: {self.message}"

    def __str__(self) -> str:
        return self.located(str(self.path))
