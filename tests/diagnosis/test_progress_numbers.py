"""The table of the numbers in progress lines: which lines have a row, and what is in it."""

from math import isnan

import pytest

from dpkb.diagnosis.log import Block
from dpkb.diagnosis.progress_numbers import SAMPLE_BYTES, START_BYTES, ProgressNumbers


def row_of(line):
    """The numbers of a line by column, without those that it lacks; None if it has no row."""
    numbers = ProgressNumbers()
    numbers.read_row(line.encode(), 1, True)
    if not numbers.lines:
        return None
    return {name: values[0] for name, values in numbers.columns.items() if not isnan(values[0])}


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("epoch 1 iter 7 loss 0.69", {"loss": 0.69, "step": 7}),
        ("[epoch 3/10] [45/100] loss: 1.5", {"loss": 1.5, "step": 45}),
        (
            "2026/05/05 12:00:00 time: 0.5  data_time: 0.1  memory: 3011  loss: 2.3",
            {"loss": 2.3, "time": 0.5, "data": 0.1, "memory": 3011},
        ),
        ("{'loss': 0.25, 'total_loss': 3}", {"loss": 0.25}),
        ("rss 812MB", {"ram": 812}),
        ("损失 loss：1e-3", {"loss": 0.001}),
        ("loss inf", {"loss": float("inf")}),
        ("data_time 3", None),
        ("loss 50%", None),
        ("validation loss 0.5", None),
        ("[rank1]: loss 0.5", None),
        ("[rank0]: loss 0.5", {"loss": 0.5}),
        ("nothing", None),
    ],
)
def test_the_row_of_a_line(line, row):
    assert row_of(line) == row


def test_the_digits_distinguish_a_loss_of_nan_from_a_missing_loss():
    numbers = ProgressNumbers()
    for line, text in enumerate((b"loss nan", b"time 0.5", b"loss 0.0693"), 1):
        numbers.read_row(text, line, True)
    assert [isnan(loss) for loss in numbers.columns["loss"]] == [True, True, False]
    assert numbers.loss_digits[0] > 0 and list(numbers.loss_digits[1:]) == [0, 3]
    assert list(numbers.lines) == [1, 2, 3] and numbers.start_rows == 3


def test_a_line_with_carriage_returns_has_several_rows():
    numbers = ProgressNumbers()
    numbers.read_block(Block(b"x\n1/9 loss 3\r2/9 loss 2\r\n", 5))
    assert list(numbers.lines) == [6, 6] and list(numbers.columns["step"]) == [1, 2]


def test_of_a_large_log_only_samples_are_read(monkeypatch):
    block = Block((b"step 1 loss: 0.5 time: 0.25 data_time: 0.01\n" * 30_000)[: 1 << 20], 1)
    numbers, read = ProgressNumbers(), []
    monkeypatch.setattr(numbers, "read_row", lambda text, *_: read.append(len(text)))
    for _ in range(50):
        numbers.read_block(block)
    assert START_BYTES < sum(read) < START_BYTES + 60 * SAMPLE_BYTES
