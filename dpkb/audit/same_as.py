"""Compares the traces of two runs: whether a resumed run goes on as one that was never stopped."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from dpkb.audit.collect import read_lines
from dpkb.audit.result import Difference, TraceComparison
from dpkb.errors import ExitCode, UsageError
from dpkb.text import count_of

# A line of a trace, as dpkb_audit/step_trace.py writes it: a step, or the end of the run.
Step = dict[str, Any]
_UNKNOWN_WEIGHTS = (
    "this run loaded a state, and its first weights are those of no step of the earlier run. Either the run that saved it "
    "was already different (compare two runs without a resume), or not all weights were loaded (dpkb show C18)"
)
_EQUAL_SAMPLES = (
    ": samples, weights and random numbers are equal, so the kernels are not deterministic, or something else goes "
    "into the loss"
)
_UNSEEN_SAMPLES = ": no DataLoader gave samples, so these were not compared (C13), and all else is equal"
_UNREADABLE = "the weights cannot be read (as those of DTensor), so they were not compared"
_REPEATS = "this run began at step 1 and resumed nothing: the program repeats itself. If it should have resumed: dpkb show C36"
_DOES_NOT_REPEAT = (
    "this run began at step 1 too, so the program does not even repeat itself: seed it, and use deterministic "
    "algorithms, before you compare a resume"
)
_AGREES = "by the number of optimizer steps it began at step {}, and samples, learning rates and loss scale agree up to step {}"


class _CannotCompare(Exception):
    """Two traces cannot be compared. The message says why."""


def find_traces(path: Path) -> dict[int, Path]:
    """The files of a trace by rank."""
    others = {file.suffix[5:]: file for file in path.parent.glob(glob.escape(path.name) + ".rank*")}
    own = {0: path} if path.exists() else {}
    return own | {int(rank): file for rank, file in others.items() if rank.isdecimal()}


def read_header(path: Path) -> Step:
    """The first line of a trace. Raises UsageError if the file is none."""
    try:
        with path.open("rb") as file:
            header = json.loads(file.readline(1 << 16))
        if header["trace"] == 1:
            return dict(header)
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read: {error.strerror}; `dpkb audit --trace FILE -- COMMAND` writes such a file"
        ) from None
    except (ValueError, TypeError, KeyError):
        pass
    raise UsageError(f"{path}: not a trace that this dpkb's `dpkb audit --trace FILE -- COMMAND` wrote")


def compare_traces(earlier: Path, now: Path, asked_to_resume: bool) -> TraceComparison:
    """Compare the trace of this run with that of an earlier one: the rank that differs first.

    asked_to_resume: whether the command of this run says that it resumes.
    """
    before, after = find_traces(earlier), find_traces(now)
    if not after:
        why = "this run made no optimizer step. If a resume ends at once, all its epochs are done"
        return TraceComparison(ExitCode.NO, differences=(Difference("end", why, ("C36",)),))
    if len(before) != len(after):
        why = f"the earlier run trained on {len(before)} ranks, and this one on {len(after)}"
        return TraceComparison(ExitCode.CANNOT_ASK, notes=(why,))
    compared = []
    for rank in sorted(before.keys() & after.keys()):
        try:
            compared.append(_Comparison(before[rank], after[rank], asked_to_resume).run(rank))
        except _CannotCompare as error:
            compared.append(TraceComparison(ExitCode.CANNOT_ASK, rank=rank, notes=(str(error),)))
        except (KeyError, TypeError, AttributeError, IndexError):
            damaged = f"{before[rank]} or the trace of this run is damaged: record it again"
            compared.append(TraceComparison(ExitCode.CANNOT_ASK, rank=rank, notes=(damaged,)))
    order = (ExitCode.NO, ExitCode.CANNOT_ASK, ExitCode.YES)
    return min(compared, key=lambda one: (order.index(one.verdict), one.step or 0))


def _read_steps(path: Path) -> Iterator[Step]:
    """The steps of a trace, then its end if it has one; each with what was saved since the step before."""
    saved: dict[str, str] = {}
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, text in enumerate(file):
            for line in read_lines(text):
                if "trace" in line and number:
                    raise _CannotCompare(
                        f"{path}: several processes that are no ranks have trained; trace one training alone"
                    )
                saved.update(line.get("saved", {}))
                if "weights" in line:
                    yield {**line, "saved": saved}
                    saved = {}


class _Comparison:
    """The comparison of the traces of one rank."""

    def __init__(self, earlier: Path, now: Path, asked_to_resume: bool) -> None:
        self._earlier, self._now = earlier, now
        self._headers = read_header(earlier), read_header(now)
        self._loaded_more = self._headers[1]["loads"] > self._headers[0]["loads"]
        self._is_resume = asked_to_resume or self._loaded_more
        # The generators whose state changes in the earlier run.
        self._used_generators: set[str] = set()
        # The first step at which the state of one of them differs.
        self._random_since: int | None = None
        self._is_unreadable = False
        # The learning rates of the first step.
        self._first_rates: Any = None

    def run(self, rank: int) -> TraceComparison:
        first = next(_read_steps(self._now), None)
        if first is None or "rates" not in first:
            raise _CannotCompare("this run ended in its first optimizer step")
        self._is_unreadable = not first["weights"]
        start, same_bits = self._find_start(first)
        if start is None:
            return self._explain_unknown_weights(rank)
        if start == 1 and same_bits and self._is_resume:
            message = "it began with the weights of step 1 again: nothing of a checkpoint was used"
            return TraceComparison(
                ExitCode.NO, 1, 1, 1, rank, (Difference("start", message, ("C36",)),), self._notes(1, False)
            )
        step, found, last = None, [], start  # type: ignore[var-annotated]
        earlier = islice(_read_steps(self._earlier), start - 1, None)
        pairs = zip(earlier, _read_steps(self._now), strict=False)
        for number, (one, other) in enumerate(pairs, start):
            step, found = self._compare(number, one, other, number == start, same_bits)
            if found or "completed" in one or "completed" in other:
                break
            last = number
        if found:
            verdict, notes = ExitCode.NO, self._notes(start, False)
        elif not same_bits:
            verdict, step, notes = ExitCode.CANNOT_ASK, None, (_UNKNOWN_WEIGHTS, _AGREES.format(start, last))
        else:
            verdict, step, notes = ExitCode.YES, None, self._notes(start, True)
        return TraceComparison(verdict, start, last, step, rank, tuple(found), notes)

    def _find_start(self, first: Step) -> tuple[int | None, bool]:
        """The step of the earlier run with the weights of this run's first step; else one with as many steps before.

        Also whether the weights are equal.
        """
        best: tuple[bool, int, int] | None = None
        random = None
        for number, step in enumerate(_read_steps(self._earlier), 1):
            same = step["weights"] == first["weights"]
            if "rates" not in step:
                if same and best is None:
                    raise _CannotCompare(
                        "this run began where the earlier one had ended; resume from an earlier checkpoint"
                    )
                break
            self._first_rates = self._first_rates or step["rates"]
            random = random or step["random"]
            self._used_generators.update(k for k, v in step["random"].items() if v != random.get(k))
            if same or step["count"] == first["count"] > 0:
                equal = sum(step[key] == first[key] for key in first if key in step)
                best = max(best or (same, equal, number), (same, equal, number))
        return (best[2], best[0]) if best else (None, False)

    def _compare(
        self, number: int, one: Step, other: Step, is_first: bool, same_bits: bool
    ) -> tuple[int, list[Difference]]:
        """The first step that differs, and its differences: those after the step before, or those in this step."""
        if same_bits and one["weights"] != other["weights"]:
            message = "the weights after the step differ, although all that was compared in it is equal: the kernels may "
            return number - 1, [Difference("weights", message + "not be deterministic")]
        saved = [
            key for key in one["saved"] if other["saved"].get(key, one["saved"][key]) != one["saved"][key]
        ]
        if same_bits and saved:
            message = f"the checkpoint that was saved after the step differs in {', '.join(saved)}, and not in the weights"
            return number - 1, [Difference("saved state", message + ": that state was not restored", ("C1",))]
        if "rates" not in one or "rates" not in other:
            return number - 1, list(_compare_ends(one, other))
        samples = list(self._compare_samples(number, one, other))
        settings = list(self._compare_settings(one, other, is_first, number))
        if not same_bits:
            return number, samples + settings
        states = list(_compare_states(one, other, is_first, not samples))
        random = [
            name
            for name in one["random"]
            if name in self._used_generators and other["random"].get(name) != one["random"][name]
        ]
        self._random_since = (self._random_since or number) if random else None
        losses = [[part[0] for part in step["passes"]] for step in (one, other)]
        found = samples + settings + states
        if random and losses[0] != losses[1]:
            since = f", since step {self._random_since}" if self._random_since != number else ""
            message = (
                f"another state of {', '.join(random)}{since}: it was not restored, or more was drawn from it"
            )
            found.append(Difference("random numbers", message, ("C1",)))
        pair = next((pair for pair in zip(*losses, strict=False) if pair[0] != pair[1]), None)
        if pair:
            why = "" if found else _EQUAL_SAMPLES if _batches_of(one) else _UNSEEN_SAMPLES
            found.append(Difference("loss", f"the loss is {pair[1]} instead of {pair[0]}{why}"))
        return number, found

    def _compare_samples(self, number: int, one: Step, other: Step) -> Iterator[Difference]:
        batches = [_batches_of(step) for step in (one, other)]
        for expected, got in zip(*batches, strict=False):
            if expected[:2] != got[:2]:
                yield self._explain_samples(number, expected, got)
                return
        if len(batches[0]) != len(batches[1]):
            counts = f"{count_of(len(batches[1]), 'batch', 'batches')} instead of {len(batches[0])}"
            yield Difference("samples", f"the step used {counts}", ("C13",))

    def _explain_samples(self, number: int, expected: list[Any], got: list[Any]) -> Difference:
        if expected[0] == got[0] is not None:
            message = (
                "the samples are the same, and their contents differ: other random numbers in the dataset"
            )
            return Difference("contents of the samples", message, ("C1",))
        if expected[3] != got[3]:
            epochs = f"the epoch of the sampler is {got[3]} instead of {expected[3]}"
            message = (
                f"the samples differ: {epochs}. Call set_epoch() with the epoch in which the run goes on"
            )
            return Difference("samples", message, ("DP14", "C36"))
        kind = 0 if got[0] else 1
        # Step -> the epoch in which it used these samples, and the number of the batch there.
        uses: dict[int, tuple[int, int]] = {}
        epoch = last = here = 0
        for step, batches in enumerate(map(_batches_of, _read_steps(self._earlier)), 1):
            if batches:
                epoch, last = epoch + (batches[0][2] <= last or not epoch), batches[0][2]
            here = epoch if step == number else here
            uses.update((step, (epoch, batch[2])) for batch in batches if batch[kind] == got[kind])
        in_epoch = [step for step, (of, _) in uses.items() if of == here]
        before = [step for step in in_epoch or uses if step < number]
        if before and (in_epoch or uses[before[0]][1] != expected[2]):
            message = (
                f"the samples of step {before[-1]} came again: the position in the epoch was not restored"
            )
            return Difference("samples", message, ("C13",))
        if before:
            orders = f"the order of epoch {uses[before[0]][0]} instead of that of epoch {here}"
            message = f"the samples of step {before[0]} came again: {orders}. The number of the epoch or the seed begins again"
            return Difference("samples", message, ("C13", "C36", "DP14"))
        if uses:
            message = f"the samples of step {min(in_epoch or uses)} came: those before them were skipped"
            return Difference("samples", message, ("C13",))
        message = "no step of the earlier run used such a batch: another order, or another place in it"
        return Difference(
            "samples", message + ". The seed of the order or the position was not restored", ("C13", "C1")
        )

    def _compare_settings(self, one: Step, other: Step, is_first: bool, number: int) -> Iterator[Difference]:
        if one["rates"] != other["rates"]:
            rates = [", ".join(f"{rate:.6g}" for rate in step["rates"]) for step in (one, other)]
            restarts = other["rates"] == self._first_rates and number > 1
            why = ", as in step 1: the scheduler was not restored" if restarts else ""
            ids = ("C1", "O31") if is_first or restarts else ("O31", "C1")
            yield Difference(
                "learning rate", f"the learning rate is {rates[1]} instead of {rates[0]}{why}", ids
            )
        if one["settings"] != other["settings"]:
            message = "momentum, betas or weight decay differ"
            yield Difference("settings of the optimizer", message, ("C1",))
        if one["scale"] != other["scale"]:
            scales = [", ".join(f"{number:g}" for number in step["scale"]) or "none" for step in (one, other)]
            message = f"the GradScaler has {scales[1]} instead of {scales[0]} (its scale, and the steps since it grew)"
            yield Difference("loss scale", message, ("C1",))

    def _notes(self, start: int, is_equal: bool) -> tuple[str, ...]:
        """What may explain a difference, or what an equality does not mean."""
        runs = [header["run"] for header in self._headers]
        changed = [
            f"{key}: {runs[1].get(key)} instead of {value}"
            for key, value in runs[0].items()
            if runs[1].get(key) != value
        ]
        notes = {
            f"the runs are not alike ({'; '.join(changed)})": changed and not is_equal,
            _REPEATS: start == 1 and is_equal,
            _UNREADABLE: self._is_unreadable and is_equal,
            _DOES_NOT_REPEAT: start == 1 and not is_equal and not self._is_resume,
            f"another state of random numbers from step {self._random_since} on, without an effect": is_equal
            and self._random_since is not None,
        }
        return tuple(note for note, is_said in notes.items() if is_said)

    def _explain_unknown_weights(self, rank: int) -> TraceComparison:
        if self._loaded_more:
            return TraceComparison(ExitCode.CANNOT_ASK, rank=rank, notes=(_UNKNOWN_WEIGHTS,))
        message = (
            "its first weights are those of no step of the earlier run, and it loaded no state: the resume found no "
            "checkpoint, or the program is not seeded"
        )
        return TraceComparison(
            ExitCode.NO, step=1, rank=rank, differences=(Difference("start", message, ("C36",)),)
        )


def _compare_ends(one: Step, other: Step) -> Iterator[Difference]:
    """One run has ended, and the other goes on."""
    if "rates" in other and one["completed"]:
        yield Difference("end", "the earlier run had ended after the step, and this one goes on", ("C36",))
    elif "rates" in one and other["completed"]:
        yield Difference("end", "this run ended after the step, and the earlier one went on", ("C36",))


def _batches_of(step: Step) -> list[list[Any]]:
    """The batches that a step used: digests of indices and contents, number in the epoch, epoch of the sampler."""
    return [batch for part in step.get("passes", ()) for batch in part[1:]]


def _compare_states(one: Step, other: Step, is_first: bool, same_samples: bool) -> Iterator[Difference]:
    if one["count"] != other["count"]:
        steps = f"{other['count']} steps instead of {one['count']}"
        yield Difference("optimizer state", f"the optimizer had made {steps}: it was not restored", ("C1",))
    elif one["moments"] != other["moments"]:
        message = "the moments of the optimizer differ" + (": they were not restored" if is_first else "")
        yield Difference("optimizer state", message, ("C1",))
    others = one["others"].items() if same_samples else ()
    if any(other["others"].get(key, digests) != digests for key, digests in others):
        message = "buffers (BatchNorm) or weights that the optimizer does not have (EMA, a teacher) differ"
        yield Difference("buffers", message, ("C1", "N5"))
