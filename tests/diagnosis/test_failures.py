"""Which lines are errors, and which errors follow from others."""

import pytest
from support.rank_logs import LOST

from dpkb.diagnosis import failures


@pytest.mark.parametrize(
    ("line", "order"),
    [
        (LOST, failures.LOST_PEER),
        ("KeyError: 1", failures.CAUSE),
        ("RuntimeError: DataLoader worker (pid 7) exited unexpectedly", failures.ENDED),
        ("RuntimeError: Caught KeyError in DataLoader worker process 0.", None),
        ("MeanAbsoluteError: 0.31", None),
        ("train.sh: line 6:  3305 Killed                  python train.py", failures.CAUSE),
        ("step 3 loss 0.1", None),
    ],
)
def test_the_order_of_causes(line, order):
    assert failures.order_of_cause(line) == order
