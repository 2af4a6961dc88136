"""The limits of a running script, measured by a clock that the test moves."""

import contextlib
import errno
import mmap
import os
import sys
from types import SimpleNamespace

import psutil
import pytest

from dpkb.run_records import ExceededLimit, Limit
from dpkb.runner.limits import (
    LimitGuard,
    Limits,
    _add_sizes,
    measure_proportional_memory,
    measure_resident_memory,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="measured by /proc")
ROOMY = Limits(memory_bytes=1 << 50)


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("dpkb.runner.limits.time", SimpleNamespace(monotonic=lambda: now[0]))

    def passes(seconds):
        now[0] += seconds

    return passes


@pytest.fixture
def measured(clock, tmp_path, monkeypatch):
    """measured(limits, ...) -> what a guard of this process says when it looks for the second time."""
    folder = tmp_path / "run"
    folder.mkdir()

    def measure(limits, processes=0, memory=0, write=lambda folder: None):
        monkeypatch.setattr("dpkb.runner.limits.find_descendants", lambda pid: [pid] * processes)
        monkeypatch.setattr("dpkb.runner.limits.measure_resident_memory", lambda pid: memory)
        monkeypatch.setattr("dpkb.runner.limits.measure_proportional_memory", lambda pid: memory)
        one = LimitGuard(limits, [folder])
        write(folder)
        assert one.find_exceeded_limit(os.getpid()) is None, "it is not yet time to measure"
        clock(1)
        return one.find_exceeded_limit(os.getpid())

    return measure


def test_a_script_within_its_limits_exceeds_none(measured):
    assert measured(ROOMY, processes=ROOMY.processes) is None


def test_too_many_processes_exceed_a_limit(measured):
    assert measured(Limits(processes=3), processes=4) == ExceededLimit(
        Limit.PROCESSES, "more than 3 processes"
    )


def test_the_memory_of_all_processes_is_added_up(measured):
    limits = Limits(memory_bytes=1 << 20)
    assert measured(limits, processes=1, memory=1 << 19) is None
    assert measured(limits, processes=2, memory=1 << 19) == ExceededLimit(
        Limit.MEMORY, "more than 0.000977 GiB of memory"
    )


def test_memory_that_forks_share_counts_once(clock, tmp_path, monkeypatch):
    monkeypatch.setattr("dpkb.runner.limits.find_descendants", lambda pid: [pid] * 9)
    monkeypatch.setattr("dpkb.runner.limits.measure_resident_memory", lambda pid: 200 << 10)
    monkeypatch.setattr("dpkb.runner.limits.measure_proportional_memory", lambda pid: each)
    one = LimitGuard(Limits(memory_bytes=1000 << 10), [tmp_path])
    each = 90 << 10
    clock(1)
    assert one.find_exceeded_limit(os.getpid()) is None
    each = 110 << 10
    clock(1)
    assert one.find_exceeded_limit(os.getpid()) == ExceededLimit(
        Limit.MEMORY, "more than 0.000954 GiB of memory"
    )


def test_too_many_files_or_bytes_on_disk_exceed_a_limit(measured):
    def many(folder):
        for number in range(4):
            (folder / str(number)).touch()

    def large(folder):
        (folder / "below").mkdir()
        (folder / "below" / "x").write_bytes(b"x" * (1 << 20))

    files = measured(Limits(files=3), write=many)
    assert files.limit is Limit.FILES
    assert files.words.startswith("more than 3 files in its temporary folder")
    assert measured(Limits(disk_bytes=1 << 19), write=large) == ExceededLimit(
        Limit.DISK, "more than 0.000488 GiB written to its temporary folder"
    )


def test_a_file_that_is_deleted_meanwhile_does_not_hide_the_others(measured, monkeypatch):
    def three(folder):
        for number in range(3):
            (folder / str(number)).touch()

    def scan_and_delete(folder):
        with real(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        if entries:
            os.unlink(entries[0].path)
        return contextlib.nullcontext(entries)

    real = os.scandir
    monkeypatch.setattr("dpkb.runner.limits.os.scandir", scan_and_delete)
    assert measured(Limits(files=1), write=three).limit is Limit.FILES


def test_a_folder_that_is_closed_to_dpkb_exceeds_the_limit_of_files(measured, monkeypatch):
    def refuse(folder):
        raise PermissionError(errno.EACCES, "Permission denied", folder)

    monkeypatch.setattr("dpkb.runner.limits.os.scandir", refuse)
    assert measured(Limits(files=3)).limit is Limit.FILES


def test_the_holes_of_a_sparse_file_do_not_count(measured):
    def sparse(folder):
        with (folder / "x").open("wb") as file:
            file.truncate(1 << 30)

    assert measured(Limits(disk_bytes=1 << 20), write=sparse) is None


def test_a_deleted_file_counts_while_it_is_open(measured, tmp_path, monkeypatch):
    """It is in no folder, and the free space says nothing: others may free as much."""
    monkeypatch.setattr("dpkb.runner.limits.measure_disk", lambda folder: (1 << 40, 1 << 40))
    with (tmp_path / "x").open("wb") as file:
        file.write(b"x" * (1 << 20))
        file.flush()
        (tmp_path / "x").unlink()
        assert "written to its temporary folder" in measured(Limits(disk_bytes=1 << 19)).words


def test_the_guard_measures_a_few_times_a_second(clock, tmp_path, monkeypatch):
    looks = []
    monkeypatch.setattr("dpkb.runner.limits.find_descendants", lambda pid: [])
    monkeypatch.setattr("dpkb.runner.limits.measure_resident_memory", lambda pid: looks.append(pid) or 0)
    one = LimitGuard(Limits(), [tmp_path])
    for _ in range(100):
        clock(0.03)
        one.find_exceeded_limit(1)
    assert 10 <= len(looks) <= 15


def test_the_limit_leaves_the_machine_some_memory(monkeypatch):
    for available, limit in ((4 << 30, 3 << 30), (100 << 30, 8 << 30), (0, 1 << 30)):
        monkeypatch.setattr(psutil, "virtual_memory", lambda free=available: SimpleNamespace(available=free))
        assert Limits().memory_here == limit


def test_a_process_has_its_private_and_its_shared_memory_and_an_ended_one_has_none():
    before = measure_resident_memory(os.getpid())
    with mmap.mmap(-1, 1 << 20) as mapping:  # anonymous and shared with forks
        mapping.write(b"x" * (1 << 20))
        assert measure_resident_memory(os.getpid()) - before >= 1 << 20
    assert measure_resident_memory(2**30) == measure_proportional_memory(2**30) == 0


def test_a_process_that_hides_its_proportions_counts_in_full(monkeypatch):
    sizes = {"/proc/7/status": 34}
    monkeypatch.setattr("dpkb.runner.limits._add_sizes", lambda path, *names: sizes.get(path))
    assert measure_proportional_memory(7) == 34
    sizes["/proc/7/smaps_rollup"] = 22
    assert measure_proportional_memory(7) == 22


def test_a_size_that_the_system_does_not_report_is_unknown(tmp_path):
    status = tmp_path / "status"
    status.write_text("Name:\tx\nRssAnon:\t  12 kB\nRssShmem:\t 4 kB\n")
    assert _add_sizes(str(status), "RssShmem:", "RssAnon:") == 16384
    assert _add_sizes(str(status), "RssAnon:", "RssFile:") is None
    assert _add_sizes(str(tmp_path / "missing"), "RssAnon:") is None
