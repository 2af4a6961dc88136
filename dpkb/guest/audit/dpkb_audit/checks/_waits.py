"""What the waits of an epoch look like; used by T4, T5, T7 and T8."""

from __future__ import annotations

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.cpu_times import cores

MYPY = False
if MYPY:

    from dpkb_audit.audit import Audit
    from dpkb_audit.records import LoaderRecord

# Fewer batches say nothing about a rhythm.
MIN_BATCHES = 8
# An epoch of so many batches is enough, if the program has no second one.
_LONG_EPOCH_BATCHES = 32
# The shares of an epoch from which on waiting matters, and matters more than its pattern.
MIN_WAIT_SHARE = 0.3
LARGE_WAIT_SHARE = 0.55
# The wait for one batch that matters. Where steps are short, the program may be a test, or have too little
# data to care: there only a longer wait matters.
LONG_WAIT_SECONDS = 0.010
_SHORT_STEP_SECONDS = 0.004
_LONG_WAIT_SECONDS_AT_SHORT_STEPS = 0.040
# The waiting for workers in an epoch: less is nothing that anybody would change.
_MIN_WAITED_SECONDS = 0.2
# So much matters however short the steps are.
_LARGE_WAITED_SECONDS = 1.0
# From this share of the time on that a process waits for a core, others have the cores.
_DELAYED_SHARE = 0.2
# So much of the measured waiting must have been for data before its pattern says anything.
_SURE_SHARE = 0.6
# From this share of the cores on, the processes that load are themselves why these are busy.
_OWN_LOAD_SHARE = 0.7
# A rhythm: one place in each round of workers has this share of the waiting, in segments of so many rounds.
_RHYTHM_MIN_WAIT_SHARE = 0.8
_RHYTHM_SEGMENT_ROUNDS = 8
# Stalls: a few batches that are waited for many times as long as usual, and that have most of the waiting.
# Workers may stall at once: the second is waited for less long.
_MIN_STALLS = 4
_STALLS_MAX_BATCH_SHARE = 0.25
_STALL_MIN_RATIO = 5
_STALLS_MIN_WAIT_SHARE = 0.6


class WaitCheck(Check):
    """Looks at the waits of each epoch, also of one that the program left before its end."""

    def __init__(self, audit: Audit) -> None:
        super().__init__(audit)
        # Loader -> what was found in its slow epochs.
        self._epochs: dict[int, list[tuple[str, str, float] | None]] = {}

    def look_at_epoch(self, record: LoaderRecord) -> None:
        """Look at record.waits and record.works: an epoch has ended."""
        raise NotImplementedError

    def on_epoch_left(self, record: LoaderRecord) -> None:
        self.look_at_epoch(record)

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        self.look_at_epoch(record)

    def on_end(self) -> None:
        for record in self.training.loaders:
            if record.in_epoch:
                self.look_at_epoch(record)
            results = self._epochs.get(record.number, [])
            if len(results) == 1 and record.epochs == 1 and len(record.waits) >= _LONG_EPOCH_BATCHES:
                self._report(record, results)

    def follow_epoch(self, record: LoaderRecord, found: tuple[str, str, float] | None) -> None:
        """Keep what was found in a slow epoch: message, fix and share. It is reported with the second one:
        the first may read from a cold cache. A long epoch that has no second is enough.
        """
        results = self._epochs.setdefault(record.number, [])
        results.append(found)
        if len(results) >= 2:
            self._report(record, results)

    def _report(self, record: LoaderRecord, results: list[tuple[str, str, float] | None]) -> None:
        found = list(filter(None, results))
        # What the fewer of its epochs show comes from elsewhere.
        if 2 * len(found) >= len(results) and record.waits_reported_by in (None, self.id):
            record.waits_reported_by = self.id
            message, fix, share = found[-1]
            self.report(LIKELY, message, where=record.where, fix=fix, share=round(share, 2))


class Waits:
    """The waits of an epoch without its beginning, in which workers start and fill the queue.

    Time for which the processes that load had to wait for a core, because others had it, is no wait for data.
    """

    def __init__(self, record: LoaderRecord) -> None:
        skipped = max(record.num_workers * 2, 1)
        self.each = record.waits[skipped:]
        works = record.works[skipped - 1:][:len(self.each)]
        self.workers = record.num_workers
        self.share = self.computing = 0.0
        self._is_sure = False
        has_long_steps = bool(works) and median(works) >= _SHORT_STEP_SECONDS
        self.long = LONG_WAIT_SECONDS if has_long_steps else _LONG_WAIT_SECONDS_AT_SHORT_STEPS
        if len(self.each) < MIN_BATCHES or not works_between(record):
            self.each = []
            return
        total, work = sum(self.each) + sum(works), sum(works)
        self.computing, delayed, own, own_delayed = _shares(record, skipped)
        work *= 1 - own_delayed
        if self.workers:
            # While this process waits for data it neither computes nor waits for a core; and a batch may be
            # late because its worker waited for one.
            waited = min(sum(self.each), total * (1 - own - own_delayed)) - total * delayed
            if delayed + own_delayed > _DELAYED_SHARE:  # so were the threads that hand a batch over
                self.long = _LONG_WAIT_SECONDS_AT_SHORT_STEPS
            elif waited > _LARGE_WAITED_SECONDS:
                self.long = LONG_WAIT_SECONDS
        else:
            waited = sum(self.each) * (1 - delayed)
        if waited < (_MIN_WAITED_SECONDS if self.workers else 1e-9):
            self.each = []
            return
        self._is_sure = waited > _SURE_SHARE * sum(self.each)
        self.each = [wait * waited / sum(self.each) for wait in self.each]
        self.share = waited / (waited + work)
        # How many times the work: a stall must be longer than the work that hides it.
        self._work = median(works)

    @property
    def mean(self) -> float:
        """The mean wait."""
        return float(sum(self.each) / len(self.each))

    def rhythm(self) -> float:
        """The usual wait for the slow place of each round of workers; 0.0 if there is no such rhythm, or so
        much waiting that it matters more what the workers do: T8.
        """
        workers = self.workers
        is_possible = self._is_sure and workers > 1 and len(self.each) >= 3 * workers
        if not is_possible or not MIN_WAIT_SHARE <= self.share < LARGE_WAIT_SHARE:
            return 0.0
        slow, other_waits, size = [], 0.0, workers * _RHYTHM_SEGMENT_ROUNDS
        # A worker that is late once shifts the rhythm: it is looked for in each segment.
        for first in range(0, len(self.each), size):
            segment = self.each[first:first + size]
            longest = max((segment[turn::workers] for turn in range(workers)), key=sum)
            slow += longest
            other_waits += sum(segment) - sum(longest)
        is_rhythm = sum(slow) > _RHYTHM_MIN_WAIT_SHARE * (sum(slow) + other_waits) and median(slow) > 0.01
        return median(slow) if is_rhythm else 0.0

    def stalls(self) -> list[float]:
        """The few waits, far longer than the others, that have most of the waiting."""
        if not self._is_sure or not self.workers or self.share < MIN_WAIT_SHARE:
            return []
        least = max(_STALL_MIN_RATIO * median(self.each), 3 * self._work, 0.05)
        long = [wait for wait in self.each if wait > least]
        few = _MIN_STALLS <= len(long) <= _STALLS_MAX_BATCH_SHARE * len(self.each)
        return long if few and sum(long) > _STALLS_MIN_WAIT_SHARE * sum(self.each) else []


def _shares(record: LoaderRecord, skipped: int) -> tuple[float, float, float, float]:
    """The share of the time that a process which loads computed, and that it waited for a core which other
    programs had; the same two of this process.
    """
    times = [item for item in record.cpu_times if item[0] >= skipped]
    if len(times) < 2:
        return 0.0, 0.0, 0.0, 0.0
    (_, began, *before), (_, ended, *after) = times[0], times[-1]
    (computing, delayed), own = ([(later - earlier) / (ended - began) for earlier, later in zip(*pair)]
                                 for pair in zip(before, after))
    number = max(record.num_workers, 1)
    if computing >= _OWN_LOAD_SHARE * cores():
        return computing / number, 0.0, own[0], 0.0
    return computing / number, delayed / number, own[0], own[1]


def works_between(record: LoaderRecord) -> bool:
    """Whether the program does something between the batches that takes time, or trains on them."""
    return bool(record.works) and (record.trained or median(record.works) >= _SHORT_STEP_SECONDS)


def median(values: list[float]) -> float:
    """The middle value."""
    return sorted(values)[len(values) // 2]
