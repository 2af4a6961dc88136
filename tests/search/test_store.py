"""The search index keeps up with a catalogue that changes while it is read."""

import contextlib
import multiprocessing
import os
import sqlite3
from concurrent.futures import ProcessPoolExecutor

import pytest
from support import MESSAGES, write_catalogue

from dpkb.catalogue import load as loading
from dpkb.paths import is_entry_file
from dpkb.search import store


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DPKB_CACHE_DIR", str(tmp_path / "cache"))
    return write_catalogue(write_catalogue(tmp_path / "catalogue"), "ZZ2")


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A catalogue of one entry, and an empty folder for its index."""
    monkeypatch.setenv("DPKB_CACHE_DIR", str(tmp_path / "cache"))
    return write_catalogue(tmp_path / "catalogue")


def ids_found(folder, question="failure made for a test"):
    return {hit.id for hit in store.find_entries([folder], question, 5).hits}


def test_a_file_that_vanishes_after_it_was_listed_is_left_out(folder, monkeypatch):
    def vanishing(name):
        if name == "zz2_made.md":
            (folder / "kb" / name).unlink(missing_ok=True)
        return is_entry_file(name)

    monkeypatch.setattr(store, "is_entry_file", vanishing)
    assert ids_found(folder) == {"ZZ1"}


def test_the_catalogue_is_read_again_if_a_file_vanishes_before_it_is_read(folder, monkeypatch):
    entry_files, times = loading.list_entry_files, []

    def vanishing(kb):
        paths = entry_files(kb)
        times.append(len(paths))
        if len(times) == 1:
            (kb / "kb/zz2_made.md").unlink()
        return paths

    monkeypatch.setattr(loading, "list_entry_files", vanishing)
    answer = store.find_entries([folder], "failure made for a test", 5)
    assert {hit.id for hit in answer.hits} == {"ZZ1"} and answer.unreadable_count == 0
    assert times == [2, 1]


@pytest.mark.parametrize("question", ["failure \udcff made for a test", "\ud800 failure made for a test"])
def test_a_question_may_have_bytes_that_are_not_utf8(folder, question):
    assert ids_found(folder, question) == {"ZZ1", "ZZ2"}
    assert ids_found(folder, "\udcff") == set()


def test_a_change_is_seen_at_once(small):
    assert ids_found(small) == {"ZZ1"}
    path, words = small / "kb" / "zz1_made.md", small / "kb" / "zz1_made.search.yaml"
    words.write_text(words.read_text().replace("[one,", "[flibbertigibbet,"))
    assert ids_found(small, "flibbertigibbet") == {"ZZ1"}
    message = "RuntimeError: layer of width 9 got 8, a failure made for a test"
    before = store.find_entries([small], message, 5).hits[0].score  # by its words
    (small / "kb" / "zz1_made.messages.yaml").write_text(MESSAGES)
    assert store.find_entries([small], message, 5).hits[0].score > 1.1 * before
    write_catalogue(small, entry_id="ZZ2")
    assert ids_found(small) == {"ZZ1", "ZZ2"}
    path.unlink()
    assert ids_found(small) == {"ZZ2"}


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 100, None])
def test_a_damaged_index_is_built_again(small, tmp_path, damage):
    ids_found(small)
    (index,) = (tmp_path / "cache").glob("index-*.sqlite")
    whole = index.read_bytes()
    index.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    for _ in range(2):
        assert ids_found(small) == {"ZZ1"}
    assert index.stat().st_size > len(whole) // 2


@pytest.mark.parametrize("change", ["UPDATE entry SET title = NULL", "DELETE FROM term", "DROP TABLE line"])
def test_an_index_that_was_changed_by_hand_is_built_again(small, tmp_path, change):
    ids_found(small)
    (index,) = (tmp_path / "cache").glob("index-*.sqlite")
    with contextlib.closing(sqlite3.connect(index)) as connection:
        connection.execute(change)
        connection.commit()
    changed = index.read_bytes()
    assert ids_found(small) == {"ZZ1"} and index.read_bytes() != changed
    built = index.stat().st_ino
    assert ids_found(small) == {"ZZ1"} and index.stat().st_ino == built


def test_every_index_is_closed_after_a_search(small, tmp_path, monkeypatch):
    opened = []

    def connect(*args, **options):
        opened.append(sqlite3_connect(*args, **options))
        return opened[-1]

    sqlite3_connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", connect)
    ids_found(small)
    ids_found(small)
    write_catalogue(small, entry_id="ZZ2")  # so that the index is out of date
    ids_found(small)
    (index,) = (tmp_path / "cache").glob("index-*.sqlite")
    with sqlite3.connect(index) as damaged:
        damaged.execute("DROP TABLE line")
    damaged.close()
    ids_found(small)
    monkeypatch.setenv("DPKB_CACHE_DIR", "/proc/nowhere")
    ids_found(small)
    assert len(opened) >= 9
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def test_a_search_works_without_a_place_to_keep_the_index(small, tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    for cache in (blocked, "/proc/nowhere"):
        monkeypatch.setenv("DPKB_CACHE_DIR", str(cache))
        assert ids_found(small) == {"ZZ1"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_many_searches_at_once_build_one_index(small, tmp_path):
    with ProcessPoolExecutor(6, multiprocessing.get_context("fork")) as pool:
        assert list(pool.map(ids_found, [small] * 6)) == [{"ZZ1"}] * 6
    assert len(list((tmp_path / "cache").iterdir())) == 1
