"""Writes traces as the ranks of a distributed training do."""

from dpkb_audit import rank_traces
from dpkb_audit.facts import Fact

LINES = {"all_reduce": 10, "barrier": 20, rank_traces.BACKWARD: 30, rank_traces.DESTROY: 40}


class Recorder:
    """Writes the trace of one rank. Its methods add what the rank does."""

    def __init__(self, number, world_size=2, began=0.0):
        self.pid = 100 + number
        self._start = {"of_rank": number, "world_size": world_size, "at": began}
        self._codes, self._trace = {}, ""

    def does(self, kind, name="", line=None):
        key = (kind, name, line)
        code = self._codes.setdefault(key, rank_traces.FIRST_FREE_CODE + len(self._codes))
        self._trace += chr(code)
        return self

    def calls(self, name, line=None):
        return self.does("operation", name, line or LINES[name])

    def trains(self, batches, skipped=(), epoch_ends=True):
        """Add an epoch with a backward pass for each batch that is not skipped."""
        self.does("epoch", line=1)
        for batch in range(batches):
            self.does("batch", line=1)
            if batch not in skipped:
                self.calls(rank_traces.BACKWARD)
        return self.does("end", line=1) if epoch_ends else self

    def ends(self):
        self._trace += chr(rank_traces.FINISHED)
        return self

    def joins(self):
        self._trace += chr(rank_traces.JOINED)
        return self

    def facts(self):
        yield Fact(self._start, self.pid)
        yield Fact({"trace": self._trace}, self.pid)
        for (kind, name, line), code in self._codes.items():
            yield Fact(
                {
                    "code": code,
                    "kind": kind,
                    "name": name,
                    "iterable": False,
                    "slot": 0,
                    "where": ("train.py", line),
                },
                self.pid,
            )
