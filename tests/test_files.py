"""The lock around a folder that dpkb writes in."""

import fcntl
import os
import threading

import pytest

from dpkb import files
from dpkb.errors import Stopped


def test_whoever_locks_the_folder_itself_keeps_nobody_out(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_LOCK_SECONDS", 0.2)
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with files.alone_in(tmp_path):
        pass
    os.close(handle)


def test_one_at_a_time_and_not_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_LOCK_SECONDS", 0.2)
    with files.alone_in(tmp_path):
        with pytest.raises(OSError, match="another dpkb"), files.alone_in(tmp_path):
            pass
        with files.alone_in(tmp_path / "below"):
            pass
    with files.alone_in(tmp_path):
        pass


def test_waiting_ends_when_it_is_stopped(tmp_path):
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    with files.alone_in(tmp_path), pytest.raises(Stopped), files.alone_in(tmp_path, stop):
        pass


def test_without_a_place_for_locks_nothing_is_locked(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("DPKB_STATE_DIR", str(tmp_path / "file"))
    with files.alone_in(tmp_path / "folder"), files.alone_in(tmp_path / "folder"):
        assert (tmp_path / "folder").is_dir()
