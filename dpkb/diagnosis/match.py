"""A log -> the entries that explain it, ranked by the signatures that its lines match."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO

from dpkb.diagnosis import frames, log, triage
from dpkb.diagnosis.progress_hints import Hint, find_hints
from dpkb.diagnosis.progress_numbers import ProgressNumbers
from dpkb.ids import is_triage
from dpkb.model import Entry, LinePattern, VersionRange
from dpkb.patterns import matching

# How many lines are shown for one signature, and how much of each.
LINES_PER_SIGNATURE, SHOWN_CHARACTERS = 3, 500
# A pattern is no longer looked for after this many matching lines: its thousandth line adds nothing.
_MAX_MATCHING_LINES = 200
# How much of the end of the log is kept, for the `near` of a signature and for what the last lines say.
_TAIL_BYTES = 64 * 1024
# How much of a long line is compared, before and after the first match.
_BYTES_AROUND_MATCH = 16 * 1024
# How much of the line before is compared to recognise quoted source.
_LINE_START_BYTES = 512
# How many of the last lines are searched for the next step, and how much of each line.
_TRIAGE_LINES, _MAX_LINE_CHARACTERS = 60, 2000
# The `near` of a signature may be this many lines before its line.
NEAR_LINES = 200
# How much a matching signature adds to the score of an entry; entries with the same signature share it.
STRONG_SCORE, WEAK_SCORE = 10.0, 2.0
# How much a frame adds, if the last line of the traceback is missing; less for each less likely entry.
FRAME_SCORE, FRAME_SCORE_STEP = 3.0, 0.25
# Matches with less than this share of the best score are not shown.
MIN_SCORE_SHARE = 0.25
_ERROR = r"^(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)|Killed|Segmentation fault|Bus error)\b"


@dataclass(frozen=True)
class MatchedLine:
    """A line of the log that a signature, or the rule for a frame, matches. signature: its pattern."""

    line: int
    text: str
    signature: str


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
    # The last lines that look like errors, to search for if nothing matches.
    errors: tuple[str, ...]
    # Hints from the losses, times and memory in its progress lines.
    hints: tuple[Hint, ...] = ()
    # If nothing matches: what to collect, and the entry that says how.
    next_step: triage.NextStep | None = None
    # Whether the log has no text at all.
    is_empty: bool = False
    # The last lines, without the prefixes of launchers.
    tail: tuple[str, ...] = ()


def group_owner_ids(entries: Iterable[Entry]) -> dict[LinePattern, list[str]]:
    """Signature -> the ids of the entries that have it, so that a shared one is looked for only once."""
    ids: dict[LinePattern, list[str]] = {}
    for entry in entries:
        for signature in entry.signatures:
            ids.setdefault(replace(signature, range=VersionRange()), []).append(entry.id)
    return ids


def list_patterns(signatures: Collection[LinePattern]) -> list[str]:
    """The patterns of these signatures: first those for the line itself, then those for lines nearby."""
    return list(dict.fromkeys([s.match for s in signatures] + [s.near for s in signatures if s.near]))


class Signatures:
    """The signatures of entries that are not withdrawn, compiled once for any number of logs."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        entries = [entry for entry in entries if not entry.withdrawn]
        self.titles = {entry.id: entry.title for entry in entries}
        self.owner_ids = group_owner_ids(entries)
        self._signatures_by_pattern: dict[str, list[LinePattern]] = {}
        for signature in self.owner_ids:
            self._signatures_by_pattern.setdefault(signature.match, []).append(signature)
        self.line_patterns = list(self._signatures_by_pattern)
        # The patterns that match a line, and where in a block any of them may match.
        self._pattern_set = matching.PatternSet(self.line_patterns)
        self.pattern_filter = matching.PatternFilter(self.line_patterns)

    def find_matching(self, line: str) -> Iterator[tuple[str, list[LinePattern]]]:
        """The patterns that match a line without its prefixes, each with its signatures."""
        for index in self._pattern_set.matches(line):
            pattern = self.line_patterns[index]
            yield pattern, self._signatures_by_pattern[pattern]


# By entry: the lines that each of its signatures matches.
_MatchedLines = dict[str, dict[LinePattern, list[MatchedLine]]]


class LogReader:
    """Reads a log block by block and keeps the lines that signatures match.

    The diagnosis does not depend on where the log is cut into blocks, as long as each has whole lines.
    """

    def __init__(self, signatures: Signatures) -> None:
        self._signatures = signatures
        self._filter = signatures.pattern_filter
        self._matched: _MatchedLines = {}
        self._matching_lines: dict[str, int] = {}
        self._tail = b""
        # The start of the last line of the block before.
        self._last_line = b""
        self._numbers = ProgressNumbers()
        self._newlines = 0

    def read_block(self, block: log.Block) -> None:
        """Compare every line of a block with the signatures."""
        self._numbers.read_block(block)
        before, self._tail = self._tail, (self._tail + block.text)[-_TAIL_BYTES:]
        position = 0
        while (offset := self._filter.find(block.text, position)) is not None:
            number, start, end = block.find_line_at(offset)
            if not _is_quoted_source(block.text, start, self._last_line):
                # The context is only built for a signature that requires something nearby.
                context = partial(_find_context, before, block.text, start)
                line = block.text[
                    max(start, offset - _BYTES_AROUND_MATCH) : min(end, offset + _BYTES_AROUND_MATCH)
                ]
                self._match_line(number, line, context)
            position = end + 1
        if block.text:
            self._last_line = _find_line_before(block.text, len(block.text), b"")
            self._newlines = block.first_line - 1 + block.text.count(b"\n")

    def _match_line(self, number: int, line: bytes, context: Callable[[], bytes]) -> None:
        bare = log.remove_prefix(line.decode("utf-8", "replace"))
        # A `near` may match every line of the log, so it is looked for only backwards from here.
        is_near: dict[str, bool] = {}
        for text, signatures in self._signatures.find_matching(bare):
            self._count(text)
            for signature in signatures:
                near = signature.near
                if near and near not in is_near:
                    is_near[near] = _is_near(context(), near)
                if not near or is_near[near]:
                    self._keep(signature, MatchedLine(number, bare[:SHOWN_CHARACTERS], text))

    def _count(self, text: str) -> None:
        """Count a match; a pattern that has matched often enough is no longer looked for."""
        self._matching_lines[text] = self._matching_lines.get(text, 0) + 1
        if self._matching_lines[text] == _MAX_MATCHING_LINES:
            self._filter = matching.PatternFilter(
                [
                    other
                    for other in self._signatures.line_patterns
                    if self._matching_lines.get(other, 0) < _MAX_MATCHING_LINES
                ]
            )

    def _keep(self, signature: LinePattern, line: MatchedLine) -> None:
        for entry_id in self._signatures.owner_ids[signature]:
            lines = self._matched.setdefault(entry_id, {}).setdefault(signature, [])
            if len(lines) < LINES_PER_SIGNATURE:
                lines.append(line)

    def build_diagnosis(self) -> Diagnosis:
        """The diagnosis of the lines so far."""
        matches = self._matches()
        shown = tuple(match for match in matches if _is_worth_showing(match, matches[0]))
        known = self._signatures.titles.keys()
        hints = [
            replace(hint, ids=tuple(i for i in hint.ids if i in known)) for hint in find_hints(self._numbers)
        ]
        hints = [hint for hint in hints if hint.ids]
        errors = self._list_last_errors()
        next_step = None if shown or hints else self._choose_next_step(errors)
        tail = tuple(
            log.remove_prefix(line[:_MAX_LINE_CHARACTERS])
            for line in self._tail.decode("utf-8", "replace").split("\n")
        )
        return Diagnosis(shown, errors, tuple(hints), next_step, is_empty=not self._tail, tail=tail)

    def _matches(self) -> list[Match]:
        """All entries that the lines so far point to, best first."""
        matched: _MatchedLines = {entry_id: dict(lines) for entry_id, lines in self._matched.items()}
        frame_lines: dict[str, tuple[int, MatchedLine]] = {}
        raw = self._tail.decode("utf-8", "replace").split("\n")
        first_line = self._newlines + 2 - len(raw)
        lines = [log.remove_prefix(line.rsplit("\r", 1)[-1][:_MAX_LINE_CHARACTERS]) for line in raw]
        if cut := frames.find_cut_traceback(lines):
            for entry_id, signature, line in self._match_raise_lines(cut, lines, first_line):
                matched.setdefault(entry_id, {}).setdefault(signature, [line])
            frame_lines = self._match_frame(cut, lines, first_line)
        matches = [
            self._match(entry_id, matched.get(entry_id, {}), frame_lines.get(entry_id))
            for entry_id in dict.fromkeys([*matched, *frame_lines])
        ]
        return sorted(
            matches, key=lambda match: (-match.score, is_triage(match.id), match.evidence[0].line, match.id)
        )

    def _match_raise_lines(
        self, cut: frames.CutTraceback, lines: list[str], first_line: int
    ) -> Iterator[tuple[str, LinePattern, MatchedLine]]:
        """The signatures that the `raise` statements of a cut traceback match: entry, signature and line."""
        for i in cut.raise_lines:
            for text, signatures in self._signatures.find_matching(lines[i]):
                line = MatchedLine(first_line + i, lines[i][:SHOWN_CHARACTERS], text)
                for signature in signatures:
                    for entry_id in self._signatures.owner_ids[signature] if not signature.near else ():
                        yield entry_id, signature, line

    def _match_frame(
        self, cut: frames.CutTraceback, lines: list[str], first_line: int
    ) -> dict[str, tuple[int, MatchedLine]]:
        """Entry -> its rank in the rule that matches a frame of a cut traceback, and that frame."""
        if cut.rule is None or cut.frame is None:
            return {}
        line = MatchedLine(first_line + cut.frame, lines[cut.frame][:SHOWN_CHARACTERS], cut.rule.pattern)
        return {
            entry_id: (rank, line)
            for rank, entry_id in enumerate(cut.rule.ids)
            if entry_id in self._signatures.titles
        }

    def _match(
        self,
        entry_id: str,
        by_signature: dict[LinePattern, list[MatchedLine]],
        frame: tuple[int, MatchedLine] | None,
    ) -> Match:
        score = 0.0
        for signature in by_signature:
            signature_score = WEAK_SCORE if signature.weak else STRONG_SCORE
            score += signature_score / len(self._signatures.owner_ids[signature])
        evidence = [line for lines in by_signature.values() for line in lines]
        if frame:
            rank, line = frame
            score += FRAME_SCORE - FRAME_SCORE_STEP * rank
            evidence.append(line)
        evidence.sort(key=lambda matched: matched.line)
        return Match(entry_id, self._signatures.titles[entry_id], round(score, 2), tuple(evidence))

    def _list_last_errors(self) -> tuple[str, ...]:
        lines = map(log.remove_prefix, self._tail.decode("utf-8", "replace").splitlines())
        return tuple([line[:SHOWN_CHARACTERS] for line in lines if matching.has_match(_ERROR, line)][-3:])

    def _choose_next_step(self, errors: tuple[str, ...]) -> triage.NextStep | None:
        """What to collect, if the catalogue has the entry that says how."""
        tail = self._tail.decode("utf-8", "replace").splitlines()[-_TRIAGE_LINES:]
        lines = [log.remove_prefix(line[:_MAX_LINE_CHARACTERS]) for line in tail]
        step = triage.choose_next_step(errors, lines)
        return step if step and step.id in self._signatures.titles else None


def _find_context(before: bytes, text: bytes, position: int) -> bytes:
    """The text before a position in a block. before: the end of the log before this block."""
    return (before + text[max(0, position - _TAIL_BYTES) : position])[-_TAIL_BYTES:]


def _is_near(context: bytes, pattern: str) -> bool:
    """Whether a pattern matches one of the last lines of the text before a line."""
    end = len(context)
    for _ in range(NEAR_LINES):
        start = context.rfind(b"\n", 0, max(0, end - 1)) + 1
        if not _is_quoted_source(context, start, b""):
            for line in context[start:end].decode("utf-8", "replace").split("\r"):
                if matching.has_match(pattern, log.remove_prefix(line)):
                    return True
        end = start
        if not end:
            break
    return False


def _find_line_before(text: bytes, start: int, before: bytes) -> bytes:
    """The start of the line before a line. start: the start of that line; before: the text before this."""
    if start == 0:
        return before
    first = text.rfind(b"\n", 0, start - 1) + 1
    return text[first : min(start, first + _LINE_START_BYTES)]


def _is_quoted_source(text: bytes, start: int, before: bytes) -> bool:
    """Whether a line is source code that a traceback quotes: it may name an error that was not raised."""
    # Such a line has the same prefix as the `File` line before it, and is indented further.
    column = _find_line_before(text, start, before).find(b'File "')
    return column >= 0 and text[start + column : start + column + 2] == b"  "


def _is_worth_showing(match: Match, best: Match) -> bool:
    """Whether a match scores near the best one, or shares a line of evidence with it."""
    common_lines = {e.line for e in match.evidence} & {e.line for e in best.evidence}
    return match.score >= best.score * MIN_SCORE_SHARE or bool(common_lines)


def diagnose(stream: BinaryIO, signatures: Signatures) -> Diagnosis:
    """Read a log to its end and diagnose it."""
    reader = LogReader(signatures)
    for block in log.read_blocks(stream):
        reader.read_block(block)
    return reader.build_diagnosis()
