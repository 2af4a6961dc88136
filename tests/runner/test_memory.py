"""The memory of processes and of the machine, as /proc reports it."""

import mmap
import os
import sys

import pytest

from dpkb.runner.memory import UnownedMemory, measure_proportional_memory, measure_resident_memory, read_sizes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="measured by /proc")


def test_a_process_has_private_and_shared_memory_and_an_ended_one_has_none():
    with mmap.mmap(-1, 1 << 20) as mapping:  # anonymous and shared with forks
        mapping.write(b"x" * (1 << 20))
        private, shared = measure_resident_memory(os.getpid())
    assert private > 1 << 20 and shared >= 1 << 20
    assert measure_resident_memory(2**30) == measure_proportional_memory(2**30) == (0, 0)


def test_a_process_that_hides_its_proportions_counts_in_full(monkeypatch):
    sizes = {"/proc/7/status": [30, 4]}
    monkeypatch.setattr("dpkb.runner.memory.read_sizes", lambda path, *names: sizes.get(path))
    assert measure_proportional_memory(7) == (30, 4)
    sizes["/proc/7/smaps_rollup"] = [20, 2]
    assert measure_proportional_memory(7) == (20, 2)


def test_unowned_memory_is_the_memory_that_the_machine_has_lost(monkeypatch):
    sizes = {
        "MemTotal:": 100,
        "MemAvailable:": 60,
        "AnonPages:": 30,
        "Shmem:": 5,
        "SUnreclaim:": 2,
        "PageTables:": 1,
    }
    monkeypatch.setattr("dpkb.runner.memory.read_sizes", lambda path, *names: [sizes[name] for name in names])
    unowned = UnownedMemory()
    assert unowned.measure_growth() == 0
    sizes.update({"MemAvailable:": 40, "Shmem:": 22})
    assert unowned.measure_growth() == 20, "what is gone from the machine, whatever it is"
    sizes.update({"MemAvailable:": 60, "Shmem:": 25})
    assert unowned.measure_growth() == 20, "what has been added to one kind"
    sizes.update({"MemAvailable:": 95, "Shmem:": 1})
    unowned.measure_growth()
    sizes.update({"MemAvailable:": 90, "Shmem:": 5})
    assert unowned.measure_growth() == 5, "other programs freed some: the least counts"


def test_a_size_that_the_system_does_not_report_is_unknown(tmp_path):
    status = tmp_path / "status"
    status.write_text("Name:\tx\nRssAnon:\t  12 kB\nRssShmem:\t 4 kB\n")
    assert read_sizes(str(status), "RssShmem:", "RssAnon:") == [4096, 12288]
    assert read_sizes(str(status), "RssAnon:", "RssFile:") is None
    assert read_sizes(str(tmp_path / "missing"), "RssAnon:") is None
