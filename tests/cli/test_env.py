"""dpkb env: the environments that --torch has installed."""

import json

import pytest


@pytest.fixture
def installed(tmp_path):
    """The variables of a cache folder with two environments, one of which is not complete."""
    for version, names in (("2.4.1", ("complete", "data")), ("1.13.1", ("data",))):
        folder = tmp_path / "cache" / "environments" / f"torch-{version}"
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).write_bytes(b"x" * 1000)
    return {"DPKB_CACHE_DIR": str(tmp_path / "cache")}


def test_list_has_the_complete_environments(dpkb_in_process, installed, tmp_path):
    done = dpkb_in_process("env", "list", env=installed)
    folder = tmp_path / "cache/environments/torch-2.4.1"
    assert done.returncode == 0 and done.stdout.splitlines() == [f"torch 2.4.1      0.0 GiB  {folder}"]
    document = json.loads(dpkb_in_process("env", "list", "--json", env=installed).stdout)
    (environment,) = document["environments"]
    assert environment["torch"] == "2.4.1" and environment["folder"] == str(folder)
    assert environment["bytes"] >= 1000


def test_a_folder_without_a_version_is_no_environment(dpkb_in_process, installed, tmp_path):
    folder = tmp_path / "cache/environments/torch-old"
    folder.mkdir()
    (folder / "complete").touch()
    done = dpkb_in_process("env", "list", env=installed)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stderr


def test_without_environments_list_says_how_to_install_one(dpkb_in_process, tmp_path):
    done = dpkb_in_process("env", "list", env={"DPKB_CACHE_DIR": str(tmp_path / "cache")})
    assert (done.returncode, done.stdout) == (0, "") and "--torch VERSION" in done.stderr
    document = dpkb_in_process("env", "list", "--json", env={"DPKB_CACHE_DIR": str(tmp_path / "cache")})
    assert json.loads(document.stdout) == {"version": 1, "environments": []}


def test_removing_an_environment_that_is_not_there_names_those_that_are(dpkb_in_process, installed, tmp_path):
    done = dpkb_in_process("env", "remove", "9.9", env=installed)
    assert done.returncode == 2 and done.stderr.splitlines() == [
        "dpkb: there is no environment for torch 9.9; name one of these: 2.4.1 "
        "(`dpkb env list` shows their sizes)"
    ]
    done = dpkb_in_process("env", "remove", "9.9", env={"DPKB_CACHE_DIR": str(tmp_path / "empty")})
    assert done.returncode == 2 and "none is installed, so there is nothing to remove" in done.stderr


def test_a_removed_environment_is_gone(dpkb_in_process, installed, tmp_path):
    done = dpkb_in_process("env", "remove", "2.4.1", env=installed)
    assert done.returncode == 0 and done.stdout.startswith("removed the environment for torch 2.4.1; 0.0 GiB")
    assert not (tmp_path / "cache/environments/torch-2.4.1").exists()
