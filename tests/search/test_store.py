"""The search index keeps up with a catalogue that changes while it is read."""

import os

import pytest
from support import write_catalogue

from dpkb.catalogue import load as loading
from dpkb.search import store


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DPKB_CACHE_DIR", str(tmp_path / "cache"))
    return write_catalogue(write_catalogue(tmp_path / "made"), "ZZ2")


def ids_found(folder):
    return {hit.id for hit in store.find([folder], "failure made for a test", 5).hits}


def test_a_file_that_vanishes_after_it_was_listed_is_left_out(folder, monkeypatch):
    stat = store._stat

    def vanishing(file):
        if file.name.startswith("zz2_made.md") and os.path.exists(file.path):
            os.unlink(file.path)
        return stat(file)

    monkeypatch.setattr(store, "_stat", vanishing)
    assert ids_found(folder) == {"ZZ1"}


def test_a_file_that_vanishes_before_it_is_read_makes_the_catalogue_be_read_again(folder, monkeypatch):
    entry_files, times = loading.entry_files, []

    def vanishing(kb):
        paths = entry_files(kb)
        times.append(len(paths))
        if len(times) == 1:
            (kb / "kb/zz2_made.md").unlink()
        return paths

    monkeypatch.setattr(loading, "entry_files", vanishing)
    answer = store.find([folder], "failure made for a test", 5)
    assert {hit.id for hit in answer.hits} == {"ZZ1"} and answer.unreadable == 0
    assert times == [2, 1]


def test_a_large_catalogue_is_compared_file_by_file_once_a_minute(folder, monkeypatch):
    monkeypatch.setattr(store, "_MANY_FILES", 1)
    assert ids_found(folder) == {"ZZ1", "ZZ2"}
    looks, state = [], store._state
    monkeypatch.setattr(store, "_state", lambda folders: looks.append(1) or state(folders))
    ids_found(folder)
    assert not looks
    (index,) = (folder.parent / "cache").glob("index-*.sqlite")
    os.utime(index, (1, 1))
    ids_found(folder)
    ids_found(folder)
    assert len(looks) == 1 and index.with_suffix(".looked").exists()
    assert index.stat().st_mtime == 1
