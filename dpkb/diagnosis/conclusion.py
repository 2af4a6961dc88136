"""What several logs of one job say together: which rank failed first, and the entries that explain it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from threading import Event
from typing import BinaryIO

from dpkb.catalogue.owners import score_of
from dpkb.diagnosis import evidence, failures, flight_recorder, triage
from dpkb.diagnosis.failures import Failure, Rank
from dpkb.diagnosis.log import BLOCK_BYTES, decompress, remove_prefix
from dpkb.diagnosis.match import (
    FRAME_SCORE,
    FRAME_SCORE_STEP,
    MIN_SCORE_SHARE,
    LogReport,
    MatchedLine,
    MatchedLines,
    Signatures,
    read_log,
)
from dpkb.diagnosis.progress_hints import Hint
from dpkb.diagnosis.progress_numbers import convert_table, is_table
from dpkb.diagnosis.sources import LogFile
from dpkb.diagnosis.stacks import Stack, compare_stacks
from dpkb.errors import DpkbError, Stopped
from dpkb.ids import is_triage
from dpkb.model import Evidence, Signpost
from dpkb.patterns import matching

# How many of the last lines are searched for the next step.
_TRIAGE_LINES = 60
# An error that comes this many seconds after the other ranks gave up waiting is not what they waited for.
_LATE_SECONDS = 60.0
# At most this many lines are kept for one signature, from all logs.
_MAX_LINES = 16
# The ranks of a job log the same numbers, so those of the first logs are enough.
_LOGS_WITH_NUMBERS = 8
# How much a stack adds to the score of an entry.
STACK_SCORE = 4.0
# Stacks that say this decide, whatever collectives the ranks are in.
_DECISIVE = ("beyond the others", "outside of any collective", "no batch comes")
_NO_LOG = LogReport("", {}, {}, {}, [], [], (), "", (), (), True)
# The place of an entry that has none among the owners of a signature.
_LAST = 1000


@dataclass(frozen=True)
class Match:
    """An entry that explains the log, the lines that show it, and what chose it before others."""

    id: str
    title: str
    score: float
    evidence: tuple[MatchedLine, ...]
    because: tuple[str, ...] = ()
    # Whether something in the log speaks against it.
    is_doubtful: bool = False


@dataclass(frozen=True)
class RankEnd:
    """How a rank ended. role: first, followed or silent."""

    rank: Rank
    role: str
    failure: Failure | None = None
    # The last line of its own log, which may say more than the error.
    last_line: str = ""


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
    # The error that explains the others, and those that follow from it.
    first: Failure | None = None
    consequences: tuple[Failure, ...] = ()
    # Each rank, if there are several.
    ranks: tuple[RankEnd, ...] = ()
    # If nothing matches: what the message belongs to.
    signpost: Signpost | None = None
    # Where the processes of a job are that hangs: the comparison, and each stack.
    stacks: tuple[Stack, ...] = ()
    differences: tuple[str, ...] = ()


class Diagnoser:
    """Reads the logs of one job one after the other, and keeps little of each."""

    def __init__(self, signatures: Signatures) -> None:
        self._signatures = signatures
        self._matched: MatchedLines = {}
        self._evidence: dict[str, dict[Evidence, str]] = {}
        self._failures: dict[Rank | None, list[Failure]] = {}
        self._exits: list[Failure] = []
        self._ranks: dict[Rank, None] = {}
        self._hints: tuple[Hint, ...] = ()
        self._last_lines: dict[Rank, str] = {}
        self._stacks: list[Stack] = []
        # What the stacks show of each entry: its score, and the lines.
        self._shown: dict[str, tuple[float, list[MatchedLine]]] = {}
        # The log with the first error so far, or else the last one with text.
        self._best: LogReport | None = None

    def add(self, report: LogReport, written_at: float | None = None) -> None:
        """Add what one log says. written_at: when it was last written."""
        for entry_id, by_signature in report.matched.items():
            for signature, lines in by_signature.items():
                kept = self._matched.setdefault(entry_id, {}).setdefault(signature, [])
                kept += lines[: _MAX_LINES - len(kept)]
            self._weigh(entry_id, report.context)
        for rank, found in report.failures.items():
            # The time of the file stands for the times that its lines do not have.
            timed = [f if f.time is not None else replace(f, written_at=written_at) for f in found]
            self._failures.setdefault(rank, []).extend(timed)
        self._exits += report.exits
        self._ranks |= dict.fromkeys(report.ranks)
        if len(report.ranks) == 1:
            line = next(filter(None, map(remove_prefix, reversed(report.raw_tail))), "")
            self._last_lines[report.ranks[0]] = line or self._last_lines.get(report.ranks[0], "")
        self._hints = self._hints or report.hints
        self.add_stacks(report.stacks)
        if self._best is None or not report.is_empty:
            self._best = max(self._best or report, report, key=_importance)

    def add_stacks(self, stacks: Iterable[Stack]) -> None:
        """Add what a dump of a process says."""
        self._stacks += stacks

    def _compare(self, found: list[Failure]) -> tuple[str, ...]:
        """Sentences on how the ranks differ, and with them and the stacks what is known of each entry."""
        differences = list(compare_stacks(self._stacks))
        works = evidence.read_works(found) | {s.owner: s.work for s in self._stacks if s.work}
        if not any(word in text for text in differences for word in _DECISIVE):
            differences += evidence.compare_collectives(works)
        texts = [(str(stack), stack.describe(), stack) for stack in self._stacks if stack.frames]
        texts += [(text, text, self._stacks[0]) for text in differences if self._stacks]
        for text, shown, stack in reversed(texts):
            for pattern, entry_id in self._signatures.find_in_stacks(text):
                score, lines = self._shown.setdefault(entry_id, (0.0, []))
                line = MatchedLine(stack.line, shown, pattern.match, stack.file)
                if all(other.text != shown for other in lines):
                    lines.insert(len(lines) if pattern.weak else 0, line)
                self._shown[entry_id] = max(score, STACK_SCORE / (1 + pattern.weak)), lines
        for entry_id in {*self._matched, *self._shown} if differences else ():
            self._weigh(entry_id, "\n".join(differences))
        return tuple(differences)

    def _weigh(self, entry_id: str, text: str) -> None:
        found = evidence.find_evidence(self._signatures.evidence.get(entry_id, ()), text)
        for item, because in found:
            self._evidence.setdefault(entry_id, {}).setdefault(item, because)

    def conclude(self) -> Diagnosis:
        """The diagnosis of the logs so far."""
        best = self._best
        if best is None and not self._stacks:
            return Diagnosis((), (), is_empty=True)
        best = best or _NO_LOG
        by_rank = self._complete_failures()
        ranks = dict.fromkeys([*self._ranks, *(rank for rank in by_rank if rank is not None)])
        first = self._choose_first(by_rank, [rank for rank in ranks if rank not in by_rank])
        all_failures = [failure for found in by_rank.values() for failure in found]
        differences = self._compare(all_failures)
        matches = sorted(self._match(best, first, len(ranks) > 1), key=lambda match: match[0])
        shown = tuple(match for _, match in matches if _is_worth_showing(match, matches[0][1]))
        titles = self._signatures.titles
        hints = [replace(h, ids=ids) for h in self._hints if (ids := tuple(i for i in h.ids if i in titles))]
        signpost = None if shown else self._find_signpost(best, first)
        ends = []
        for rank in ranks:
            found = by_rank.get(rank)
            role = "silent" if not found else "first" if first and rank == first.rank else "followed"
            ends.append(RankEnd(rank, role, _own(found) if found else None, self._last_lines.get(rank, "")))
        return Diagnosis(
            shown,
            best.errors,
            tuple(hints),
            None if shown or hints or signpost or self._stacks else self._choose_next_step(best, first),
            best.is_empty,
            best.tail,
            first,
            tuple(f for f in all_failures if first and f != first and _follows(f, first)),
            tuple(sorted(ends, key=_place)) if len(ends) > 1 else (),
            signpost,
            tuple(self._stacks),
            differences,
        )

    def _complete_failures(self) -> dict[Rank | None, list[Failure]]:
        """The errors of each rank, with what only the launcher tells."""
        by_rank = {rank: list(found) for rank, found in self._failures.items() if found}
        for end in self._exits:
            if end.rank in by_rank:
                continue
            unnamed = [f for f in by_rank.get(None, ()) if f.order < failures.ENDED]
            if not unnamed or not end.text.startswith(failures.EXIT_CODE):
                by_rank[end.rank] = [end]
            elif end.order == failures.CAUSE:
                # It could not write its rank, or nobody marked its lines.
                by_rank[end.rank] = [replace(failure, rank=end.rank) for failure in unnamed]
                by_rank[None] = [failure for failure in by_rank[None] if failure not in unnamed]
        return {rank: found for rank, found in by_rank.items() if found}

    def _choose_first(self, by_rank: dict[Rank | None, list[Failure]], silent: list[Rank]) -> Failure | None:
        """The error that explains the others; None if it must be in what a silent rank did not write."""
        found = [_own(failures_) for failures_ in by_rank.values()]
        waits = [f.time for f in found if f.order == failures.WAIT and f.time is not None]
        late = [f for f in found if f.time is not None and waits and f.time > min(waits) + _LATE_SECONDS]
        found = [f for f in found if f not in late] or found
        least = min((f.order for f in found), default=None)
        if least is None or (least > failures.CAUSE and silent):
            return None
        found = [f for f in found if f.order == least]
        for clock in ("time", "written_at"):
            times = [getattr(failure, clock) for failure in found]
            if None not in times:
                return found[times.index(min(times))]
        named = [
            f for f in found for end in self._exits if end.rank == f.rank and end.order == failures.CAUSE
        ]
        return (named or sorted(found, key=lambda failure: failure.line))[0]

    def _match(
        self, best: LogReport, first: Failure | None, has_ranks: bool
    ) -> Iterator[tuple[tuple[bool, float, bool, int, int, str], Match]]:
        """The entries that the logs point to, each with its place in the order."""
        for entry_id in dict.fromkeys([*self._matched, *best.frame_lines, *self._shown]):
            score, lines = self._shown.get(entry_id, (0.0, []))
            lines, place = lines[:_MAX_LINES], 0 if entry_id in best.frame_lines else _LAST
            for signature, matched in self._matched.get(entry_id, {}).items():
                own = [line for line in matched if not _is_explained(line, first)]
                if own:
                    owners = self._signatures.owner_ids[signature]
                    score += score_of(signature) / len(owners)
                    place = min(place, owners.index(entry_id))
                    lines += own
            if entry_id in best.frame_lines:
                frame_place, line = best.frame_lines[entry_id]
                score += FRAME_SCORE - FRAME_SCORE_STEP * frame_place
                lines.append(line)
            if not lines:
                continue
            found = self._evidence.get(entry_id, {})
            for item in found:
                score = score / evidence.FACTOR if item.is_against else score * evidence.FACTOR
            is_of_first = has_ranks and first is not None and any(_is_of(line, first) for line in lines)
            lines.sort(key=lambda line: (not (first and _is_of(line, first)), line.line))
            because = [text for item, text in found.items() if not item.is_against]
            title = self._signatures.titles[entry_id]
            is_doubtful = any(item.is_against for item in found)
            match = Match(entry_id, title, round(score, 2), tuple(lines), tuple(because), is_doubtful)
            yield (not is_of_first, -match.score, is_triage(entry_id), lines[0].line, place, title), match

    def _find_signpost(self, best: LogReport, first: Failure | None) -> Signpost | None:
        text = "\n".join((first.text, *best.errors) if first else best.tail)
        return next(
            (post for post in self._signatures.signposts if matching.has_match(post.match, text)), None
        )

    def _choose_next_step(self, best: LogReport, first: Failure | None) -> triage.NextStep | None:
        """What to collect, if the catalogue has the entry that says how."""
        if first and first.order == failures.CAUSE:
            suspect = (
                triage.FAILED_RANK if first.is_exit else triage.suspect_library(first.text, first.library)
            )
            step = triage.choose_next_step([first.text], []) or suspect
        else:
            step = triage.choose_next_step(best.errors, best.tail[-_TRIAGE_LINES:])
        if step and step.id == "Q1" and first:
            step = triage.STALLED  # the processes have ended
        return step if step and step.id in self._signatures.titles else None


def _own(found: Iterable[Failure]) -> Failure:
    """The error of a rank that explains its others."""
    return min(found, key=lambda f: (f.order, f.is_exit))


def _follows(failure: Failure, first: Failure) -> bool:
    return failure.order > first.order or (failure.is_chained and failure.rank == first.rank)


def _is_of(line: MatchedLine, first: Failure) -> bool:
    """Whether the rank that failed first wrote this line."""
    return line.rank == first.rank and line.file == first.file


def _is_explained(line: MatchedLine, first: Failure | None) -> bool:
    """Whether a line reports a consequence of the first error."""
    if first is None or first.order != failures.CAUSE:
        return False
    return (failures.order_of_cause(line.text) or failures.CAUSE) != failures.CAUSE


def _is_worth_showing(match: Match, best: Match) -> bool:
    """Whether a match scores near the best one, or shares a line of evidence with it."""
    common_lines = {(e.file, e.line) for e in match.evidence} & {(e.file, e.line) for e in best.evidence}
    return match.score >= best.score * MIN_SCORE_SHARE or (bool(common_lines) and not match.is_doubtful)


def _place(end: RankEnd) -> tuple[int, bool, int, str]:
    is_name = isinstance(end.rank, str)
    number = end.rank if isinstance(end.rank, int) else 0
    return ("first", "followed", "silent").index(end.role), is_name, number, str(end.rank)


def _importance(report: LogReport) -> tuple[bool, int, float]:
    """A log with an earlier error, in the order of causes and in time, is more important."""
    found = [_own(failures_) for failures_ in report.failures.values() if failures_]
    order, time = min(((f.order, f.time or 0.0) for f in found), default=(failures.ENDED + 1, 0.0))
    return not report.is_empty, -order, -time


def diagnose_files(
    logs: Sequence[LogFile],
    signatures: Signatures,
    open_log: Callable[[LogFile], BinaryIO],
    stop: Event | None = None,
) -> tuple[Diagnosis, dict[str, str]]:
    """The diagnosis of several logs, and why some of them could not be read.

    Raises Stopped soon after `stop` is set: large logs can take minutes.
    """
    diagnoser, unreadable = Diagnoser(signatures), {}
    for i, file in enumerate(logs):
        name = file.name if len(logs) > 1 else ""
        try:
            with open_log(file) as stream:
                read = partial(_read, stream, stop)
                start = read(BLOCK_BYTES)
                data = b""
                if flight_recorder.is_dump(start) or is_table(start):
                    data = b"".join([start, *iter(partial(read, BLOCK_BYTES), b"")])
                if flight_recorder.is_dump(start):
                    diagnoser.add_stacks(flight_recorder.read_dump(data, name, file.rank))
                    continue
                text = BytesIO(convert_table(data)) if data else decompress(read, start)
                diagnoser.add(
                    read_log(text, signatures, name, file.rank, i < _LOGS_WITH_NUMBERS), file.written_at
                )
        except Stopped:
            raise
        except OSError as error:
            unreadable[file.name] = f"cannot be read: {error.strerror or error}"
        except DpkbError as error:
            unreadable[file.name] = str(error)
    return diagnoser.conclude(), unreadable


def _read(stream: BinaryIO, stop: Event | None, size: int) -> bytes:
    if stop and stop.is_set():
        raise Stopped
    data: bytes = getattr(stream, "read1", stream.read)(size)
    return data


def diagnose(stream: BinaryIO, signatures: Signatures) -> Diagnosis:
    """Read a log to its end and diagnose it."""
    diagnoser = Diagnoser(signatures)
    diagnoser.add(read_log(stream, signatures))
    return diagnoser.conclude()
