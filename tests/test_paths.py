"""Where the catalogues are, and where dpkb keeps its own files."""

from pathlib import Path

import pytest

from dpkb import paths
from dpkb.errors import UsageError
from dpkb.paths import (
    find_built_in_catalogue,
    find_cache_folder,
    find_catalogue_folders,
    find_nearest_team_catalogue,
    find_state_folder,
    find_working_folder,
    is_entry_file,
)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with a team's catalogue, and a folder deep in it that dpkb is started in."""
    below = tmp_path / "project" / "src" / "deep"
    below.mkdir(parents=True)
    (tmp_path / "project" / ".dpkb" / "kb").mkdir(parents=True)
    monkeypatch.chdir(below)
    return tmp_path.resolve() / "project"


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("dp1_x.md", True), ("_template.md", False), (".dp1.md", False), ("dp1.search.yaml", False)],
)
def test_the_name_of_an_entry(name, is_one):
    assert is_entry_file(name) is is_one


def test_the_built_in_catalogue_comes_first_then_the_teams_then_those_that_are_named(project, tmp_path):
    (tmp_path / "added" / "kb").mkdir(parents=True)
    assert find_catalogue_folders([tmp_path / "added"]) == [
        find_built_in_catalogue(),
        project / ".dpkb",
        tmp_path.resolve() / "added",
    ]
    assert find_catalogue_folders([project / ".dpkb", find_built_in_catalogue()]) == [
        find_built_in_catalogue(),
        project / ".dpkb",
    ], "each once"


def test_the_nearest_team_catalogue_counts(project):
    (project / "src" / ".dpkb").mkdir()
    assert find_nearest_team_catalogue(Path.cwd()) == project / ".dpkb", "one without a kb/ is none"
    (project / "src" / ".dpkb" / "kb").mkdir()
    assert find_nearest_team_catalogue(Path.cwd()) == project / "src" / ".dpkb"


def test_a_folder_that_is_not_a_catalogue_is_named(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match="has no kb/ folder"):
        find_catalogue_folders([tmp_path])
    with pytest.raises(UsageError, match="is not a catalogue"):
        find_catalogue_folders([tmp_path / "loop"])


def test_a_working_folder_that_is_gone(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert find_working_folder() is None and find_catalogue_folders() == [find_built_in_catalogue()]


@pytest.mark.parametrize(
    ("folder", "own", "xdg", "below_home"),
    [
        (find_cache_folder, "DPKB_CACHE_DIR", "XDG_CACHE_HOME", ".cache"),
        (find_state_folder, "DPKB_STATE_DIR", "XDG_STATE_HOME", ".local/state"),
    ],
)
def test_the_folders_of_the_cache_and_the_state(monkeypatch, folder, own, xdg, below_home):
    monkeypatch.setattr(paths.sys, "platform", "linux")
    monkeypatch.setenv(own, "/own")
    monkeypatch.setenv(xdg, "/xdg")
    monkeypatch.setenv("HOME", "/home/me")
    assert folder() == Path("/own")
    monkeypatch.setenv(own, "")
    assert folder() == Path("/xdg/dpkb")
    monkeypatch.setenv(xdg, "relative")
    assert folder() == Path("/home/me", below_home, "dpkb")
    monkeypatch.setattr(paths.sys, "platform", "darwin")
    assert folder().parts[:4] == ("/", "home", "me", "Library")
    for nowhere in ("", "/"):
        monkeypatch.setenv("HOME", nowhere)
        assert folder() is None


def test_windows_has_a_folder_of_its_own(monkeypatch):
    monkeypatch.delenv("DPKB_CACHE_DIR", raising=False)
    monkeypatch.setattr(paths.sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert find_cache_folder() == Path("/local/dpkb")
