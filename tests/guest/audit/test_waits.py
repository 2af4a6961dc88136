"""What counts as a wait for data, and what as a wait for a core."""

from types import SimpleNamespace

import pytest
from dpkb_audit.checks import _waits


def epoch_of(own, loading, seconds=0.05, work=0.005, workers=2, batches=40):
    """An epoch: of each second, this process and the workers together computed, and waited for a core."""
    passed = (seconds + work) * batches

    def times(at):
        return tuple(share * at for share in loading), tuple(share * at for share in own)

    return SimpleNamespace(
        num_workers=workers,
        trained=True,
        wait_seconds=[seconds] * batches,
        work_seconds=[work] * (batches - 1),
        cpu_times=[(number, at, *times(at)) for number, at in ((8, 0.0), (batches, passed))],
    )


@pytest.mark.parametrize(
    ("own", "loading", "waits"),
    [
        ((0.05, 0.0), (0.1, 0.0), True),  # the workers wait for storage
        ((0.05, 0.1), (0.1, 0.2), True),
        ((0.05, 0.0), (1.95, 0.5), True),  # they are why the cores are busy
        ((0.15, 0.75), (0.1, 0.3), False),  # this process waits for a core
        ((0.05, 0.1), (0.2, 1.7), False),  # the workers do
    ],
)
def test_a_wait_for_a_core_does_not_count_as_a_wait_for_data(own, loading, waits, monkeypatch):
    monkeypatch.setattr(_waits, "count_cores", lambda: 2)
    assert (_waits.Waits(epoch_of(own, loading)).share > _waits.LARGE_WAIT_SHARE) is waits
