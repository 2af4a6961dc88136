"""Files that are read with a limit, written in one step, and locked between processes."""

import contextlib
import os
import stat
import threading

import pytest

from dpkb import files
from dpkb.errors import Stopped


def test_a_disk_has_a_size_and_at_most_as_much_free_space(tmp_path):
    size, free = files.measure_disk(tmp_path)
    assert size >= free > 0
    assert files.measure_disk(tmp_path / "missing") == (None, None)


def test_a_file_is_read_up_to_its_limit(tmp_path):
    (tmp_path / "file").write_bytes(b"12345")
    assert files.read_bytes(tmp_path / "file", 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes"):
        files.read_bytes(tmp_path / "file", 4)


def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        files.open_regular(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("target", "outside"), [("inside/file", False), ("file", True), ("nothing", True), ("inside/link", True)]
)
def test_a_link_leads_outside_if_its_end_is_elsewhere_or_missing(tmp_path, target, outside):
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/file").touch()
    (tmp_path / "file").touch()
    link = tmp_path / "inside/link"
    link.symlink_to(tmp_path / target)
    assert files.leads_outside(link, (tmp_path / "inside").resolve()) is outside


def test_a_writer_removes_only_old_temporary_files_of_the_same_file(tmp_path):
    old, recent, other = (tmp_path / name for name in (".file.a.tmp", ".file.b.tmp", ".other.a.tmp"))
    for path in (old, recent, other):
        path.touch()
    for path in (old, other):
        os.utime(path, (1, 1))
    files.write_text(tmp_path / "file", "text")
    assert set(tmp_path.iterdir()) == {tmp_path / "file", recent, other}


def test_a_second_lock_waits_until_the_first_is_released(tmp_path):
    first = contextlib.ExitStack()
    first.enter_context(files.exclusive_lock(tmp_path))
    released = threading.Event()

    def release():
        released.set()
        first.close()

    threading.Timer(0.2, release).start()
    with files.exclusive_lock(tmp_path):
        assert released.is_set()


def test_a_wait_for_a_lock_ends_with_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.2)
    with (
        files.exclusive_lock(tmp_path),
        pytest.raises(OSError, match="another dpkb"),
        files.exclusive_lock(tmp_path),
    ):
        pass


def test_locks_on_two_folders_are_independent(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.2)
    with files.exclusive_lock(tmp_path), files.exclusive_lock(tmp_path / "below"):
        pass


def test_a_request_to_stop_ends_the_wait_for_a_lock(tmp_path):
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    with files.exclusive_lock(tmp_path), pytest.raises(Stopped), files.exclusive_lock(tmp_path, stop):
        pass


def test_a_file_that_can_be_written_is_not_touched(tmp_path):
    old, link = tmp_path / "old", tmp_path / "link"
    old.write_text("kept")
    link.symlink_to(old)
    before = old.stat()
    for path in (old, link, tmp_path / "new", tmp_path / "folder" / "new", tmp_path / "/dev/null"):
        files.require_writable(path)
    assert old.read_text() == "kept" and old.stat().st_mtime_ns == before.st_mtime_ns
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "link", "old"]


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("folder", "Is a directory"),
        ("file/below", "File exists"),
        ("loop", "Too many levels of symbolic links"),
        ("/proc/nothing", "No such file or directory|Permission denied"),
    ],
)
def test_a_path_that_cannot_be_written_is_refused_before_anything_is_written(tmp_path, place, why):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match=why):
        files.require_writable(tmp_path / place)


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_text_file_has_the_permissions_that_the_umask_allows(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        files.write_text(tmp_path / "file", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == mode
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_is_refused_before_anything_is_written(tmp_path):
    (tmp_path / "file").touch(mode=0o400)
    with pytest.raises(OSError, match="Permission"):
        files.require_writable(tmp_path / "file")
