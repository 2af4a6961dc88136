"""The numbers in the progress lines of a log -> hints: what they look like, and the entries to read.

A run that learns nothing or waits for its data prints no error. Its losses, times and memory say so, in the
lines of common loggers: `loss 0.69`, tqdm and Lightning, dicts of the Hugging Face Trainer, mmengine,
detectron2, torchvision's MetricLogger, Keras.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import exp, isfinite, isnan, log, nan

from dpkb.diagnosis.log import Block

# Of a log, this much of its start is read, and then the start of every further piece of this size. All of it
# would take longer than everything else, and a loss that is stuck for hours is stuck in every sample.
START_BYTES = 256 << 10
SAMPLE_INTERVAL_BYTES = 1 << 20
SAMPLE_BYTES = 4 << 10
MAX_ROWS = 50_000
_MAX_ROW_BYTES = 1000

_NUMBER = rb"[-+]?(?:nan|inf|\d+(?:\.\d*)?(?:e[-+]?\d+)?)"
# The last of the separators is the colon of Chinese and Japanese text.
_FIELD = re.compile(
    rb"(?<![\w./-])(?:train[_/ ])?"
    rb"(total_loss|loss|batch_time|step_time|iter_time|time|data_time|data"
    rb"|max[ _]mem(?:ory)?|gpu_mem|memory|mem|rss|ram)"
    rb"['\"]?(?: ?(?:[:=]|\xef\xbc\x9a) *| +)(" + _NUMBER
    + rb")(?: ?s| ?[KMG]i?B?)?(?![\w%/:.])", re.IGNORECASE)
# 45/100, as in `[45/100]` and `| 45/100 [`, but no date.
_PROGRESS = re.compile(rb"(?<![\d/.-])(\d{1,9}) ?/ ?\d{1,9}(?![\d/.-]| \d\d:)")
_STEP = re.compile(rb"\b(?:global_step|step|iteration|iter)['\"]?[:= ] *(\d{1,9})\b", re.IGNORECASE)
_OTHER_RANK = re.compile(rb"\s*\[(?:rank|default|Rank |local_rank )[1-9]\d*\]")
_EVALUATION = re.compile(rb"\b(?:val|valid|validat(?:ion|ing)|test|testing|eval|evaluating)\b", re.IGNORECASE)
_COLUMN = {b"total_loss": "loss", b"loss": "loss", b"batch_time": "time", b"step_time": "time",
           b"iter_time": "time", b"time": "time", b"data_time": "data", b"data": "data",
           b"rss": "ram", b"ram": "ram"}

# A loss is stuck if it is the same in this many lines, and was printed with at least this many digits.
_STUCK_MIN_ROWS = 100
_STUCK_MIN_DIGITS = 4
_ZERO_LOSS_MIN_ROWS = 20
# And in this share of all lines: a bar may show the loss of the epoch before all the time.
_STUCK_MIN_SHARE = 0.6
# The lines that are needed before slow ones among them, or a share or a growth, say something.
_SPIKES_MIN_ROWS = 7
_TREND_MIN_ROWS = 20
# Loading is worth a hint from this share of the time of a step on.
_LOADING_MIN_SHARE = 0.4
# A slow line takes this many times the usual time, and is this much longer.
_SPIKE_MIN_RATIO = 5.0
_SPIKE_MIN_EXTRA_SECONDS = 0.1
# Slow lines without a rhythm matter if they have this share of the time.
_SPIKES_MIN_TIME_SHARE = 0.3
# A rule without exceptions is rare: this share of the cases must follow it.
_REGULAR_MIN_SHARE = 0.8
# The memory at the end, as a multiple of the memory at the start.
_MEMORY_MIN_GROWTH = 1.3
# The last loss before nan, as a multiple of the usual one.
_EXPLODED_MIN_RATIO = 10.0


@dataclass(frozen=True)
class Hint:
    """What the numbers of a log look like, with the numbers, and the entries that explain such a thing."""

    ids: tuple[str, ...]
    message: str
    line: int


class ProgressNumbers:
    """The numbers of progress lines, collected block by block."""

    def __init__(self) -> None:
        self._offset = 0
        self._lines = array("Q")
        self._columns = {name: array("d") for name in ("loss", "time", "data", "memory", "ram", "step")}
        # Whether a loss was printed with few digits.
        self._digits = array("B")
        # How many rows come from the start of the log, one after the other.
        self._together = 0

    def read_block(self, block: Block) -> None:
        """Read the progress lines of a block that belong to the sample."""
        text, start, line = block.text, 0, block.first_line
        while start < len(text) and len(self._lines) < MAX_ROWS:
            place = self._offset + start
            if place >= START_BYTES and place % SAMPLE_INTERVAL_BYTES >= SAMPLE_BYTES:
                # On to the first line that starts in the next sample.
                sample = start + SAMPLE_INTERVAL_BYTES - place % SAMPLE_INTERVAL_BYTES
                following = text.find(b"\n", sample - 1) + 1
                if not following:
                    break
                line += text.count(b"\n", start, following)
                start = following
                continue
            end = text.find(b"\n", start)
            end = len(text) if end < 0 else end
            for row in text[start : min(end, start + START_BYTES)].split(b"\r"):
                if row:
                    self.read_row(row[:_MAX_ROW_BYTES], line, place < START_BYTES)
            start, line = end + 1, line + 1
        self._offset += len(text)

    def read_row(self, text: bytes, line: int, is_together: bool) -> None:
        fields = _FIELD.findall(text)
        if not fields or _EVALUATION.search(text) or _OTHER_RANK.match(text):
            return
        row: dict[str, float] = {}
        digits = 0
        for name, number in fields:
            column = _COLUMN.get(name.lower(), "memory")
            if column not in row:
                row[column] = float(number)
                if column == "loss":
                    digits = max(1, len(number.lower().split(b"e")[0].replace(b".", b"").lstrip(b"-+0")))
        if not row.keys() & {"loss", "time", "memory", "ram"}:
            return
        # The last is the step: `[epoch 3/10] [45/100]`.
        progress = _STEP.findall(text) or _PROGRESS.findall(text)
        row["step"] = float(progress[-1]) if progress else nan
        self._lines.append(line)
        self._digits.append(min(digits, 255))
        for name, values in self._columns.items():
            values.append(row.get(name, nan))
        self._together += is_together

    def hints(self) -> tuple[Hint, ...]:
        """What the numbers look like, at most one hint for each of loss, times and memory."""
        return (*self._of_loss(), *self._of_times(), *self._of_memory())

    def _series(self, name: str) -> list[tuple[int, float]]:
        """The values of a column with their places among the rows."""
        return [(i, value) for i, value in enumerate(self._columns[name]) if not isnan(value)]

    def _of_loss(self) -> Iterator[Hint]:
        losses = self._columns["loss"]
        # A loss that is nan stands in the row as nan, too: its digits say that one was printed.
        printed = [i for i, digits in enumerate(self._digits) if digits]
        bad = next((i for i in printed if not isfinite(losses[i])), None)
        if bad is not None:
            yield from self._of_bad_loss(printed, bad)
            return
        run: list[int] = []
        for i in [*printed, -1]:
            if run and (i < 0 or not _same(losses[i], losses[run[0]])):
                hint = self._of_stuck_loss(run) if len(run) >= _STUCK_MIN_SHARE * len(printed) else None
                if hint:
                    yield hint
                    return
                run = []
            run.append(i)

    def _of_bad_loss(self, printed: list[int], bad: int) -> Iterator[Hint]:
        losses, line = self._columns["loss"], self._lines[bad]
        word = "nan" if isnan(losses[bad]) else "inf"
        before = [losses[i] for i in printed if i < bad]
        after = [losses[i] for i in printed if i >= bad]
        if any(map(isfinite, after[1:])):
            share = sum(not isfinite(value) for value in after) / len(after)
            if share < _REGULAR_MIN_SHARE:
                return
        if not before:
            yield Hint(("Q2", "P2", "O34"), f"the loss is {word} from its first line on, line {line}", line)
            return
        usual, last = _median(before[:-3] or before), before[-1]
        if last > _EXPLODED_MIN_RATIO * max(usual, 1e-12):
            message = (f"the loss rises from {_short(usual)} to {_short(last)}, "
                       f"and is {word} from line {line} on")
            yield Hint(("O30", "Q2"), message, line)
        else:
            message = f"the loss is {_short(last)} before line {line}, and {word} from there on"
            yield Hint(("Q2", "O34", "P2"), message, line)

    def _of_stuck_loss(self, run: list[int]) -> Hint | None:
        value, first, last = self._columns["loss"][run[0]], self._lines[run[0]], self._lines[run[-1]]
        steps = {self._columns["step"][i] for i in run}
        moves = len(steps) > _STUCK_MIN_ROWS // 2 or any(map(isnan, steps))
        if value == 0 and len(run) >= _ZERO_LOSS_MIN_ROWS:
            message = f"the loss is 0 in {len(run)} values, lines {first} to {last}"
            return Hint(("P2", "Q2", "L2"), message, first)
        if len(run) < _STUCK_MIN_ROWS or not moves or min(self._digits[i] for i in run) < _STUCK_MIN_DIGITS:
            return None
        classes = round(exp(value)) if 0 < value < 12 else 0
        guess = ""
        if classes > 1 and abs(log(classes) - value) < 1e-3:
            guess = f"; ln {classes} is the loss of a guess among {classes} classes"
        return Hint(("O1", "O2"), f"the loss is {_short(value)} in {len(run)} values, lines {first} to "
                                  f"{last}{guess}", first)

    def _of_times(self) -> Iterator[Hint]:
        times, data = self._columns["time"], self._columns["data"]
        rows = [i for i in range(self._together) if times[i] >= data[i] >= 0 and times[i] > 0]
        activity, waits = "loading", data
        if len(rows) < _SPIKES_MIN_ROWS:
            # Without the times of loading, only a slow line says something.
            rows = [i for i in range(self._together) if times[i] > 0]
            activity, waits = "a step", times
        if len(rows) < _SPIKES_MIN_ROWS:
            return
        first = self._lines[rows[0]]
        spikes = self._of_spikes(rows, activity, waits)
        if spikes:
            yield Hint(spikes[0], spikes[1], first)
        elif waits is data and len(rows) >= _TREND_MIN_ROWS:
            waiting, whole = sum(data[i] for i in rows), sum(times[i] for i in rows)
            if waiting >= _LOADING_MIN_SHARE * whole:
                message = (f"loading takes {waiting / whole:.0%} of the time of a step: "
                           f"{waiting / len(rows):.3g} of {whole / len(rows):.3g} s")
                yield Hint(("T4", "T8", "U8"), message, first)

    def _of_spikes(self, rows: list[int], activity: str,
                   waits: array[float]) -> tuple[tuple[str, ...], str] | None:
        """What the lines that take much longer than the others have in common."""
        steps = self._columns["step"]
        values = [waits[i] for i in rows]
        usual = _median(values)
        least = max(_SPIKE_MIN_RATIO * usual, usual + _SPIKE_MIN_EXTRA_SECONDS)
        slow = [n for n, value in enumerate(values) if value > least]
        if len(slow) < 3:
            return None
        numbers = f"{activity} takes {sum(values[n] for n in slow) / len(slow):.3g} s against {usual:.3g} s"
        starts = {n for n, (a, b) in enumerate(pairwise(rows), 1) if steps[b] < steps[a]}
        if len(starts) >= 2 and len(starts.union([0]).intersection(slow)) >= _REGULAR_MIN_SHARE * len(slow):
            return ("T5",), f"{numbers} in the first line of each epoch"
        gaps = [b - a for a, b in pairwise(slow)]
        gap = max(set(gaps), key=gaps.count)
        if len(gaps) >= 3 and gap >= 2 and gaps.count(gap) >= _REGULAR_MIN_SHARE * len(gaps):
            return ("T7", "T8"), f"{numbers} in one of every {gap} lines"
        if activity == "loading" and sum(values[n] for n in slow) >= _SPIKES_MIN_TIME_SHARE * sum(
                self._columns["time"][i] for i in rows):
            return ("T7", "U8"), f"{numbers} in {len(slow)} of {len(values)} lines"
        return None

    def _of_memory(self) -> Iterator[Hint]:
        for name, ids in (("memory", ("Q3", "N4")), ("ram", ("DP17", "Q3", "DP9"))):
            series = self._series(name)
            if len(series) < _TREND_MIN_ROWS:
                continue
            size = len(series) // 4
            quarters = [_median([value for _, value in series[n * size : (n + 1) * size]])
                        for n in range(4)]
            rises = all(b > 1.02 * a for a, b in pairwise(quarters))
            if rises and quarters[3] >= _MEMORY_MIN_GROWTH * quarters[0] > 0:
                first, last = series[0], series[-1]
                yield Hint(ids, f"{name} rises from {_short(first[1])} to {_short(last[1])} between lines "
                                f"{self._lines[first[0]]} and {self._lines[last[0]]}", self._lines[first[0]])


def _median(values: list[float]) -> float:
    """The value in the middle. Not that of `statistics`, which takes long to import."""
    return sorted(values)[len(values) // 2]


def _short(number: float) -> str:
    """A number with four digits, without an exponent where it needs none."""
    return f"{number:.0f}" if 1e4 <= abs(number) < 1e9 else f"{number:.4g}"


def _same(a: float, b: float) -> bool:
    """Whether two losses are equal to four digits."""
    return a == b or abs(a - b) < 5e-5 * abs(b)
