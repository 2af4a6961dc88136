"""A log -> its errors, and the lines that the signatures of entries match."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import BinaryIO

from dpkb.catalogue.owners import group_owner_ids
from dpkb.diagnosis import failures, frames, log
from dpkb.diagnosis.failures import Failure, Rank
from dpkb.diagnosis.progress_hints import Hint, describe_progress, find_hints
from dpkb.diagnosis.progress_numbers import ProgressNumbers
from dpkb.diagnosis.stacks import HEADERS, Stack, StackReader
from dpkb.model import Entry, LinePattern, Signpost
from dpkb.patterns import matching

# How many lines are shown for one signature, and how much of each.
LINES_PER_SIGNATURE, SHOWN_CHARACTERS = 3, 500
# A pattern is no longer looked for after this many matching lines: its thousandth line adds nothing.
_MAX_MATCHING_LINES = 200
# How much of the start of the log is kept as evidence.
_HEAD_BYTES = 16 * 1024
# How much of the end of the log is kept, for the `near` of a signature and for what the last lines say.
_TAIL_BYTES = 64 * 1024
# How much of a long line is compared, before and after the first match.
_BYTES_AROUND_MATCH = 16 * 1024
# How much of the line before is compared to recognise quoted source.
_LINE_START_BYTES = 512
_MAX_LINE_CHARACTERS = 2000
# The `near` of a signature may be this many lines before its line.
NEAR_LINES = 200
# How much a frame adds, if the last line of the traceback is missing; less for each less likely entry.
FRAME_SCORE, FRAME_SCORE_STEP = 3.0, 0.25
# Matches with less than this share of the best score are not shown.
MIN_SCORE_SHARE = 0.25
_CRASH = re.compile(r"Fatal Python error: (?!Aborted)")
_ERROR_WORD = re.compile(r"Error|Exception|Interrupt|Exit|Killed|Segmentation fault|Bus error")
_ERROR = re.compile(
    r"(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)|Killed|Segmentation fault|Bus error)\b"
)


@dataclass(frozen=True)
class MatchedLine:
    """A line of the log that a signature, or the rule for a frame, matches. signature: its pattern."""

    line: int
    text: str
    signature: str
    file: str = ""
    rank: Rank | None = None


# By entry: the lines that each of its signatures matches.
MatchedLines = dict[str, dict[LinePattern, list[MatchedLine]]]


@dataclass(frozen=True)
class LogReport:
    """What one log says."""

    file: str
    matched: MatchedLines
    # Entry -> its place in the rule that matches a frame of a cut traceback, and that frame.
    frame_lines: dict[str, tuple[int, MatchedLine]]
    failures: dict[Rank | None, list[Failure]]
    # What a launcher says of ranks that ended.
    exits: list[Failure]
    # The ranks that wrote into the log.
    ranks: list[Rank]
    hints: tuple[Hint, ...]
    # Sentences about its numbers, and its first and last lines: where the evidence of the entries is looked for.
    context: str
    # The last lines that look like errors, without the prefixes of launchers, and the last lines as they are.
    errors: tuple[str, ...]
    raw_tail: tuple[str, ...]
    is_empty: bool
    # The stacks of processes that hang.
    stacks: tuple[Stack, ...] = ()

    @cached_property
    def tail(self) -> tuple[str, ...]:
        """The last lines, without prefixes. This takes long for thousands of logs, so few are asked for it."""
        return tuple(map(log.remove_prefix, self.raw_tail))


class Signatures:
    """The signatures of entries that are not withdrawn, compiled once for any number of logs."""

    def __init__(self, entries: Iterable[Entry], signposts: Sequence[Signpost] = ()) -> None:
        self.signposts = signposts
        entries = [entry for entry in entries if not entry.withdrawn]
        self.titles = {entry.id: entry.title for entry in entries}
        self.evidence = {entry.id: entry.evidence for entry in entries if entry.evidence}
        self.owner_ids = group_owner_ids(entries)
        self.frame_rules = frames.build_rules(entries)
        self._stacks = [(pattern, entry.id) for entry in entries for pattern in entry.stacks]
        self._signatures_by_pattern: dict[str, list[LinePattern]] = {}
        for signature in self.owner_ids:
            self._signatures_by_pattern.setdefault(signature.match, []).append(signature)
        self.line_patterns = list(self._signatures_by_pattern)
        # The patterns that match a line, and where in a block any of them may match.
        self._pattern_set = matching.PatternSet(self.line_patterns)
        self.pattern_filter = self.build_filter(())

    @lru_cache(maxsize=8)  # noqa: B019 - it lives as long as the command
    def build_filter(self, dropped: tuple[str, ...]) -> matching.PatternFilter:
        """Finds lines that a signature may match, but for these, or that may be errors."""
        kept = [pattern for pattern in self.line_patterns if pattern not in dropped]
        return matching.PatternFilter([*kept, *failures.PATTERNS, HEADERS])

    def find_in_stacks(self, text: str) -> Iterator[tuple[LinePattern, str]]:
        """The patterns that match a stack, or a sentence on stacks, each with its entry."""
        return ((p, entry_id) for p, entry_id in self._stacks if matching.has_match(p.match, text))

    def find_matching(self, line: str) -> Iterator[tuple[str, list[LinePattern]]]:
        """The patterns that match a line without its prefixes, each with its signatures."""
        for index in self._pattern_set.matches(line):
            pattern = self.line_patterns[index]
            yield pattern, self._signatures_by_pattern[pattern]


class LogReader:
    """Reads a log block by block and keeps its errors and the lines that signatures match.

    The report does not depend on where the log is cut into blocks, as long as each has whole lines.
    rank: the rank whose log this is, if it has no other's lines.
    """

    def __init__(
        self, signatures: Signatures, file: str = "", rank: Rank | None = None, numbers: bool = True
    ) -> None:
        self._signatures, self._file, self._rank = signatures, file, rank
        self._reads_numbers = numbers
        self._filter = signatures.pattern_filter
        self._matched: MatchedLines = {}
        self._matching_lines: dict[str, int] = {}
        self._failures = failures.FailureList()
        self._stacks = StackReader(file, rank)
        self._head = self._tail = b""
        # The start of the last line of the block before.
        self._last_line = b""
        self._numbers = ProgressNumbers()
        self._newlines = 0

    def read_block(self, block: log.Block) -> None:
        """Compare every line of a block with the signatures."""
        if self._reads_numbers:
            self._numbers.read_block(block)
        self._head += block.text[: _HEAD_BYTES - len(self._head)]
        before, self._tail = self._tail, (self._tail + block.text)[-_TAIL_BYTES:]
        position, in_stack = 0, self._stacks.read_block(block, 0)
        while (offset := self._filter.find(block.text, position)) is not None:
            number, start, end = block.find_line_at(offset)
            if start >= in_stack and matching.has_match(
                HEADERS, block.text[start:end].decode("utf-8", "replace")
            ):
                in_stack = self._stacks.read_block(block, _find_process(block.text, start), True)
            if not _is_quoted_source(block.text, start, self._last_line):
                # The context is only built for a signature that requires something nearby.
                context = partial(_find_context, before, block.text, start)
                part = slice(max(start, offset - _BYTES_AROUND_MATCH), min(end, offset + _BYTES_AROUND_MATCH))
                self._match_line(number, block.text[part].decode("utf-8", "replace"), context)
            position = end + 1
        if block.text:
            self._last_line = _find_line_before(block.text, len(block.text), b"")
            self._newlines = block.first_line - 1 + block.count_newlines()

    def _match_line(self, number: int, raw: str, context: Callable[[], bytes]) -> None:
        bare = log.remove_prefix(raw)
        # A `near` may match every line of the log, so it is looked for only backwards from here.
        is_near: dict[str, bool] = {}
        line = MatchedLine(number, bare[:SHOWN_CHARACTERS], "", self._file, failures.find_rank(raw))
        for text, signatures in self._signatures.find_matching(bare):
            self._count(text)
            for signature in signatures:
                near = signature.near
                if near and near not in is_near:
                    is_near[near] = _is_near(context(), near)
                if not near or is_near[near]:
                    self._keep(signature, replace(line, signature=text))
        is_error = any(matching.has_match(pattern, bare) for pattern in failures.PATTERNS)
        if is_error and self._failures.has_room(line.rank, number):
            before = context().decode("utf-8", "replace")
            if failure := failures.read_failure(raw, bare, number, before):
                self._failures.add(replace(failure, file=self._file))

    def _count(self, text: str) -> None:
        """Count a match; a pattern that has matched often enough is no longer looked for."""
        self._matching_lines[text] = self._matching_lines.get(text, 0) + 1
        if self._matching_lines[text] == _MAX_MATCHING_LINES:
            often = [other for other, count in self._matching_lines.items() if count >= _MAX_MATCHING_LINES]
            self._filter = self._signatures.build_filter(tuple(sorted(often)))

    def _keep(self, signature: LinePattern, line: MatchedLine) -> None:
        for entry_id in self._signatures.owner_ids[signature]:
            lines = self._matched.setdefault(entry_id, {}).setdefault(signature, [])
            if sum(other.rank == line.rank for other in lines) < LINES_PER_SIGNATURE and len(lines) < 16:
                lines.append(line)

    def build_report(self) -> LogReport:
        """What the lines so far say."""
        raw = self._tail.decode("utf-8", "replace").split("\n")
        raw_tail = tuple(line.rsplit("\r", 1)[-1][:_MAX_LINE_CHARACTERS] for line in raw)
        frame_lines = {}
        if b", line " in self._tail or b".py" in self._tail:  # it may have a frame
            bare = list(map(log.remove_prefix, raw_tail))
            frame_lines = self._match_cut_traceback(bare, self._newlines + 2 - len(raw))
        head = self._head.decode("utf-8", "replace").split("\n")
        rank_of = failures.map_ranks(raw if len(raw) > self._newlines else [*head, *raw])
        by_rank: dict[Rank | None, list[Failure]] = {}
        for name, found in self._failures.by_rank.items():
            rank = rank_of.get(name, self._rank) if name is not None else self._rank
            by_rank.setdefault(rank, []).extend(replace(failure, rank=rank) for failure in found)
        for lines_of_entry in self._matched.values():
            for signature, found_lines in lines_of_entry.items():
                lines_of_entry[signature] = [
                    replace(
                        line, rank=rank_of.get(line.rank, self._rank) if line.rank is not None else self._rank
                    )
                    for line in found_lines
                ]
        lines = filter(_ERROR_WORD.search, self._tail.decode("utf-8", "replace").splitlines())
        # The stack of a crash is no stack of a process that waits.
        is_crash = any(_CRASH.match(failure.text) for found in by_rank.values() for failure in found)
        errors = [line[:SHOWN_CHARACTERS] for line in map(log.remove_prefix, lines) if _ERROR.match(line)]
        context = ""
        if self._matched or frame_lines:
            context = "\n".join(
                [*describe_progress(self._numbers), *map(log.remove_prefix, [*head, *raw_tail])]
            )
        return LogReport(
            self._file,
            self._matched,
            frame_lines,
            by_rank,
            self._failures.exits,
            list(dict.fromkeys(rank_of.values())) or ([] if self._rank is None else [self._rank]),
            find_hints(self._numbers),
            context,
            tuple(errors[-3:]),
            raw_tail,
            not self._tail,
            () if is_crash else tuple(self._stacks.finish()),
        )

    def _match_cut_traceback(self, lines: list[str], first_line: int) -> dict[str, tuple[int, MatchedLine]]:
        """Entry -> its place in the rule that matches a frame of a cut traceback, and that frame."""
        cut = frames.find_cut_traceback(lines, self._signatures.frame_rules)
        if not cut:
            return {}
        for i in cut.raise_lines:
            for text, signatures in self._signatures.find_matching(lines[i]):
                line = MatchedLine(first_line + i, lines[i][:SHOWN_CHARACTERS], text, self._file, self._rank)
                for signature in signatures:
                    for entry_id in self._signatures.owner_ids[signature] if not signature.near else ():
                        self._matched.setdefault(entry_id, {}).setdefault(signature, [line])
        if cut.rule is None or cut.frame is None:
            return {}
        shown = lines[cut.frame][:SHOWN_CHARACTERS]
        line = MatchedLine(first_line + cut.frame, shown, cut.rule.pattern, self._file, self._rank)
        return {
            entry_id: (place, line)
            for place, entry_id in enumerate(cut.rule.ids)
            if entry_id in self._signatures.titles
        }


def _find_process(text: bytes, start: int) -> int:
    """The start of the lines with which py-spy begins the dump whose first thread is here."""
    process = text.rfind(b"Process ", max(0, start - _LINE_START_BYTES), start)
    return start if process < 0 else text.rfind(b"\n", 0, process) + 1


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


def read_log(
    stream: BinaryIO, signatures: Signatures, file: str = "", rank: Rank | None = None, numbers: bool = True
) -> LogReport:
    """Read a log to its end. numbers: also its losses, times and memory, which takes longer."""
    reader = LogReader(signatures, file, rank, numbers)
    for block in log.read_blocks(stream):
        reader.read_block(block)
    return reader.build_report()
