"""What ranks did, as read from traces that the test writes."""

from dpkb_audit import rank_traces
from dpkb_audit.rank_traces import read_ranks
from support.rank_recorder import Recorder


def read(*recorders):
    return read_ranks([fact for recorder in recorders for fact in recorder.facts()])


def test_the_operations_and_epochs_of_a_rank():
    ((first, second),) = read(
        Recorder(0).calls("barrier").trains(3, skipped=[1]).ends(), Recorder(1).trains(2, epoch_ends=False)
    )
    assert list(map(str, first.operations)) == [
        "barrier at line 20",
        "backward() at line 30",
        "backward() at line 30",
    ]
    assert [(one.number, one.batches, one.backwards, one.ended) for one in first.epochs + second.epochs] == [
        (0, 3, 2, True),
        (0, 2, 2, False),
    ]
    assert first.finished and not second.finished
    assert second.same_epoch(first.epochs[0]) is second.epochs[0]


def test_what_needs_all_ranks_after_join():
    joined = Recorder(0).calls(rank_traces.BACKWARD).joins()
    ((first, _),) = read(joined.calls(rank_traces.BACKWARD).calls("barrier"), Recorder(1))
    assert [one.name for one in first.operations] == [rank_traces.BACKWARD, "barrier"]


def test_a_single_rank_is_not_compared():
    assert read(Recorder(0).trains(2)) == []
