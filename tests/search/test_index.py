"""The file of an index: opened to be read, and refused where it is none."""

import sqlite3

import pytest
from support import write_catalogue

from dpkb.catalogue.load import load
from dpkb.search.build import build
from dpkb.search.index import LAYOUT, StaleIndex, open_index


@pytest.fixture(scope="module")
def entries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("catalogue")
    for number in range(3):
        write_catalogue(folder, f"ZZ{number}")
    return list(load([folder]))


def test_the_file_has_the_layout_and_the_notes(entries, tmp_path):
    path = tmp_path / "cache" / "a?b#c%.sqlite"
    build(entries, {"unreadable": "3"}, path).close()
    connection, notes = open_index(path)
    assert (notes["layout"], notes["unreadable"]) == (str(LAYOUT), "3")
    assert "conda" in notes["off_topic"].split()
    assert connection.execute("SELECT COUNT(*) FROM entry").fetchone() == (3,)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM entry")
    connection.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("damage", [b"", b"no database" * 100, None])
def test_a_file_that_is_not_an_index_of_this_layout_is_stale(entries, tmp_path, monkeypatch, damage):
    path = tmp_path / "index.sqlite"
    with pytest.raises(StaleIndex):
        open_index(path)
    if damage is None:
        monkeypatch.setattr("dpkb.search.build.LAYOUT", LAYOUT - 1)
        with pytest.raises(StaleIndex):
            build(entries, {"unreadable": "0"}, path)
    else:
        path.write_bytes(damage)
    with pytest.raises(StaleIndex):
        open_index(path)
