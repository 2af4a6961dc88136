"""The memory of processes, as /proc reports it."""

import mmap
import os
import sys

import pytest

from dpkb.runner.memory import _add_sizes, measure_proportional_memory, measure_resident_memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="measured by /proc")


def test_a_process_has_its_private_and_its_shared_memory_and_an_ended_one_has_none():
    before = measure_resident_memory(os.getpid())
    with mmap.mmap(-1, 1 << 20) as mapping:  # anonymous and shared with forks
        mapping.write(b"x" * (1 << 20))
        assert measure_resident_memory(os.getpid()) - before >= 1 << 20
    assert measure_resident_memory(2**30) == measure_proportional_memory(2**30) == 0


def test_a_process_that_hides_its_proportions_counts_in_full(monkeypatch):
    sizes = {"/proc/7/status": 34}
    monkeypatch.setattr("dpkb.runner.memory._add_sizes", lambda path, *names: sizes.get(path))
    assert measure_proportional_memory(7) == 34
    sizes["/proc/7/smaps_rollup"] = 22
    assert measure_proportional_memory(7) == 22


def test_a_size_that_the_system_does_not_report_is_unknown(tmp_path):
    status = tmp_path / "status"
    status.write_text("Name:\tx\nRssAnon:\t  12 kB\nRssShmem:\t 4 kB\n")
    assert _add_sizes(str(status), "RssShmem:", "RssAnon:") == 16384
    assert _add_sizes(str(status), "RssAnon:", "RssFile:") is None
    assert _add_sizes(str(tmp_path / "missing"), "RssAnon:") is None
