"""What the waits of an epoch look like; used by T4, T5, T7 and T8."""

from __future__ import annotations

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.cpu_times import count_cores
from dpkb_audit.records import LoaderRecord

# An epoch with fewer batches is not judged.
MIN_BATCHES = 8
# If the program has one epoch only, it must have at least this many batches.
_LONG_EPOCH_BATCHES = 32
# Waiting is reported from MIN_WAIT_SHARE of an epoch on. From LARGE_WAIT_SHARE on it is T8, whatever its
# pattern.
MIN_WAIT_SHARE = 0.3
LARGE_WAIT_SHARE = 0.55
# A wait for one batch is long from this on. If the steps are short, the program may be a test, or have
# little data: then only a longer wait counts.
LONG_WAIT_SECONDS = 0.010
_SHORT_STEP_SECONDS = 0.004
_LONG_WAIT_SECONDS_AT_SHORT_STEPS = 0.040
# If an epoch waits for its workers for less than this in total, nothing is reported.
_MIN_WAITED_SECONDS = 0.2
# If an epoch waits for longer than this in total, it is reported even if the steps are short.
_LARGE_WAITED_SECONDS = 1.0
# If a process waits for a core for this share of its time, other programs are using the cores.
_DELAYED_SHARE = 0.2
# The pattern is judged only if at least this share of the waiting was for data.
_SURE_SHARE = 0.6
# If the loading processes use this share of the cores, they keep the cores busy themselves.
_OWN_LOAD_SHARE = 0.7
# A rhythm: one place in each round of workers has this share of the waiting. It is looked for in segments of
# this many rounds.
_RHYTHM_MIN_WAIT_SHARE = 0.8
_RHYTHM_SEGMENT_ROUNDS = 8
# Stalls: the program waits for a few batches many times as long as usual, and these waits are most of the
# waiting. If several workers stall at the same time, the wait for the second one is shorter.
_MIN_STALLS = 4
_STALLS_MAX_BATCH_SHARE = 0.25
_STALL_MIN_RATIO = 5
_STALLS_MIN_WAIT_SHARE = 0.6


class WaitCheck(Check):
    """Looks at the waits of each epoch, also of one that the program abandoned before its end."""

    def prepare(self) -> None:
        # Number of a loader -> for each epoch the share of waiting, the message ("" if it was not slow), the fix.
        self._epochs: dict[int, list[tuple[float, str, str]]] = {}

    def look_at_epoch(self, record: LoaderRecord) -> None:
        """Look at record.wait_seconds and record.work_seconds: an epoch has ended."""
        raise NotImplementedError

    def on_epoch_abandoned(self, record: LoaderRecord) -> None:
        self.look_at_epoch(record)

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        self.look_at_epoch(record)

    def on_end(self) -> None:
        for record in self.training.loaders:
            if record.in_epoch:
                self.look_at_epoch(record)
            epochs = self._epochs.get(record.number, [])
            if len(epochs) == 1 and record.epochs == 1 and len(record.wait_seconds) >= _LONG_EPOCH_BATCHES:
                self._report(record, epochs)

    def follow_epoch(self, record: LoaderRecord, share: float, message: str, fix: str) -> None:
        """Keep what is to be reported about an epoch: an empty message if it was not slow.

        The report comes with the second epoch, because the first may read from a cold cache. If there is no
        second, a long first epoch is enough.
        """
        epochs = self._epochs.setdefault(record.number, [])
        epochs.append((share, message, fix))
        if len(epochs) >= 2:
            self._report(record, epochs)

    def _report(self, record: LoaderRecord, epochs: list[tuple[float, str, str]]) -> None:
        slow = [epoch for epoch in epochs if epoch[1]]
        # If fewer than half of its epochs show this, the cause is something else.
        if 2 * len(slow) >= len(epochs) and record.waits_reported_by in (None, self.id):
            record.waits_reported_by = self.id
            share, message, fix = slow[-1]
            self.report(LIKELY, message, where=record.where, fix=fix, share=round(share, 2))


class Waits:
    """The waits of an epoch without its beginning, in which workers start and fill the queue.

    If the loading processes waited for a core that other programs used, that time is not a wait for data.
    """

    def __init__(self, record: LoaderRecord) -> None:
        skipped = max(record.num_workers * 2, 1)
        self.each = record.wait_seconds[skipped:]
        work_seconds = record.work_seconds[skipped - 1 :][: len(self.each)]
        self.workers = record.num_workers
        self.share = self.computing = 0.0
        self._is_sure = False
        has_long_steps = bool(work_seconds) and median(work_seconds) >= _SHORT_STEP_SECONDS
        self.long = LONG_WAIT_SECONDS if has_long_steps else _LONG_WAIT_SECONDS_AT_SHORT_STEPS
        if len(self.each) < MIN_BATCHES or not works_between(record):
            self.each = []
            return
        total, work = sum(self.each) + sum(work_seconds), sum(work_seconds)
        self.computing, delayed, own, own_delayed = _shares(record, skipped)
        work *= 1 - own_delayed
        if self.workers:
            # While this process waits for data, it neither computes nor waits for a core. A batch may also be
            # late because its worker waited for a core.
            waited = min(sum(self.each), total * (1 - own - own_delayed)) - total * delayed
            if delayed + own_delayed > _DELAYED_SHARE:  # the threads that transfer batches then wait as well
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
        # A stall must be several times longer than this: work between the batches hides a short stall.
        self._work = median(work_seconds)

    @property
    def mean(self) -> float:
        """The mean wait."""
        return float(sum(self.each) / len(self.each))

    def find_rhythm(self) -> float:
        """The usual wait for the slow place of each round of workers.

        0.0 if there is no such rhythm, or if the program waits so much that it is T8.
        """
        workers = self.workers
        is_possible = self._is_sure and workers > 1 and len(self.each) >= 3 * workers
        if not is_possible or not MIN_WAIT_SHARE <= self.share < LARGE_WAIT_SHARE:
            return 0.0
        slow, other_waits, size = [], 0.0, workers * _RHYTHM_SEGMENT_ROUNDS
        # A worker that is late once shifts the rhythm, so each segment is searched separately.
        for first in range(0, len(self.each), size):
            segment = self.each[first : first + size]
            longest = max((segment[turn::workers] for turn in range(workers)), key=sum)
            slow += longest
            other_waits += sum(segment) - sum(longest)
        is_rhythm = sum(slow) > _RHYTHM_MIN_WAIT_SHARE * (sum(slow) + other_waits) and median(slow) > 0.01
        return median(slow) if is_rhythm else 0.0

    def find_stalls(self) -> list[float]:
        """The few waits that are far longer than the others and together are most of the waiting."""
        if not self._is_sure or not self.workers or self.share < MIN_WAIT_SHARE:
            return []
        least = max(_STALL_MIN_RATIO * median(self.each), 3 * self._work, 0.05)
        long = [wait for wait in self.each if wait > least]
        few = _MIN_STALLS <= len(long) <= _STALLS_MAX_BATCH_SHARE * len(self.each)
        return long if few and sum(long) > _STALLS_MIN_WAIT_SHARE * sum(self.each) else []


def _shares(record: LoaderRecord, skipped: int) -> tuple[float, float, float, float]:
    """Four shares of the time.

    The share in which a loading process computed;
    in which a loading process waited for a core that other programs used;
    in which this process computed;
    in which this process waited for such a core.
    """
    times = [item for item in record.cpu_times if item[0] >= skipped]
    if len(times) < 2:
        return 0.0, 0.0, 0.0, 0.0
    (_, began, *before), (_, ended, *after) = times[0], times[-1]
    (computing, delayed), own = (
        [(later - earlier) / (ended - began) for earlier, later in zip(*pair)] for pair in zip(before, after)
    )
    number = max(record.num_workers, 1)
    if computing >= _OWN_LOAD_SHARE * count_cores():
        return computing / number, 0.0, own[0], 0.0
    return computing / number, delayed / number, own[0], own[1]


def works_between(record: LoaderRecord) -> bool:
    """Whether the program trains on the batches, or does something between them that takes time."""
    seconds = record.work_seconds
    return bool(seconds) and (record.trained or median(seconds) >= _SHORT_STEP_SECONDS)


def median(values: list[float]) -> float:
    """The middle value."""
    return sorted(values)[len(values) // 2]
