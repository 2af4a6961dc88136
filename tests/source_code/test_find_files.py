"""Which files are found below a folder."""

import os
import shutil

import pytest

from dpkb.errors import DpkbError
from dpkb.source_code.find_files import find_files


@pytest.fixture
def project(tmp_path):
    """A folder with Python files, a notebook, and files that lint leaves out."""
    for name in (
        "b.py",
        "a.py",
        "deep/net.py",
        "deep/notes.ipynb",
        "README.md",
        ".git/x.py",
        "venv/x.py",
        "venv/pyvenv.cfg",
        "conda/x.py",
        "conda/conda-meta/history",
        "deep/site-packages/x.py",
        "build/x.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"cells": []}' if name.endswith(".ipynb") else "")
    return tmp_path


def names(folder, paths):
    return [path.relative_to(folder).as_posix() for path in paths]


def test_python_files_and_notebooks_are_listed_in_order_without_skipped_folders(project):
    assert names(project, find_files([project])) == ["a.py", "b.py", "deep/net.py", "deep/notes.ipynb"]


@pytest.mark.parametrize("name", ["env", "venv"])
def test_a_folder_with_the_name_of_an_environment_may_have_code_of_the_program(tmp_path, name):
    """In reinforcement learning, `env` often has the program's simulators."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "maze.py").write_text("")
    assert names(tmp_path, find_files([tmp_path])) == [f"{name}/maze.py"]


def test_a_path_on_the_command_line_is_never_skipped(project):
    asked = [project / "README.md", project / "venv", project / "a.py"]
    assert names(project, find_files(asked)) == ["README.md", "venv/x.py", "a.py"]
    with pytest.raises(DpkbError, match=r"missing\.py: there is no such file or folder"):
        list(find_files([project / "a.py", project / "missing.py"]))


def test_links_are_followed_but_not_in_circles(project):
    os.symlink(project, project / "deep" / "again")
    os.symlink(project / "a.py", project / "deep" / "link.py")
    os.symlink("nowhere.py", project / "deep" / "broken.py")
    assert names(project, find_files([project])) == [
        "a.py",
        "b.py",
        "deep/link.py",
        "deep/net.py",
        "deep/notes.ipynb",
    ]


def test_a_folder_that_is_removed_meanwhile_is_unreadable(project, monkeypatch):
    def remove_after_listing(*arguments, **more):
        for folder, folders, files in walk(*arguments, **more):
            if os.path.basename(folder) == "deep":
                shutil.rmtree(folder)
            yield folder, folders, files

    walk = os.walk
    monkeypatch.setattr(os, "walk", remove_after_listing)
    unreadable = {}
    assert names(project, find_files([project], unreadable)) == ["a.py", "b.py"]
    assert unreadable == {str(project / "deep"): "cannot be read: No such file or directory"}
