"""A log -> the entries that explain it, ranked by the signatures that its lines match."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO

from dpkb import patterns
from dpkb.diagnosis import frames, log, triage
from dpkb.diagnosis.progress_numbers import Hint, ProgressNumbers
from dpkb.ids import is_triage
from dpkb.model import Entry, Pattern, Range

# How many lines are shown for one signature.
LINES_PER_SIGNATURE = 3
# After this many lines a pattern is no longer looked for: its thousandth line adds nothing.
_ENOUGH = 200
_TAIL = 64 * 1024
# How much of a long line is compared, before and after the match.
_LONG = 16 * 1024
# How much of the line before is compared to recognise quoted source.
_HEAD = 512
# How many of the last lines are looked at for what to collect next.
_LAST_LINES = 60
# How much of a line of a traceback is compared.
_LONGEST_FRAME = 2000
# How many lines before a line its `near` may be.
NEAR = 200
# What a matching signature adds to the score of an entry; those that share it share the score.
STRONG_SCORE, WEAK_SCORE = 10.0, 2.0
# The frame of a traceback whose last line is missing; less for each less likely entry.
FRAME_SCORE, FRAME_SCORE_STEP = 3.0, 0.25
# Matches with less than this share of the best score are not shown.
WORTH_SHOWING = 0.25
_ERROR = r"^(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)|Killed|Segmentation fault|Bus error)\b"


@dataclass(frozen=True)
class MatchedLine:
    """One line of the log that a signature of an entry matched."""

    line: int
    text: str
    signature: str


@dataclass(frozen=True)
class FrameMatch:
    """A frame of a traceback without its last line. place: how many entries of its rule are more likely."""

    place: int
    line: MatchedLine


@dataclass(frozen=True)
class Match:
    """An entry that explains the log, and the lines that show it."""

    id: str
    title: str
    score: float
    evidence: tuple[MatchedLine, ...]


@dataclass(frozen=True)
class Diagnosis:
    """The entries that explain a log, best first; there may be none."""

    matches: tuple[Match, ...]
    # The last lines that look like errors, to search for if nothing matched.
    errors: tuple[str, ...]
    # Hints from the losses, times and memory in its progress lines.
    hints: tuple[Hint, ...] = ()
    # Where nothing matched: what to collect, and the entry that says how.
    next_step: triage.NextStep | None = None


def owner_ids_by_signature(entries: Iterable[Entry]) -> dict[Pattern, list[str]]:
    """The ids of the entries that have each signature. A shared signature is looked for only once."""
    ids: dict[Pattern, list[str]] = {}
    for entry in entries:
        for signature in entry.signatures:
            ids.setdefault(replace(signature, range=Range()), []).append(entry.id)
    return ids


def pattern_texts(signatures: Collection[Pattern]) -> list[str]:
    """Every pattern of these signatures: those for the line itself, then those for lines nearby."""
    return list(dict.fromkeys([s.match for s in signatures] + [s.near for s in signatures if s.near]))


class Signatures:
    """The signatures of entries that are not withdrawn, compiled once for any number of logs."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        entries = [entry for entry in entries if not entry.withdrawn]
        self.titles = {entry.id: entry.title for entry in entries}
        self.owner_ids = owner_ids_by_signature(entries)
        self.by_text: dict[str, list[Pattern]] = {}
        for signature in self.owner_ids:
            self.by_text.setdefault(signature.match, []).append(signature)
        self.texts = list(self.by_text)
        self.exact = patterns.PatternSet(self.texts)
        self.anywhere = patterns.PatternFilter(self.texts)


class LogReader:
    """Reads a log block by block and keeps the lines that signatures match.

    The answer does not depend on where the log is cut, as long as each block has whole lines.
    """

    def __init__(self, signatures: Signatures) -> None:
        self._signatures = signatures
        self._anywhere = signatures.anywhere
        self._matched: dict[str, dict[Pattern, list[MatchedLine]]] = {}
        # How often each pattern has matched.
        self._seen: dict[str, int] = {}
        self._tail = b""
        # The start of the last line of the block before.
        self._last_line = b""
        self._numbers = ProgressNumbers()
        # The number of newlines so far.
        self._newlines = 0

    def take(self, block: log.Block) -> None:
        """Compare every line of a block with the signatures."""
        self._numbers.take(block)
        before, self._tail = self._tail, (self._tail + block.text)[-_TAIL:]
        position = 0
        while (offset := self._anywhere.find(block.text, position)) is not None:
            number, start, end = block.line_at(offset)
            if not _is_quoted_source(block.text, start, self._last_line):
                # Joined only for a signature that requires something nearby.
                context = partial(_end_of, before, block.text, start)
                self._line(number, block.text[max(start, offset - _LONG) : min(end, offset + _LONG)], context)
            position = end + 1
        if block.text:
            self._last_line = _line_before(block.text, len(block.text), b"")
            self._newlines = block.first_line - 1 + block.text.count(b"\n")

    def _line(self, number: int, raw: bytes, context: Callable[[], bytes]) -> None:
        bare = log.without_prefix(raw.decode("utf-8", "replace"))
        # A `near` may match every line of the log, so it is looked for only backwards from here.
        near: dict[str, bool] = {}
        for index in self._signatures.exact.matches(bare):
            text = self._signatures.texts[index]
            self._count(text)
            for signature in self._signatures.by_text[text]:
                wanted = signature.near
                if wanted and wanted not in near:
                    near[wanted] = self._is_near(context(), wanted)
                if not wanted or near[wanted]:
                    self._keep(signature, MatchedLine(number, bare[:500], text))

    @staticmethod
    def _is_near(context: bytes, wanted: str) -> bool:
        """Whether the pattern matches one of the last lines of the text before a line."""
        end = len(context)
        for _ in range(NEAR):
            start = context.rfind(b"\n", 0, max(0, end - 1)) + 1
            if not _is_quoted_source(context, start, b""):
                for line in context[start:end].decode("utf-8", "replace").split("\r"):
                    if patterns.found_in(wanted, log.without_prefix(line)):
                        return True
            end = start
            if not end:
                break
        return False

    def _count(self, text: str) -> None:
        """Count a match; a pattern that has matched often enough is no longer looked for."""
        self._seen[text] = self._seen.get(text, 0) + 1
        if self._seen[text] == _ENOUGH:
            left = [t for t in self._signatures.texts if self._seen.get(t, 0) < _ENOUGH]
            self._anywhere = patterns.PatternFilter(left)

    def _keep(self, signature: Pattern, matched: MatchedLine) -> None:
        for entry in self._signatures.owner_ids[signature]:
            lines = self._matched.setdefault(entry, {}).setdefault(signature, [])
            if len(lines) < LINES_PER_SIGNATURE:
                lines.append(matched)

    def _read_cut_traceback(self) -> tuple[list[tuple[str, Pattern, MatchedLine]], dict[str, FrameMatch]]:
        """What a traceback at the end of the log says if its last line is missing.

        Returns the signatures that its `raise` statements match, with entry and line; and by entry the frame
        that a rule fits.
        """
        raw = self._tail.decode("utf-8", "replace").split("\n")
        lines = [log.without_prefix(line.rsplit("\r", 1)[-1][:_LONGEST_FRAME]) for line in raw]
        cut = frames.cut_traceback(lines)
        if cut is None:
            return [], {}
        first = self._newlines + 1 - (len(raw) - 1)
        raised = []
        for number in cut.raising:
            for index in self._signatures.exact.matches(lines[number]):
                matched = MatchedLine(first + number, lines[number][:500], self._signatures.texts[index])
                for signature in self._signatures.by_text[matched.signature]:
                    for entry in self._signatures.owner_ids[signature] if not signature.near else ():
                        raised.append((entry, signature, matched))
        if cut.rule is None or cut.frame is None:
            return raised, {}
        matched = MatchedLine(first + cut.frame, lines[cut.frame][:500], cut.rule.pattern)
        return raised, {entry: FrameMatch(place, matched) for place, entry in enumerate(cut.rule.ids)
                        if entry in self._signatures.titles}

    def diagnosis(self) -> Diagnosis:
        """The diagnosis from the lines read so far."""
        matched = {entry: dict(by_signature) for entry, by_signature in self._matched.items()}
        raised, by_frame = self._read_cut_traceback()
        for entry, signature, one in raised:
            matched.setdefault(entry, {}).setdefault(signature, [one])
        matches = [self._match(entry, matched.get(entry, {}), by_frame.get(entry))
                   for entry in dict.fromkeys([*matched, *by_frame])]
        matches.sort(key=lambda match: (
            -match.score, is_triage(match.id), match.evidence[0].line, match.id))
        shown = tuple(match for match in matches if _is_worth_showing(match, matches[0]))
        known = self._signatures.titles.keys()
        hints = [replace(hint, ids=tuple(i for i in hint.ids if i in known))
                 for hint in self._numbers.hints()]
        hints = [hint for hint in hints if hint.ids]
        errors = self._last_errors()
        next_step = None
        if not shown and not hints:
            tail = self._tail.decode("utf-8", "replace").splitlines()[-_LAST_LINES:]
            next_step = triage.next_step(errors, [log.without_prefix(line[:_LONGEST_FRAME]) for line in tail])
        return Diagnosis(shown, errors, tuple(hints),
                         next_step if next_step and next_step.id in known else None)

    def _last_errors(self) -> tuple[str, ...]:
        lines = map(log.without_prefix, self._tail.decode("utf-8", "replace").splitlines())
        return tuple([line[:500] for line in lines if patterns.found_in(_ERROR, line)][-3:])

    def _match(self, entry: str, by_signature: dict[Pattern, list[MatchedLine]],
               frame: FrameMatch | None) -> Match:
        score = 0.0
        for signature in by_signature:
            worth = WEAK_SCORE if signature.weak else STRONG_SCORE
            score += worth / len(self._signatures.owner_ids[signature])
        lines = [line for group in by_signature.values() for line in group]
        if frame:
            score += FRAME_SCORE - FRAME_SCORE_STEP * frame.place
            lines.append(frame.line)
        lines.sort(key=lambda matched: matched.line)
        return Match(entry, self._signatures.titles[entry], round(score, 2), tuple(lines))


def _end_of(before: bytes, text: bytes, position: int) -> bytes:
    """The last text before a position in a block. before: the end of the log before this block."""
    return (before + text[max(0, position - _TAIL) : position])[-_TAIL:]


def _line_before(text: bytes, start: int, before: bytes) -> bytes:
    """The start of the line before the one that starts here. before: that line, if it is not in the text."""
    if start == 0:
        return before
    first = text.rfind(b"\n", 0, start - 1) + 1
    return text[first : min(start, first + _HEAD)]


def _is_quoted_source(text: bytes, start: int, before: bytes) -> bool:
    """Whether this line is source code that a traceback quotes: it names an error without raising it."""
    # It is indented deeper than its `File` line, after the same prefix.
    column = _line_before(text, start, before).find(b'File "')
    return column >= 0 and text[start + column : start + column + 2] == b"  "


def _is_worth_showing(match: Match, best: Match) -> bool:
    """Whether a match scores near the best one, or shares a line of evidence with it."""
    same_line = {e.line for e in match.evidence} & {e.line for e in best.evidence}
    return match.score >= best.score * WORTH_SHOWING or bool(same_line)


def diagnose(stream: BinaryIO, signatures: Signatures) -> Diagnosis:
    """Read a log to its end and say which entries explain it."""
    reader = LogReader(signatures)
    for block in log.blocks(stream):
        reader.take(block)
    return reader.diagnosis()
