"""The wheel carries the catalogue and works from an empty folder; installing it touches no torch."""

import json
import os
import subprocess
import sys
import zipfile
from email.parser import Parser

import pytest
from support import ROOT

pytestmark = pytest.mark.slow  # it builds a wheel, and answers every lookup from it


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT],
        check=True,
        capture_output=True,
        text=True,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, wheel],
        check=True,
        capture_output=True,
    )
    return folder


def run(installed, empty, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "dpkb", *arguments],
        cwd=empty,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(installed)},
        check=False,
    )


def test_the_wheel_has_every_entry_and_script(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder, pattern in (
        ("kb", "*.md"),
        ("kb", "*.yaml"),
        ("kb", "_families/*.md"),
        ("reproducers", "*/*.py"),
        ("reproducers", "*/*.yaml"),
        ("evidence", "*.json"),
    ):
        paths = list((ROOT / folder).glob(pattern))
        assert paths, pattern
        for path in paths:
            assert f"dpkb/catalogue_data/{path.relative_to(ROOT)}" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith(("tests", "tools"))]


def test_the_evidence_of_the_wheel_is_small(wheel):
    infos = zipfile.ZipFile(wheel).infolist()
    size = sum(info.compress_size for info in infos if "catalogue_data/evidence/" in info.filename)
    scripts = sum("catalogue_data/reproducers/" in info.filename for info in infos)
    assert 0 < size <= 240 * scripts


LOOKUPS = [
    ("matrix", "--json"),
    ("matrix", "--all", "--json"),
    ("list", "--json"),
    ("show", "DP15", "--json"),
    ("show", "D", "--json"),
    ("show", "DP15", "--all"),
    ("diff", "DP15"),
    ("search", "bus error", "--json"),
]
# In one process, which parses each entry once.
ALL_LOOKUPS = """
import functools, json, sys
from dpkb.catalogue import load
from dpkb.cli.main import run_command_line
load.read_entry = functools.cache(load.read_entry)
for words in json.loads(sys.argv[1]):
    print(end=f"{chr(0)}{run_command_line(words)}{chr(0)}")
"""


def test_the_wheel_answers_like_the_checkout(installed, dpkb_in_process, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", ALL_LOOKUPS, json.dumps(LOOKUPS)],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(installed)},
    )
    answers = done.stdout.replace(str(installed / "dpkb" / "catalogue_data"), str(ROOT)).split("\0")
    for words, text, code in zip(LOOKUPS, answers[::2], answers[1::2], strict=False):
        from_checkout = dpkb_in_process(*words, cwd=tmp_path)
        assert (text, code, from_checkout.returncode) == (from_checkout.stdout, "0", 0), words
    assert len(answers) == 2 * len(LOOKUPS) + 1


def test_torch_comes_only_with_an_extra(wheel):
    archive = zipfile.ZipFile(wheel)
    (name,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
    metadata = Parser().parsestr(archive.read(name).decode())
    required = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    heavy = ("torch", "numpy", "opencv", "albumentations")
    assert required and not [line for line in required if line.startswith(heavy)]
    assert {"torch", "all"} <= set(metadata.get_all("Provides-Extra"))


def test_the_wheel_works_from_an_empty_folder(installed, tmp_path):
    where = run(installed, tmp_path, "show", "DP15", "--json")
    script = json.loads(where.stdout)["scripts"]["broken"]["path"]
    assert script.startswith(str(installed)), "the catalogue of the wheel, not of the checkout"
    found = run(installed, tmp_path, "search", "bus error", "--json")
    assert json.loads(found.stdout)["hits"][0]["id"] == "DP15"
    assert run(installed, tmp_path, "check").returncode == 0
    refused = run(installed, tmp_path, "new", "DP99", "some_slug")
    assert refused.returncode == 2 and "--kb DIR" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_script_runs_from_the_wheel(installed, tmp_path):
    result = json.loads(run(installed, tmp_path, "repro", "DP7", "--json").stdout)
    assert result["verdict"] == "confirmed"
