"""The limits of this machine, read from files that the test writes."""

import resource

import pytest

from dpkb.audit.machine import read_machine


def write_files(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


@pytest.mark.parametrize(
    "files",
    [
        {"memory.max": "1048576", "cpu.max": "50000 100000"},
        {"memory/memory.limit_in_bytes": "1048576", "cpu.max": "50000 100000"},
    ],
)
def test_limits_of_a_container(tmp_path, files):
    write_files(tmp_path / "sys/fs/cgroup", files)
    machine = read_machine("3.11.7", None, tmp_path)
    assert (machine.memory_limit, machine.usable_cores, machine.shm_bytes) == (1 << 20, 0.5, None)


@pytest.mark.parametrize(
    ("own", "files", "limits"),
    [
        (
            "/job/step",
            {
                "job/memory.max": "2097152",
                "job/step/memory.max": "1048576",
                "job/step/cpu.max": "50000 100000",
            },
            (1 << 20, 0.5),
        ),
        (
            "/job/step",
            {
                "job/memory.max": "1048576",
                "job/step/memory.max": "max",
                "job/cpu.max": "25000 100000",
                "job/step/cpu.max": "max 100000",
            },
            (1 << 20, 0.25),
        ),
        ("/", {"memory.max": "1048576", "cpu.max": "50000 100000"}, (1 << 20, 0.5)),
        ("/../other", {"memory.max": "1048576", "cpu.max": "50000 100000"}, (1 << 20, 0.5)),
    ],
)
def test_limits_of_a_batch_job_and_of_the_groups_above_it(tmp_path, own, files, limits):
    write_files(tmp_path / "sys/fs/cgroup", files)
    write_files(tmp_path / "proc/self", {"cgroup": f"4:memory:/old\n0::{own}"})
    machine = read_machine("3.11.7", None, tmp_path)
    assert (machine.memory_limit, machine.usable_cores) == limits


def test_no_limits(tmp_path):
    (tmp_path / "dev/shm").mkdir(parents=True)
    machine = read_machine("3.11.7", None, tmp_path)
    assert machine.shm_bytes >= machine.shm_free_bytes > 0
    assert machine.memory_limit is None and 1 <= machine.usable_cores <= machine.cores


@pytest.mark.parametrize(("limit", "open_files"), [(resource.RLIM_INFINITY, None), (256, 256)])
def test_an_unlimited_number_of_open_files(monkeypatch, tmp_path, limit, open_files):
    monkeypatch.setattr("resource.getrlimit", lambda _: (limit, resource.RLIM_INFINITY))
    assert read_machine("3.11.7", None, tmp_path).open_files == open_files
