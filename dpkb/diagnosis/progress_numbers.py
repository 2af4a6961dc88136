"""The numbers in the progress lines of a log: losses, times and memory.

The lines are those of common loggers: `loss 0.69`, tqdm and Lightning, dicts of the Hugging Face Trainer,
mmengine, detectron2, torchvision's MetricLogger, Keras.
"""

from __future__ import annotations

import json
import re
from array import array
from math import nan

from dpkb.diagnosis.log import Block
from dpkb.errors import DpkbError

# Only the start of a log is read, and then the start of every further megabyte. To read all of it would take
# longer than everything else, and a loss that is stuck for hours is stuck in every sample.
START_BYTES = 256 << 10
SAMPLE_INTERVAL_BYTES = 1 << 20
SAMPLE_BYTES = 4 << 10
# Limits for the memory that the table takes, and for the time that a long line takes.
MAX_ROWS = 50_000
_MAX_ROW_BYTES = 1000

_NUMBER = rb"[-+]?(?:nan|inf|\d+(?:\.\d*)?(?:e[-+]?\d+)?)"
# The last of the separators is the colon of Chinese and Japanese text, in UTF-8.
_FIELD = re.compile(
    rb"(?<![\w./-])(?:train[_/ ])?"
    rb"(total_loss|loss|batch_time|step_time|iter_time|time|data_time|data"
    rb"|max[ _]mem(?:ory)?|gpu_mem|memory|mem|rss|ram|learning_rate|lr|grad_norm|gnorm)"
    rb"['\"]?(?: ?(?:[:=]|\xef\xbc\x9a) *| +)(" + _NUMBER + rb")(?: ?s| ?[KMG]i?B?)?(?![\w%/:.])",
    re.IGNORECASE,
)
# A step and the number of steps, as in `[45/100]` and `| 45/100 [`, but no date.
_PROGRESS = re.compile(rb"(?<![\d/.-])(\d{1,9}) ?/ ?(\d{1,9})(?![\d/.-]| \d\d:)")
_EPOCH = re.compile(rb"(?i)\bep(?:och)?\W{0,4}(\d{1,6})\b(?!\.)")
_STEP = re.compile(rb"\b(?:global_step|step|iteration|iter)['\"]?[:= ] *(\d{1,9})\b", re.IGNORECASE)
_OTHER_RANK = re.compile(rb"\s*\[(?:rank|default|Rank |local_rank )[1-9]\d*\]")
_EVALUATION = re.compile(rb"\b(?:val|valid|validat(?:ion|ing)|test|testing|eval|evaluating)\b", re.IGNORECASE)
# A line that says that a checkpoint was loaded.
_RESUMED = re.compile(
    rb"(?i)\b(?:resum|restor)(?:ed|ing|e)\b|\bload(?:ed|ing)?\b.{0,40}(?:checkpoint|ckpt|\.pth?\b)"
)
# A zero that may be a small number with few digits.
_ROUNDED_ZERO = re.compile(rb"-?0?\.00+")
# The column of a field; all other fields are the memory of the GPU.
_COLUMN = {
    b"total_loss": "loss",
    b"loss": "loss",
    b"batch_time": "time",
    b"step_time": "time",
    b"iter_time": "time",
    b"time": "time",
    b"data_time": "data",
    b"data": "data",
    b"rss": "ram",
    b"ram": "ram",
    b"learning_rate": "rate",
    b"lr": "rate",
    b"grad_norm": "gradient",
    b"gnorm": "gradient",
}


COLUMNS = ("loss", "time", "data", "memory", "ram", "rate", "gradient", "step")


class ProgressNumbers:
    """A table of the numbers in progress lines, with a row for each line, filled block by block."""

    def __init__(self) -> None:
        # The number of the line of each row.
        self.lines = array("Q")
        # The number of each row in each column; nan if its line has none.
        self.columns = {name: array("d") for name in COLUMNS}
        # The number of digits of the loss; 0 if the line has no loss.
        self.loss_digits = array("B")
        # The number of rows from the start of the log, where no line is left out.
        self.start_rows = 0
        # How many rows stand before each line that says that a checkpoint was loaded.
        self.resumes: list[int] = []
        # The largest share of the steps that is done, and the epochs that were seen.
        self.share, self.epochs = 0.0, set[bytes]()
        self._offset = 0

    def read_block(self, block: Block) -> None:
        """Read the progress lines of a block that belong to the sample."""
        text, start, line = block.text, 0, block.first_line
        while start < len(text) and len(self.lines) < MAX_ROWS:
            position = self._offset + start
            if position >= START_BYTES and position % SAMPLE_INTERVAL_BYTES >= SAMPLE_BYTES:
                # Go on with the first line that starts in the next sample.
                sample = start + SAMPLE_INTERVAL_BYTES - position % SAMPLE_INTERVAL_BYTES
                next_start = text.find(b"\n", sample - 1) + 1
                if not next_start:
                    break
                line += text.count(b"\n", start, next_start)
                start = next_start
                continue
            end = text.find(b"\n", start)
            end = len(text) if end < 0 else end
            for row in text[start : min(end, start + START_BYTES)].split(b"\r"):
                if row:
                    self.read_row(row[:_MAX_ROW_BYTES], line, position < START_BYTES)
            start, line = end + 1, line + 1
        self._offset += len(text)

    def read_row(self, text: bytes, line: int, is_at_start: bool) -> None:
        """Add a row for a progress line. Lines of an evaluation, or of a rank other than 0, are left out."""
        fields = _FIELD.findall(text)
        if not fields or _EVALUATION.search(text) or _OTHER_RANK.match(text):
            if not fields and _RESUMED.search(text):
                self.resumes.append(len(self.lines))
            return
        row: dict[str, float] = {}
        digits = 0
        for name, number in fields:
            column = _COLUMN.get(name.lower(), "memory")
            if column not in row and not (column == "rate" and _ROUNDED_ZERO.fullmatch(number)):
                row[column] = float(number)
                if column == "loss":
                    digits = _count_digits(number)
        if not row.keys() & {"loss", "time", "memory", "ram", "gradient"}:
            return
        # Epochs come before steps: `[epoch 3/10] [45/100]`.
        shares = _PROGRESS.findall(text)
        progress = _STEP.findall(text) or [step for step, _ in shares]
        row["step"] = float(progress[-1]) if progress else nan
        self.share = max([self.share, *(int(step) / max(int(total), 1) for step, total in shares)])
        self.epochs.update(_EPOCH.findall(text)[:1])
        self.lines.append(line)
        self.loss_digits.append(min(digits, 255))
        for name, values in self.columns.items():
            values.append(row.get(name, nan))
        self.start_rows += is_at_start


def _count_digits(number: bytes) -> int:
    """The number of significant digits, at least 1."""
    return max(1, len(number.lower().split(b"e")[0].replace(b".", b"").lstrip(b"-+0")))


def is_table(start: bytes) -> bool:
    """Whether a file starts like trainer_state.json of the Hugging Face Trainer, or metrics.csv of Lightning."""
    header = start.split(b"\n", 1)[0].strip().split(b",")
    is_state = start.lstrip().startswith(b"{") and b'"log_history"' in start
    return is_state or (b"step" in header and b"epoch" in header)


def convert_table(data: bytes) -> bytes:
    """The rows of such a file as lines of a log. Raises DpkbError if the file is cut."""
    if data.lstrip().startswith(b"{"):
        try:
            return b"\n".join(str(row).encode("utf-8", "replace") for row in json.loads(data)["log_history"])
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise DpkbError(f"is no trainer_state.json, or is cut: {error}") from None
    header, *lines = (line.strip().split(b",") for line in data.split(b"\n"))
    names = [b"lr" if name.startswith(b"lr-") else name.removesuffix(b"_step") for name in header]
    rows = (zip(names, line, strict=False) for line in lines)
    return b"\n".join(b" ".join(name + b"=" + value for name, value in row if value) for row in rows)
