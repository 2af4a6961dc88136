"""Where the orders of ranks differ, from traces that the test writes."""

from dpkb_audit import rank_differences, rank_traces
from support.rank_recorder import Recorder


def differences(*recorders):
    facts = [fact for recorder in recorders for fact in recorder.facts()]
    return [(one.entry, one.certainty, one.where) for one in rank_differences.find_differences(facts)]


def test_equal_orders_have_no_difference():
    both = [Recorder(n).calls("barrier").trains(3).calls(rank_traces.DESTROY).ends() for n in range(2)]
    assert differences(*both) == []


def test_a_rank_that_did_not_end_by_itself_does_not_count_as_different():
    assert differences(Recorder(0).trains(5).ends(), Recorder(1).trains(2, epoch_ends=False)) == []


def test_a_loader_with_more_batches_on_one_rank():
    found = differences(Recorder(0).trains(5, epoch_ends=False), Recorder(1).trains(3).ends())
    assert found == [("D9", "certain", ("train.py", 1))]


def test_a_batch_that_one_rank_skips():
    found = differences(Recorder(0).trains(4, skipped=[2]).ends(), Recorder(1).trains(4).ends())
    assert found == [("D22", "certain", ("train.py", 1))]


def test_a_collective_that_only_one_rank_calls():
    found = differences(
        Recorder(0).calls("all_reduce").calls("barrier"),
        Recorder(1).calls("barrier"),
    )
    assert found == [("D21", "certain", ("train.py", 10))]


def test_a_collective_that_is_paired_with_the_one_on_another_line():
    first = Recorder(0).calls("all_reduce", 10).calls("all_reduce", 15)
    found = differences(first, Recorder(1).calls("all_reduce", 15))
    assert found == [("D21", "likely", ("train.py", 10))]


def test_ranks_of_two_starts_of_a_program_are_not_compared():
    first = [Recorder(n, began=1.0).trains(3).ends() for n in range(2)]
    second = [Recorder(n, began=2.0).trains(5).ends() for n in range(2)]
    for recorder in second:
        recorder.pid += 100
    assert differences(*first, *second) == []
