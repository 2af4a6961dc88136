"""python -m tools.site as a command: the pages of a catalogue, or the reason why there are none."""

import sys

import pytest
from support import write_catalogue

from tools.site import __main__ as command


@pytest.fixture
def run(tmp_path, monkeypatch):
    """run(word, ...) runs the command in a folder where only the named catalogue counts."""

    def run(*words):
        monkeypatch.setattr("dpkb.paths.find_built_in_catalogue", lambda: tmp_path / "own")
        monkeypatch.setattr(sys, "argv", ["tools.site", *map(str, words)])
        command.main()

    write_catalogue(tmp_path / "own")
    return run


def test_the_pages_of_a_catalogue_are_written(run, tmp_path, capsys):
    run("--out", tmp_path / "pages")
    assert (tmp_path / "pages/entries/zz1.md").is_file()
    assert capsys.readouterr().err == f"1 entries written to {tmp_path / 'pages'}\n"


def test_nothing_is_written_for_a_catalogue_with_problems(run, tmp_path):
    added = write_catalogue(tmp_path / "added", "ZZ2")
    next((added / "reproducers").glob("*/fixed.py")).unlink()
    with pytest.raises(SystemExit, match=r"fixed[^\n]*\nno page was written"):
        run("--out", tmp_path / "pages", "--kb", added)
    assert not (tmp_path / "pages").exists()


def test_a_place_that_is_no_folder_is_refused(run, tmp_path, capsys):
    (tmp_path / "log").touch()
    with pytest.raises(SystemExit):
        run("--out", tmp_path / "log")
    assert "log is a file" in capsys.readouterr().err
