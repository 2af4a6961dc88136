"""The probe runs no code of the current folder, and finds torch where the user's Python finds it."""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from support import ROOT

from dpkb.model import Needs, Outcome, Reproducer, parse_release
from dpkb.runner.interpreter import has_package, probe
from dpkb.runner.verify import reproduce

# As the `dpkb` command starts: -m would itself put the current folder on the path.
DPKB = f"import sys; sys.path[0] = {str(ROOT)!r}; from dpkb.cli.main import main; main()"
NAMES = (
    "json",
    "site",
    "re",
    "platform",
    "importlib",
    "torch",
    "torchvision",
    "sitecustomize",
    "evil",
    "venv",
    "numpy",
    "random",
    "typing",
)


@pytest.fixture
def trap(tmp_path):
    """A folder of modules that leave a file when they are imported: (the folder, that file)."""
    folder, ran = tmp_path / "trap", tmp_path / "ran"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write({name!r})\n")
    (folder / "python").write_text(f"#!/bin/sh\ntouch {ran}\n")
    (folder / "python").chmod(0o755)
    return folder, ran


@pytest.mark.parametrize(
    "command",
    [
        ["show", "DP15"],
        ["list", "--affects-me"],
        ["repro", "ZZ1"],
        ["repro", "ZZ1", "--torch", "0.1"],
        pytest.param(["verify", "ZZ1"], marks=pytest.mark.slow),
    ],
)
def test_no_file_of_the_current_folder_is_run(trap, catalogue, command, tmp_path):
    folder, ran = trap
    env = {
        **os.environ,
        "PATH": f".{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f".{os.pathsep}",
        "DPKB_CACHE_DIR": str(tmp_path / "cache"),
    }
    more = ["--kb", str(catalogue()), *(["--trust"] if "ZZ1" in command else [])]
    done = subprocess.run(
        [sys.executable, "-I", "-c", DPKB, *command, *more],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (2 if "--torch" in command else 0), done.stderr
    assert not ran.exists(), ran.read_text()


def test_a_package_that_a_script_says_is_missing_is_not_imported(trap, session_of, monkeypatch, tmp_path):
    folder, ran = trap
    monkeypatch.chdir(folder)
    path = tmp_path / "broken.py"
    path.write_text("print('SKIPPED evil is not installed')\nraise SystemExit(77)\n")
    for packages, outcome in ((("torch",), Outcome.INVALID), (("torch", "evil"), Outcome.SKIPPED)):
        needs = Needs(packages=packages, skips=("SKIPPED evil is not installed",))
        script = Reproducer("ZZ1", "broken", path, "", Outcome.WRONG_RESULT, source="", needs=needs)
        assert reproduce(script, session_of("program")).outcome is outcome
    assert not ran.exists()


@pytest.fixture
def bare_python():
    """The interpreter that the virtual environment of the tests was created from."""
    path = Path(sys.base_prefix, "bin", f"python3.{sys.version_info[1]}")
    if not path.exists() or probe(str(path), "cpu").torch:
        pytest.skip("needs an interpreter without torch")
    return str(path)


@pytest.fixture
def uncached():
    """No package is known yet. The answers of this test are forgotten even if the test fails."""
    has_package.cache_clear()
    yield
    has_package.cache_clear()


def write_torch(folder, version, with_metadata):
    """A package that is called torch."""
    (folder / "torch").mkdir(parents=True)
    (folder / "torch" / "__init__.py").write_text("raise SystemExit('it was imported')\n")
    (folder / "torch" / "version.py").write_text(f"__all__ = []\n__version__ = '{version}'\n")
    if with_metadata:
        metadata = folder / f"torch-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")


@pytest.mark.parametrize("with_metadata", [True, False])
def test_torch_is_found_on_the_python_path(bare_python, uncached, tmp_path, monkeypatch, with_metadata):
    write_torch(tmp_path / "lib", "1.2.3", with_metadata)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "lib"))
    assert probe(bare_python, "cpu").torch == "1.2.3"
    assert has_package(bare_python, "torch")
    # The same folder named relative to this one is not where scripts would find it.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "lib")
    assert probe(bare_python, "cpu").torch is None


def test_torch_is_found_in_the_users_site_packages(bare_python, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path))
    ask = [bare_python, "-c", "import site; print(site.getusersitepackages())"]
    folder = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    write_torch(Path(folder), "1.2.3", with_metadata=True)
    assert probe(bare_python, "cpu").torch == "1.2.3"
    monkeypatch.setenv("PYTHONNOUSERSITE", "1")
    assert probe(bare_python, "cpu").torch is None


@pytest.mark.slow
def test_probed_versions_are_the_versions_that_scripts_see():
    ask = "import torch, torchvision; print(torch.__version__, torchvision.__version__)"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    found = probe(None, "cpu")
    seen = [parse_release(text) for text in done.stdout.split()]
    assert seen == [parse_release(found.torch), parse_release(found.torchvision)]


@pytest.mark.skipif(os.name != "posix", reason="the other Python is a shell script")
def test_versions_are_those_of_the_python_that_was_named(tmp_path):
    answer = {**asdict(probe(None, "cpu")), "torch": "1.13.1"}
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho '{json.dumps(answer)}'\n")
    python.chmod(0o755)
    assert probe(str(python), "cpu").versions["torch"] == "1.13.1"


@pytest.mark.skipif(os.name != "posix", reason="the other Python is a shell script")
@pytest.mark.parametrize("name", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_the_torch_of_the_active_environment_is_used(bare_python, uncached, tmp_path, monkeypatch, name):
    """dpkb is installed in an environment of its own, and the project's environment is active."""
    answer = {**asdict(probe(None, "cpu")), "torch": "1.13.1"}
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f"#!/bin/sh\necho '{json.dumps(answer)}'\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bare_python))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for other in {"VIRTUAL_ENV", "CONDA_PREFIX"}:
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, str(tmp_path))
    found = probe(None, "cpu")
    assert (found.torch, found.executable) == ("1.13.1", str(python))
    # A Python that the user has named is the one that is asked.
    assert probe(str(bare_python), "cpu").torch is None
