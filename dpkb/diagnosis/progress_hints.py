"""What the numbers in the progress lines of a log look like, as hints with the entries to read.

A run that learns nothing, or that waits for its data, prints no error. Its losses, times and memory show it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import exp, isfinite, isnan, log

from dpkb.diagnosis.progress_numbers import ProgressNumbers

# A loss is stuck if it is the same in this many lines, and was printed with at least this many digits.
_STUCK_MIN_ROWS = 100
_STUCK_MIN_DIGITS = 4
_ZERO_LOSS_MIN_ROWS = 20
# And in this share of all lines: a progress bar may show the loss of the previous epoch all the time.
_STUCK_MIN_SHARE = 0.6
# How many lines are needed to compare slow lines with the others, and to judge a share or a growth.
_SPIKES_MIN_ROWS = 7
_TREND_MIN_ROWS = 20
# This many steps show that a training runs: what fails is not the first step.
_MANY_STEPS = 100
# A hint about loading needs at least this share of the time of a step.
_LOADING_MIN_SHARE = 0.4
# A slow line takes this many times the usual time, and is this much longer.
_SPIKE_MIN_RATIO = 5.0
_SPIKE_MIN_EXTRA_SECONDS = 0.1
# Slow lines without a rhythm matter if they take this share of the time.
_SPIKES_MIN_TIME_SHARE = 0.3
# Few rules have no exception: this share of the cases must follow it.
_REGULAR_MIN_SHARE = 0.8
# The memory at the end, as a multiple of the memory at the start.
_MEMORY_MIN_GROWTH, _MEMORY_MIN_GROWTH_BEFORE_ERROR = 1.3, 1.1
_TIME_MIN_GROWTH, _GRADIENT_MIN_GROWTH = 1.5, 4.0
# The last loss before nan, as a multiple of the usual loss.
_EXPLODED_MIN_RATIO = 10.0


# Among more classes, too many values are near the loss of a guess.
_MAX_CLASSES = 100
# The last quarter of a loss that rises, as a multiple of its best quarter.
_RISE_MIN_RATIO = 3.0
_NAMES = {"time": "the time of a step", "gradient": "the norm of the gradients"}


@dataclass(frozen=True)
class Hint:
    """A sign of a failure in the numbers of a log, and the entries that explain such a sign."""

    ids: tuple[str, ...]
    message: str
    line: int


def find_hints(numbers: ProgressNumbers) -> tuple[Hint, ...]:
    """At most one hint for each of the loss, the times, `memory` and `ram`."""
    hints = (
        _find_loss_hint(numbers) or _find_trend_hint(numbers),
        _find_rate_hint(numbers),
        _find_time_hint(numbers) or _find_growth_hint(numbers, "time", ("N4", "A6"), 1.1, _TIME_MIN_GROWTH),
        _find_growth_hint(numbers, "gradient", ("O38", "O2"), 1.2, _GRADIENT_MIN_GROWTH),
        *_find_memory_hints(numbers, _MEMORY_MIN_GROWTH),
    )
    return tuple(hint for hint in hints if hint)


def describe_progress(numbers: ProgressNumbers) -> Iterator[str]:
    """Sentences about how far the training came and about its memory, as far as the log tells."""
    # Beside an error a smaller growth says something too.
    yield from (hint.message for hint in _find_memory_hints(numbers, _MEMORY_MIN_GROWTH_BEFORE_ERROR))
    steps = [step for step in numbers.columns["step"] if isfinite(step)]
    if len(numbers.lines) >= _TREND_MIN_ROWS or max(steps, default=0) >= _MANY_STEPS:
        yield f"the error comes after many steps: {len(numbers.lines)} lines of progress stand before it"


# -- the loss ---------------------------------------------------------------------------------------


def _find_loss_hint(numbers: ProgressNumbers) -> Hint | None:
    losses = numbers.columns["loss"]
    # In the table a loss of nan looks like no loss: its digits show that one was printed.
    printed = [row for row, digits in enumerate(numbers.loss_digits) if digits]
    bad = next((row for row in printed if not isfinite(losses[row])), None)
    if bad is not None:
        return _find_bad_loss_hint(numbers, printed, bad)
    run: list[int] = []
    for row in [*printed, -1]:
        if run and (row < 0 or not _are_equal(losses[row], losses[run[0]])):
            is_long = len(run) >= _STUCK_MIN_SHARE * len(printed)
            hint = _find_stuck_loss_hint(numbers, run) if is_long else None
            if hint:
                return hint
            run = []
        run.append(row)
    return None


def _find_bad_loss_hint(numbers: ProgressNumbers, printed: list[int], bad: int) -> Hint | None:
    """A hint about a loss that is nan or inf from a row on. printed: the rows with a loss."""
    losses, line = numbers.columns["loss"], numbers.lines[bad]
    word = "nan" if isnan(losses[bad]) else "inf"
    before = [losses[row] for row in printed if row < bad]
    after = [losses[row] for row in printed if row >= bad]
    if any(map(isfinite, after[1:])):
        share = sum(not isfinite(value) for value in after) / len(after)
        if share < _REGULAR_MIN_SHARE:
            return None
    if not before:
        return Hint(("Q2", "P2", "O34"), f"the loss is {word} from its first line on, line {line}", line)
    usual, last = _compute_median(before[:-3] or before), before[-1]
    if last > _EXPLODED_MIN_RATIO * max(usual, 1e-12):
        message = (
            f"the loss rises from {_format_four_digits(usual)} to {_format_four_digits(last)}, "
            f"and is {word} from line {line} on"
        )
        return Hint(("O30", "Q2"), message, line)
    message = f"the loss is {_format_four_digits(last)} before line {line}, and {word} from there on"
    return Hint(("Q2", "O34", "P2"), message, line)


def _find_stuck_loss_hint(numbers: ProgressNumbers, run: list[int]) -> Hint | None:
    """A hint about consecutive rows with an equal loss."""
    value, first, last = numbers.columns["loss"][run[0]], numbers.lines[run[0]], numbers.lines[run[-1]]
    if value == 0 and len(run) >= _ZERO_LOSS_MIN_ROWS:
        message = f"the loss is 0 in {len(run)} values, lines {first} to {last}"
        return Hint(("P2", "Q2", "L2"), message, first)
    steps = {numbers.columns["step"][row] for row in run}
    has_many_steps = len(steps) > _STUCK_MIN_ROWS // 2 or any(map(isnan, steps))
    if (
        len(run) < _STUCK_MIN_ROWS
        or not has_many_steps
        or min(numbers.loss_digits[row] for row in run) < _STUCK_MIN_DIGITS
    ):
        return None
    message = f"the loss is {_format_four_digits(value)} in {len(run)} values, lines {first} to {last}"
    classes = round(exp(value)) if 0 < value < 12 else 0
    if classes > 1 and abs(log(classes) - value) < 1e-3:
        message += f"; ln {classes} is the loss of a guess among {classes} classes"
    return Hint(("O1", "O2"), message, first)


def _find_trend_hint(numbers: ProgressNumbers) -> Hint | None:
    """A hint about a loss that never leaves that of a guess, or that ends far above its best."""
    rows = [row for row, value in enumerate(numbers.columns["loss"]) if isfinite(value)]
    values = [numbers.columns["loss"][row] for row in rows]
    quarters = _compute_quarters(values)
    if not quarters or min(quarters) <= 0:
        return None
    line, guess = numbers.lines[rows[0]], round(exp(min(quarters[0], 10.0)))
    margin = min(0.003, 0.1 / guess)
    is_stuck = all(abs(value - log(guess)) < margin for value in quarters)
    is_stuck = is_stuck and abs(_compute_median(values[:5]) - log(guess)) < 3 * margin
    # The first steps of a long training say little.
    is_long = len(rows) >= _STUCK_MIN_ROWS or numbers.share > 0.5 or len(numbers.epochs) >= 10
    digits = min(numbers.loss_digits[row] for row in rows)
    if is_stuck and is_long and digits >= _STUCK_MIN_DIGITS and 1 < guess <= _MAX_CLASSES:
        message = f"the loss stays at {quarters[3]:.4g} = ln {guess}, a guess among {guess} classes"
        return Hint(("O1", "O2"), message, line)
    if quarters[3] > max(_RISE_MIN_RATIO * min(quarters), quarters[0]):
        message = f"the loss falls to {_format_four_digits(min(quarters))} and rises to {_format_four_digits(quarters[3])}"
        return Hint(("O38", "O30"), message, line)
    return None


def _find_rate_hint(numbers: ProgressNumbers) -> Hint | None:
    """A hint about a learning rate that is 0, or that starts over after a checkpoint was loaded."""
    rates = numbers.columns["rate"]
    rows = [row for row, rate in enumerate(rates) if not isnan(rate)]
    zeros = [row for row in rows if rates[row] == 0]
    if len(zeros) >= max(10, len(rows) / 2):
        line = numbers.lines[zeros[0]]
        return Hint(("O31", "O32"), f"the learning rate is 0 in {len(zeros)} of {len(rows)} lines", line)
    for resume in numbers.resumes:
        before, after = ([rates[row] for row in rows if (row < resume) is side] for side in (True, False))
        if len(before) > 2 and after and before[-1] < 0.95 * before[0] <= after[0]:
            row = next(row for row in rows if row >= resume)
            numbers_ = f"{before[-1]:.4g} before the checkpoint was loaded, and {after[0]:.4g} after it"
            return Hint(("C1",), f"the learning rate starts over: {numbers_}", numbers.lines[row])
    return None


def _are_equal(a: float, b: float) -> bool:
    """Whether two losses are equal to four digits."""
    return a == b or abs(a - b) < 5e-5 * abs(b)


# -- times ------------------------------------------------------------------------------------------


def _find_time_hint(numbers: ProgressNumbers) -> Hint | None:
    times, loading = numbers.columns["time"], numbers.columns["data"]
    rows = [row for row in range(numbers.start_rows) if times[row] >= loading[row] >= 0 and times[row] > 0]
    if len(rows) < _SPIKES_MIN_ROWS:
        # Without the times of loading, only slow lines are a sign.
        rows = [row for row in range(numbers.start_rows) if times[row] > 0]
        return _find_spike_hint(numbers, rows, "a step", times) if len(rows) >= _SPIKES_MIN_ROWS else None
    if hint := _find_spike_hint(numbers, rows, "loading", loading):
        return hint
    loading_time, total = sum(loading[row] for row in rows), sum(times[row] for row in rows)
    if len(rows) < _TREND_MIN_ROWS or loading_time < _LOADING_MIN_SHARE * total:
        return None
    message = (
        f"loading takes {loading_time / total:.0%} of the time of a step: "
        f"{loading_time / len(rows):.3g} of {total / len(rows):.3g} s"
    )
    return Hint(("T4", "T8", "U8"), message, numbers.lines[rows[0]])


def _find_spike_hint(
    numbers: ProgressNumbers, rows: list[int], activity: str, seconds: array[float]
) -> Hint | None:
    """A hint about lines in which an activity takes much longer than usual, if they follow a rule."""
    steps, line = numbers.columns["step"], numbers.lines[rows[0]]
    values = [seconds[row] for row in rows]
    usual = _compute_median(values)
    least = max(_SPIKE_MIN_RATIO * usual, usual + _SPIKE_MIN_EXTRA_SECONDS)
    slow = [n for n, value in enumerate(values) if value > least]
    if len(slow) < 3:
        return None
    slow_seconds = sum(values[n] for n in slow)
    message = f"{activity} takes {slow_seconds / len(slow):.3g} s against {usual:.3g} s"
    starts = {n for n, (a, b) in enumerate(pairwise(rows), 1) if steps[b] < steps[a]}
    if len(starts) >= 2 and len(starts.union([0]).intersection(slow)) >= _REGULAR_MIN_SHARE * len(slow):
        return Hint(("T5",), f"{message} in the first line of each epoch", line)
    gaps = [b - a for a, b in pairwise(slow)]
    gap = max(set(gaps), key=gaps.count)
    if len(gaps) >= 3 and gap >= 2 and gaps.count(gap) >= _REGULAR_MIN_SHARE * len(gaps):
        return Hint(("T7", "T8"), f"{message} in one of every {gap} lines", line)
    total = sum(numbers.columns["time"][row] for row in rows)
    if activity == "loading" and slow_seconds >= _SPIKES_MIN_TIME_SHARE * total:
        return Hint(("T7", "U8"), f"{message} in {len(slow)} of {len(values)} lines", line)
    return None


# -- memory -----------------------------------------------------------------------------------------


def _find_memory_hints(numbers: ProgressNumbers, min_growth: float) -> Iterator[Hint]:
    for name, ids in (("memory", ("Q3", "N4")), ("ram", ("DP17", "Q3", "DP9"))):
        if hint := _find_growth_hint(numbers, name, ids, 1.02, min_growth):
            yield hint


def _find_growth_hint(
    numbers: ProgressNumbers, name: str, ids: tuple[str, ...], step: float, min_growth: float
) -> Hint | None:
    """A hint about numbers that rise from quarter to quarter of the log, by the factor `step` or more."""
    values = numbers.columns[name]
    rows = [row for row, value in enumerate(values) if not isnan(value)]
    found = [values[row] for row in rows]
    quarters = _compute_quarters(found)
    if not quarters or not all(b > step * a for a, b in pairwise(quarters)):
        return None
    # A time that never falls is the time since the start.
    if (
        quarters[3] < min_growth * quarters[0]
        or quarters[0] <= 0
        or (name == "time" and all(b >= a for a, b in pairwise(found)))
    ):
        return None
    first, last = rows[0], rows[-1]
    message = (
        f"{_NAMES.get(name, name)} rises from {_format_four_digits(values[first])} "
        f"to {_format_four_digits(values[last])} "
        f"between lines {numbers.lines[first]} and {numbers.lines[last]}"
    )
    return Hint(ids, message, numbers.lines[first])


def _compute_quarters(values: list[float]) -> list[float]:
    """The median of each quarter; empty for few values."""
    size = len(values) // 4
    if len(values) < _TREND_MIN_ROWS:
        return []
    return [_compute_median(values[n * size : (n + 1) * size]) for n in range(4)]


def _compute_median(values: list[float]) -> float:
    """The value in the middle. `statistics` has the same, but takes long to import."""
    return sorted(values)[len(values) // 2]


def _format_four_digits(number: float) -> str:
    """A number with four digits, and with an exponent only if it needs one."""
    return f"{number:.0f}" if 1e4 <= abs(number) < 1e9 else f"{number:.4g}"
