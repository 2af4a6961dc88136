"""What is known of the loaders and models of a process, without keeping them alive."""

import gc
import os

import pytest
from dpkb_audit import records
from dpkb_audit.records import LoaderRecord


class Loader:
    def __init__(self):
        self.num_workers, self.persistent_workers, self.prefetch_factor = 3, True, None

    def __getattribute__(self, name):
        raise AssertionError(f"a class of the program was asked for {name}")


class Lines(list):
    def write(self, kind, **fields):
        self.append((kind, fields))


@pytest.fixture
def journal():
    return Lines()


def test_a_loader_is_known_by_what_it_was_given_and_may_go():
    loader = Loader()
    record = LoaderRecord(loader, 4)
    assert (record.number, record.num_workers, record.persistent_workers, record.prefetch) == (4, 3, True, 2)
    assert record.where[0] == __file__ and record.loader.num_workers == 3
    del loader
    gc.collect()
    assert record.loader is None and record.num_workers == 3


def test_a_record_is_written_only_when_it_has_changed(journal):
    record = LoaderRecord(Loader(), 4)
    record.write(journal, 0)
    record.write(journal, 0)
    record.trained_epoch = 1
    record.worker_pids += range(900)
    record.write(journal, 0)
    assert len(journal) == 2
    kind, fields = journal[1]
    assert (kind, fields["number"], fields["workers"], fields["trained"]) == ("loader", 4, 3, True)
    assert fields["worker_pids"] == list(range(400, 900)) and fields["pid"] == os.getpid()


def test_the_times_of_its_workers_or_its_own_without_any(monkeypatch):
    times = {(1,): (1.0, 0.1), (2, 3): (5.0, 0.5)}
    monkeypatch.setattr(records.os, "getpid", lambda: 1)
    monkeypatch.setattr(records, "measure_cpu_times", lambda pids: times.get(tuple(pids)))
    monkeypatch.setattr(records.time, "perf_counter", lambda: 7.0)
    record = LoaderRecord(Loader(), 0)
    record.batch = 8
    record.read_cpu_times()
    record.workers = [2, 3]
    record.read_cpu_times()
    assert record.cpu_times == [(8, 7.0, (1.0, 0.1), (1.0, 0.1)), (8, 7.0, (5.0, 0.5), (1.0, 0.1))]
    record.workers = [4]
    record.read_cpu_times()
    assert len(record.cpu_times) == 2, "one of them has ended"


@pytest.mark.slow
def test_the_largest_batch_and_the_number_of_batches():
    torch = pytest.importorskip("torch")
    record = LoaderRecord(Loader(), 0)
    for size in (2, 8, 4):
        record.measure({"x": torch.zeros(size), "y": [torch.zeros(1, dtype=torch.int64)]})
    assert (record.batch_bytes, record.batch_tensors) == (8 * 4 + 8, 2)
    data = torch.utils.data.TensorDataset(torch.zeros(10))
    assert records.batches_of(torch.utils.data.DataLoader(data, batch_size=3)) == 4
    assert records.batches_of(torch.utils.data.DataLoader(data, batch_size=3, drop_last=True)) == 3

    class Own(torch.utils.data.Sampler):
        def __iter__(self):
            return iter(range(10))

        def __len__(self):
            raise AssertionError("code of the user's")

    assert records.batches_of(torch.utils.data.DataLoader(data, sampler=Own())) == 0
    assert records.batches_of(torch.utils.data.DataLoader(data, batch_size=None)) == 0
