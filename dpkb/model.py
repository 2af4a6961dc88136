"""The records of the catalogue: entries, their scripts, their claims. No I/O."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from dpkb.ids import family_of
from dpkb.patterns.wording import put_in_words, write_example


class FailureKind(str, Enum):
    """How a failure shows: silently wrong, an error, a hang, a killed process, slowness, too much memory."""

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
    # Stopped at any limit of dpkb, not only that of time: see run_records.Limit.
    TIMED_OUT = "timed out"
    INVALID = "invalid"


class Certainty(str, Enum):
    """How sure a finding of lint or audit is, surest first."""

    # Lint: the code is wrong in every program. Audit: the failure happened.
    CERTAIN = "certain"
    # Wrong in most programs.
    LIKELY = "likely"
    # Worth a look. Shown only when asked for.
    HINT = "hint"

    __str__ = str.__str__  # prints the value, like StrEnum, which Python 3.10 lacks


# The values of a script's key `shows`, and the outcome that each declares.
OUTCOME_OF_SHOWS = {
    "wrong-result": Outcome.WRONG_RESULT,
    "raises": Outcome.RAISED,
    "hangs": Outcome.HUNG,
    "killed": Outcome.KILLED,
}

# What an entry may limit whatever its scripts need, and what else `affects` may name.
VERSIONED_PACKAGES = ("torch", "torchvision", "python")
PLACES = ("os", "start_method")
# The distributions whose name is not that of the package.
_DISTRIBUTIONS = {"PIL": "pillow", "cv2": "opencv-python-headless"}


def parse_release(version: str) -> Version | None:
    """The release of a version text: 2.6.0 for "2.6.0a0+git1"; None if the text is no version."""
    try:
        return Version(Version(version).base_version)
    except ValueError:  # no version, or a number with more digits than int() reads
        return None


@dataclass(frozen=True)
class VersionRange:
    """The versions for which a statement holds: (package, PEP 440 specifier) pairs. Empty: all versions."""

    specifiers: tuple[tuple[str, str], ...] = ()

    def covers(self, versions: dict[str, str | None]) -> bool:
        """Whether all of these versions are in the range. An unknown version counts as in it."""
        for package, specifier in self.specifiers:
            have = parse_release(versions.get(package) or "")
            if have is not None and not SpecifierSet(specifier).contains(have, prereleases=True):
                return False
        return True

    def __str__(self) -> str:
        return ", ".join(f"{package} {specifier}" for package, specifier in self.specifiers)


@dataclass(frozen=True)
class LinePattern:
    """An RE2 pattern for one line of output, with the versions that print this line."""

    match: str
    range: VersionRange = VersionRange()
    # Whether many causes print this line, so that a match proves little.
    weak: bool = False
    # A second pattern: the match counts only if an earlier line of the log matches this.
    near: str = ""
    # Whether it was generated from a message, and not written by the author of the entry.
    is_recorded: bool = False

    @property
    def words(self) -> str:
        """The pattern as readable text."""
        return put_in_words(self.match)

    @property
    def example(self) -> str:
        """A line that the pattern probably matches."""
        return write_example(self.match)


@dataclass(frozen=True)
class RecordedMessage:
    """A message of a wrong call: its pattern, an example, what was called, and the torch versions that say it.

    reason: why no entry answers it, for a message that leads nowhere.
    """

    match: str
    message: str
    call: str
    seen: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True)
class FramePattern:
    """A pattern for a frame of a traceback without a last line, or for the source of its last frame."""

    match: str
    # At most this many frames may follow the frame.
    inner: int = 2
    # Whether another entry with this pattern is more likely.
    weak: bool = False


@dataclass(frozen=True)
class Evidence:
    """A pattern for what speaks for an entry, or against it, in a log that one of its signatures matches."""

    match: str
    is_against: bool = False
    # The sentence that says so; without one, the text that matches.
    because: str = ""


@dataclass(frozen=True)
class Needs:
    """What a script needs to run, from its `Needs:` line and its code."""

    packages: tuple[str, ...] = ("torch",)
    devices: tuple[str, ...] = ("cpu",)
    linux: bool = False
    root: bool = False
    shm_mb: int | None = None
    open_files: int | None = None
    # A new interpreter, not a fork with torch loaded: the script sets variables that torch reads on import.
    own_interpreter: bool = False
    # Patterns of the SKIPPED lines that its guards print; None if the script was not read.
    skips: tuple[str, ...] | None = None
    about_seconds: float = 5.0

    @property
    def distributions(self) -> tuple[str, ...]:
        """The packages but torch, as their distributions are named."""
        names = (name for name in self.packages if name != "torch")
        return tuple(_DISTRIBUTIONS.get(name) or canonicalize_name(name) for name in names)


@dataclass(frozen=True)
class Script:
    """A script as its entry declares it: its path, its claim, and the outcome that proves the claim."""

    entry: str
    name: str
    path: Path
    claim: str
    shows: Outcome
    patterns: tuple[LinePattern, ...] = ()
    range: VersionRange = VersionRange()
    # Why `dpkb audit` cannot report this script, although it reports other scripts of the entry.
    not_reported: str | None = None
    # The file and the line that declare it.
    declared_in: Path = field(default=Path(), compare=False, repr=False)
    declared_at: int = field(default=0, compare=False, repr=False)

    @property
    def key(self) -> str:
        """The name of the script in evidence, such as DP1/broken."""
        return f"{self.entry}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class Reproducer(Script):
    """A script whose file has been read: with its source and what it needs to run."""

    source: str = field(repr=False)
    needs: Needs


@dataclass(frozen=True)
class CitedSource:
    """A page or document that an entry cites."""

    title: str
    url: str


@dataclass(frozen=True)
class SimilarEntry:
    """Another entry with a similar symptom, and one quick check that tells the two apart."""

    id: str
    check: str


@dataclass(frozen=True)
class Signpost:
    """A message that no script here can reproduce: what kind of thing it is, and what to look at first."""

    match: str
    kind: str
    look: str
    source: CitedSource


@dataclass(frozen=True)
class Section:
    """One section of a page: its `## heading`, the Markdown below it, and the line of the heading."""

    heading: str
    text: str
    line: int


@dataclass(frozen=True)
class Entry:
    """One failure of the catalogue."""

    id: str
    title: str
    summary: str
    kind: FailureKind
    path: Path
    keywords: tuple[str, ...]
    asked_as: tuple[str, ...]
    signatures: tuple[LinePattern, ...]
    affects: tuple[tuple[str, str], ...]
    see_also: tuple[str, ...]
    confused_with: tuple[SimilarEntry, ...]
    sources: tuple[CitedSource, ...]
    scripts: tuple[Script, ...]
    sections: tuple[Section, ...]
    # Generated from what torch says to wrong calls.
    messages: tuple[RecordedMessage, ...] = ()
    # What chooses between this entry and others with the same signature.
    evidence: tuple[Evidence, ...] = ()
    frames: tuple[FramePattern, ...] = ()
    # Patterns for the stacks of a job that hangs, and for what they say together.
    stacks: tuple[LinePattern, ...] = ()
    # The commands that can see the failure, and how sure each is: (("lint", "likely"), ("audit", "certain")).
    found_by: tuple[tuple[str, str], ...] = ()
    # Why neither lint nor audit can see it.
    unseen: str | None = None
    # Why the entry was withdrawn.
    withdrawn: str | None = None
    # The title and the summary in Chinese.
    title_zh: str | None = None
    summary_zh: str | None = None
    # The line of each key in the front matter, and of each item in the search file: "id", "keywords[0]".
    key_lines: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def family(self) -> str:
        """The letters of the id."""
        return family_of(self.id)

    @cached_property
    def line_patterns(self) -> tuple[LinePattern, ...]:
        """Every pattern for a line of a log: the signatures, and those of the recorded messages."""
        texts = dict.fromkeys(row.match for row in self.messages)
        return (*self.signatures, *(LinePattern(text, is_recorded=True) for text in texts))

    @cached_property
    def script_names(self) -> tuple[str, ...]:
        return tuple(script.name for script in self.scripts)

    def find_script(self, name: str) -> Script | None:
        """The script of this name (without .py), or None."""
        return next((script for script in self.scripts if script.name == name), None)

    def affects_versions(self, versions: dict[str, str | None]) -> bool:
        """Whether this failure happens on these versions. An unknown version counts as affected."""
        stated = VersionRange(tuple((k, v) for k, v in self.affects if k not in PLACES))
        broken = self.find_script("broken")
        return stated.covers(versions) and (broken is None or broken.range.covers(versions))

    def in_chinese(self) -> Entry:
        """The entry with the title and the summary in Chinese, where it has them."""
        return replace(self, title=self.title_zh or self.title, summary=self.summary_zh or self.summary)

    def find_section(self, heading: str) -> str:
        """The Markdown under a heading; empty if the entry has no such heading."""
        return next((s.text for s in self.sections if s.heading == heading), "")


@dataclass(frozen=True)
class Family:
    """The overview page of all entries whose ids have the same letters."""

    letters: str
    title: str
    summary: str
    path: Path
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Problem:
    """One mistake in the catalogue: its file, line and key, and what to do."""

    path: Path
    message: str
    line: int | None = None
    key: str | None = None

    def render(self, path: str) -> str:
        """One line: file, line and key, then the message."""
        where = path + (f":{self.line}" if self.line else "")
        return f"{where}: {self.key}: {self.message}" if self.key else f"{where}: {self.message}"

    def __str__(self) -> str:
        return self.render(str(self.path))
