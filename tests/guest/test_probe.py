"""The packages of an interpreter: their places, versions and bytecode."""

import importlib.util
import os
import sys

import pytest

from dpkb.guest import probe


@pytest.fixture
def package(tmp_path):
    """package(version, metadata=...) -> the folder in which a package `thing` is installed."""

    def write(version="1.2.3", metadata="1.2.3+cpu"):
        (tmp_path / "thing").mkdir()
        (tmp_path / "thing" / "__init__.py").write_text("raise SystemExit('it was imported')\n")
        if version:
            (tmp_path / "thing" / "version.py").write_text(f"import os\n__version__ = '{version}'\n")
        if metadata is not None:
            info = tmp_path / "thing-1.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: thing\n{metadata}\n")
        return [str(tmp_path)]

    return write


@pytest.mark.parametrize(
    ("version", "metadata", "found"),
    [
        ("1.2.3", "Version: 1.2.3+cpu", "1.2.3+cpu"),
        ("1.2.3", None, "1.2.3"),
        ("1.2.3", "", "1.2.3"),
        (None, None, None),
        (None, "Version: 4", "4"),
    ],
)
def test_a_version_is_read_without_an_import(package, version, metadata, found):
    path = package(version, metadata)
    assert probe.find_version("thing", path) == found
    assert probe.find_file("thing", path) == os.path.join(path[0], "thing", "__init__.py")


def test_a_package_that_is_not_installed_has_no_file_and_no_version(tmp_path):
    path = [str(tmp_path)]
    assert probe.find_file("thing", path) is None and probe.find_version("thing", path) is None
    assert probe.find_bytecode("thing", path) == (True, True), "there is nothing to be compiled"


def test_bytecode_exists_or_can_be_stored(package, monkeypatch):
    path = package()
    monkeypatch.setattr(sys, "pycache_prefix", sys.pycache_prefix)
    for name in ("PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE"):
        monkeypatch.delenv(name, raising=False)
    assert probe.find_bytecode("thing", path) == (True, False)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert probe.find_bytecode("thing", path) == (False, False)
    cached = importlib.util.cache_from_source(probe.find_file("thing", path))
    os.makedirs(os.path.dirname(cached))
    open(cached, "w").close()
    assert probe.find_bytecode("thing", path) == (True, True)


def test_packages_are_looked_for_where_the_interpreter_looks(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", ["/lib/python3.11", "/env/site-packages"])
    monkeypatch.setattr(probe.site, "getusersitepackages", lambda: "/home/me/site-packages")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["/mine", "relative", ""]))
    monkeypatch.delenv("PYTHONNOUSERSITE", raising=False)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert probe.search_path() == ["/lib/python3.11", "/mine", "/home/me/site-packages", "/env/site-packages"]
    (tmp_path / "pyvenv.cfg").write_text("home = /usr\ninclude-system-site-packages = false\n")
    assert probe.search_path() == ["/lib/python3.11", "/mine", "/env/site-packages"]
    (tmp_path / "pyvenv.cfg").write_text("include-system-site-packages = true\n")
    assert probe.sees_user_site()
    monkeypatch.setenv("PYTHONNOUSERSITE", "1")
    assert not probe.sees_user_site()
