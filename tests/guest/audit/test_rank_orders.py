"""Where the orders of ranks part, from traces that the test writes."""

import pytest
from dpkb_audit import rank_orders
from dpkb_audit.facts import Fact

LINES = {"all_reduce": 10, "barrier": 20, rank_orders.BACKWARD: 30, rank_orders.DESTROY: 40}


class Recorder:
    """Writes what a rank does as its process would."""

    def __init__(self, number, world_size=2, began=0.0):
        self.pid = 100 + number
        self._start = {"of_rank": number, "world_size": world_size, "at": began}
        self._codes, self._trace = {}, ""

    def does(self, kind, name="", line=None, iterable=False):
        key = (kind, name, line)
        code = self._codes.setdefault(key, rank_orders.FIRST + len(self._codes))
        self._trace += chr(code)
        return self

    def calls(self, name, line=None):
        return self.does("operation", name, line or LINES[name])

    def trains(self, batches, skipped=(), epoch_ends=True):
        """An epoch with a backward pass for each batch that is not skipped."""
        self.does("epoch", line=1)
        for batch in range(batches):
            self.does("batch", line=1)
            if batch not in skipped:
                self.calls(rank_orders.BACKWARD)
        return self.does("end", line=1) if epoch_ends else self

    def ends(self, how=rank_orders.FINISHED):
        self._trace += chr(how)
        return self

    def facts(self):
        yield Fact(self._start, self.pid)
        yield Fact({"trace": self._trace}, self.pid)
        for (kind, name, line), code in self._codes.items():
            yield Fact({"code": code, "kind": kind, "name": name, "iterable": False, "slot": 0,
                        "where": ("train.py", line)}, self.pid)


def differences(*recorders):
    facts = [fact for recorder in recorders for fact in recorder.facts()]
    return [(one.entry, one.certainty, one.where) for one in rank_orders.differences(facts)]


def test_equal_orders_differ_in_nothing():
    both = [Recorder(n).calls("barrier").trains(3).calls(rank_orders.DESTROY).ends() for n in range(2)]
    assert differences(*both) == []


@pytest.mark.parametrize("how", [rank_orders.FAILED, rank_orders.STEPS_REACHED, rank_orders.CUT])
def test_a_rank_that_was_ended_by_something_else_is_no_difference(how):
    assert differences(Recorder(0).trains(5).ends(), Recorder(1).trains(2, epoch_ends=False).ends(how)) == []


def test_a_loader_with_more_batches_on_one_rank():
    found = differences(Recorder(0).trains(5, epoch_ends=False).ends(rank_orders.CUT),
                        Recorder(1).trains(3).ends())
    assert found == [("D9", "certain", ("train.py", 1))]


def test_a_batch_that_one_rank_skips():
    found = differences(Recorder(0).trains(4, skipped=[2]).ends(), Recorder(1).trains(4).ends())
    assert found == [("D22", "certain", ("train.py", 1))]


def test_a_collective_that_only_one_rank_calls():
    found = differences(Recorder(0).calls("all_reduce").calls("barrier").ends(rank_orders.CUT),
                        Recorder(1).calls("barrier").ends(rank_orders.CUT))
    assert found == [("D21", "certain", ("train.py", 10))]


def test_a_collective_that_is_paired_with_the_one_on_another_line():
    first = Recorder(0).calls("all_reduce", 10).calls("all_reduce", 15).ends(rank_orders.CUT)
    found = differences(first, Recorder(1).calls("all_reduce", 15).ends(rank_orders.CUT))
    assert found == [("D21", "likely", ("train.py", 10))]


def test_ranks_of_two_starts_of_a_program_are_not_compared():
    first = [Recorder(n, began=1.0).trains(3).ends() for n in range(2)]
    second = [Recorder(n, began=2.0).trains(5).ends() for n in range(2)]
    for recorder in second:
        recorder.pid += 100
    assert differences(*first, *second) == []
