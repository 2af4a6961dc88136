"""A log, streamed, and the signatures of the entries -> the entries that explain it, ranked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import BinaryIO

from dpkb import logs, patterns
from dpkb.entry import Entry, Pattern, Range

# Evidence shown for one signature, and the most lines looked at with the exact patterns: a signature
# that fills the log says no more at its thousandth line.
LINES_A_SIGNATURE = 3
_ENOUGH = 200
_TAIL = 64 * 1024
# Of a longer line only so much before and after the place that matched.
_LONG = 16 * 1024
# How many lines before a line its `near` may stand.
NEAR = 200
STRONG, WEAK = 10.0, 2.0
# A line that only hints does not make a diagnosis beside one that says it.
WORTH_SHOWING = 0.25
_ERROR = r"^(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)|Killed|Segmentation fault|Bus error)\b"


@dataclass(frozen=True)
class Evidence:
    """One line of the log that a signature of an entry matched."""

    line: int
    text: str
    signature: str


@dataclass(frozen=True)
class Match:
    """An entry that explains the log, and by which of its lines."""

    id: str
    title: str
    score: float
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Diagnosis:
    """The entries that explain a log, best first; none is an honest answer."""

    matches: tuple[Match, ...]
    # The last lines that look like errors, for a search where nothing matched.
    errors: tuple[str, ...]


def owners(entries: Iterable[Entry]) -> dict[Pattern, list[str]]:
    """Of each signature the entries that have it: one that several have is looked for once."""
    found: dict[Pattern, list[str]] = {}
    for entry in entries:
        if not entry.withdrawn:
            for signature in entry.signatures:
                found.setdefault(replace(signature, range=Range()), []).append(entry.id)
    return found


def texts_of(signatures: Collection[Pattern]) -> list[str]:
    """Every pattern of these signatures: what a line is held against first, then what must be nearby."""
    return list(dict.fromkeys([s.match for s in signatures] + [s.near for s in signatures if s.near]))


@dataclass
class Reader:
    """Takes a log block by block, and remembers the lines that signatures match."""

    entries: Iterable[Entry]
    _evidence: dict[str, dict[Pattern, list[Evidence]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._titles = {entry.id: entry.title for entry in self.entries}
        self._owners = owners(self.entries)
        self._by_text: dict[str, list[Pattern]] = {}
        for signature in self._owners:
            self._by_text.setdefault(signature.match, []).append(signature)
        self._texts = list(self._by_text)
        self._exact = patterns.Several(self._texts)
        self._anywhere = patterns.Anywhere(self._texts)
        # Of each text how often it was seen.
        self._seen: dict[str, int] = {}
        self._tail = b""

    def take(self, block: logs.Block) -> None:
        """Look at every line of a block that some signature is in."""
        before, self._tail = self._tail, (self._tail + block.text)[-_TAIL:]
        position = 0
        while (found := self._anywhere.find(block.text, position)) is not None:
            number, start, end = block.line_at(found)
            if not self._is_quoted_source(block.text, start):
                # Copied only for a signature that wants something nearby.
                context = partial(_end_of, before, block.text, start)
                self._line(number, block.text[max(start, found - _LONG) : min(end, found + _LONG)], context)
            position = end + 1

    def _line(self, number: int, raw: bytes, context: Callable[[], bytes]) -> None:
        bare = logs.without_prefix(raw.decode("utf-8", "replace"))
        # What signatures want nearby may be in every line: it is looked for only here, and backwards.
        near: dict[str, bool] = {}
        for index in self._exact.matches(bare):
            text = self._texts[index]
            self._count(text)
            for signature in self._by_text[text]:
                wanted = signature.near
                if wanted and wanted not in near:
                    near[wanted] = self._stands_in(context(), wanted)
                if not wanted or near[wanted]:
                    self._keep(signature, Evidence(number, bare[:500], text))

    def _stands_in(self, context: bytes, wanted: str) -> bool:
        """Whether the pattern matches one of the last lines of what stands before a line."""
        end = len(context)
        for _ in range(NEAR):
            start = context.rfind(b"\n", 0, max(0, end - 1)) + 1
            if not self._is_quoted_source(context, start):
                for part in context[start:end].decode("utf-8", "replace").split("\r"):
                    if patterns.found_in(wanted, logs.without_prefix(part)):
                        return True
            end = start
            if not end:
                break
        return False

    def _count(self, text: str) -> None:
        """From the time when a text has been seen often enough only the others are looked for."""
        self._seen[text] = self._seen.get(text, 0) + 1
        if self._seen[text] == _ENOUGH:
            left = [t for t in self._texts if self._seen.get(t, 0) < _ENOUGH]
            self._anywhere = patterns.Anywhere(left)

    def _keep(self, signature: Pattern, evidence: Evidence) -> None:
        for entry in self._owners[signature]:
            lines = self._evidence.setdefault(entry, {}).setdefault(signature, [])
            if len(lines) < LINES_A_SIGNATURE:
                lines.append(evidence)

    @staticmethod
    def _is_quoted_source(block: bytes, start: int) -> bool:
        """Whether this line is the source that a traceback quotes: code that only names an error."""
        before = block.rfind(b"\n", 0, max(start - 1, 0)) + 1
        column = block.find(b'File "', before, start)
        # It stands deeper than its `File` line, after the same prefix.
        at = start + column - before
        return column >= 0 and block[at : at + 2] == b"  "

    def diagnosis(self) -> Diagnosis:
        """What the lines so far come to."""
        found = [self._match(entry, by_signature) for entry, by_signature in self._evidence.items()]
        found.sort(key=lambda match: (-match.score, match.evidence[0].line, match.id))
        shown = tuple(match for match in found if _is_worth_showing(match, found[0]))
        return Diagnosis(shown, self._last_errors())

    def _last_errors(self) -> tuple[str, ...]:
        lines = map(logs.without_prefix, self._tail.decode("utf-8", "replace").splitlines())
        return tuple([line[:500] for line in lines if patterns.found_in(_ERROR, line)][-3:])

    def _match(self, entry: str, by_signature: dict[Pattern, list[Evidence]]) -> Match:
        score = 0.0
        for signature in by_signature:
            score += (WEAK if signature.weak else STRONG) / len(self._owners[signature])
        lines = sorted((e for group in by_signature.values() for e in group), key=lambda e: e.line)
        return Match(entry, self._titles[entry], round(score, 2), tuple(lines))


def _end_of(before: bytes, text: bytes, place: int) -> bytes:
    """What stands before a place in a block that `before` comes before, as far as it is kept."""
    return (before + text[max(0, place - _TAIL) : place])[-_TAIL:]


def _is_worth_showing(match: Match, best: Match) -> bool:
    """Whether a match is near the best one, or is another reading of a line that speaks for the best."""
    same_line = {e.line for e in match.evidence} & {e.line for e in best.evidence}
    return match.score >= best.score * WORTH_SHOWING or bool(same_line)


def diagnose(stream: BinaryIO, entries: Iterable[Entry]) -> Diagnosis:
    """Read a log to its end and say which entries explain it."""
    reader = Reader(list(entries))
    for block in logs.blocks(stream):
        reader.take(block)
    return reader.diagnosis()
