"""What is installed, under which licence, and that a wheel is the same whoever builds it."""

import hashlib
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from conftest import ROOT
from packaging.requirements import Requirement
from packaging.version import Version

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10; pytest brings it there
    import tomli as tomllib

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINNED = (ROOT / "requirements/all.txt").read_text()


def pins():
    """Package -> the versions that the pinned set has for one system or Python or another."""
    found = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.+!-]+)", PINNED, re.MULTILINE):
        found.setdefault(name.lower(), []).append(Version(version))
    return found


def test_every_pin_has_a_hash_and_no_line_an_address():
    blocks = re.split(r"\n(?=\S)", PINNED.strip())
    assert len(blocks) > 50
    for block in blocks:
        assert re.match(r"[\w.\[\]-]+==\S+", block), block.splitlines()[0]
        assert "--hash=sha256:" in block, block.splitlines()[0]
    assert "://" not in PINNED and "file:" not in PINNED and not re.search(r"(^|\s)/", PINNED)


def test_the_pinned_set_is_within_what_the_package_allows():
    wanted = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["all"],
              *PROJECT["dependency-groups"]["test"], *PROJECT["dependency-groups"]["site"]]
    for requirement in map(Requirement, wanted):
        versions = pins()[requirement.name.lower()]
        assert versions and all(requirement.specifier.contains(v) for v in versions), requirement


def test_every_dependency_has_a_lowest_version():
    """One that was tried: CONTRIBUTING.md says how."""
    for requirement in map(Requirement, PROJECT["project"]["dependencies"]):
        assert {"==", ">=", "~="} & {part.operator for part in requirement.specifier}, requirement


def test_licence_and_citation_speak_of_this_package():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = PROJECT["project"]
    assert cited["version"] == project["version"]
    assert cited["license"] == project["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License")
    assert {"cff-version", "message", "title", "authors"} <= set(cited)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sha256 of two wheels: other folder, other times, other rights, other locale and time zone."""
    sums = []
    for name, moment, mode, zone in (("one", 1_000_000_000, 0o644, "UTC"),
                                     ("another/deeper", 1_700_000_000, 0o600, "Asia/Tokyo")):
        source = tmp_path_factory.mktemp("source") / name
        source.mkdir(parents=True)
        for part in ("dpkb", "kb", "reproducers"):
            shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
        for part in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / part, source)
        for path in source.rglob("*.*"):
            if path.is_file():
                path.chmod(mode)
                os.utime(path, (moment, moment))
        out = source.parent / "dist"
        subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, source],
                       check=True, capture_output=True, env={**os.environ, "TZ": zone, "PYTHONHASHSEED": "1"})
        (wheel,) = out.glob("*.whl")
        sums.append(hashlib.sha256(wheel.read_bytes()).hexdigest())
    return sums


def test_two_builds_give_the_same_wheel(built):
    assert built[0] == built[1]
