"""The dependencies, the licence, and a wheel that is the same in every build."""

import hashlib
import os
import re
import shutil
import subprocess
import sys

import pytest
import trove_classifiers
import yaml
from packaging.requirements import Requirement
from packaging.version import Version
from support import ROOT

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10; pytest brings it there
    import tomli as tomllib

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINNED = (ROOT / "requirements/all.txt").read_text()
QUICK = (ROOT / "requirements/quick.txt").read_text()


def pins():
    """Package -> its pinned versions. There are several if they differ by system or Python."""
    found = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.+!-]+)", PINNED, re.MULTILINE):
        found.setdefault(name.lower(), []).append(Version(version))
    return found


@pytest.mark.parametrize(("text", "least"), [(PINNED, 50), (QUICK, 30)], ids=["all", "quick"])
def test_every_pin_has_a_hash_and_no_line_an_address(text, least):
    blocks = re.split(r"\n(?=\S)", text.strip())
    assert len(blocks) > least
    for block in blocks:
        assert re.match(r"[\w.\[\]-]+==\S+", block), block.splitlines()[0]
        assert "--hash=sha256:" in block, block.splitlines()[0]
    assert "://" not in text and "file:" not in text and not re.search(r"(^|\s)/", text)


def test_the_quick_environment_has_the_same_pins_and_no_torch():
    assert set(re.findall(r"^[\w.-]+==[\w.+!-]+", QUICK, re.M)) <= set(
        re.findall(r"^[\w.-]+==[\w.+!-]+", PINNED, re.M)
    )
    assert "torch" not in QUICK


def test_the_pinned_set_is_within_what_the_package_allows():
    wanted = [
        *PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"]["all"],
        *(one for one in PROJECT["dependency-groups"]["test"] if isinstance(one, str)),
        *PROJECT["dependency-groups"]["quick"],
        *PROJECT["dependency-groups"]["site"],
    ]
    assert len(wanted) > 25
    for requirement in map(Requirement, wanted):
        versions = pins()[requirement.name.lower()]
        assert versions and all(requirement.specifier.contains(v) for v in versions), requirement


def test_every_dependency_has_a_lowest_version():
    """pip would otherwise accept a release that lacks what dpkb calls."""
    wanted = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["torch"]]
    assert "torchvision" in {Requirement(one).name for one in wanted}
    for requirement in map(Requirement, wanted):
        assert {"==", ">=", "~="} & {one.operator for one in requirement.specifier}, requirement


def test_licence_and_citation_speak_of_this_package():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = PROJECT["project"]
    assert cited["version"] == project["version"]
    assert cited["license"] == project["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License")
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    assert cited["authors"] == project["authors"]


def supported_pythons():
    """The Pythons that the classifiers name, oldest first."""
    pattern = re.compile(r"Programming Language :: Python :: (3\.\d+)")
    return [match[1] for name in PROJECT["project"]["classifiers"] if (match := pattern.fullmatch(name))]


def test_the_classifiers_exist_and_name_the_oldest_python():
    assert set(PROJECT["project"]["classifiers"]) <= trove_classifiers.classifiers
    assert PROJECT["project"]["requires-python"] == f">={supported_pythons()[0]}"


def test_ci_runs_the_fast_tests_on_the_oldest_and_the_newest_python():
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]
    oldest, *_, newest = supported_pythons()
    assert jobs["fast"]["strategy"]["matrix"]["python"] == [oldest, newest]
    assert {"run": "make fast"} in jobs["fast"]["steps"] and {"run": "make test"} in jobs["tests"]["steps"]


# Builders differ in folder, age and rights of the files, umask, time zone, locale, seed, and what they build.
BUILDERS = (
    ("one", 1_000_000_000, 0o644, 0o022, "UTC", "C.UTF-8", "1", []),  # the wheel from the source archive
    ("Ünother/deeper", 1_700_000_000, 0o600, 0o077, "Asia/Tokyo", "C", "2", ["--sdist", "--wheel"]),
)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """What two people build: file name -> sha256, of the wheel and of the source archive."""
    kept = [path.strip("/") for path in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]]
    sums, origin = [], ROOT
    for name, moment, mode, umask, zone, locale, seed, what in BUILDERS:
        source = tmp_path_factory.mktemp("source") / name
        source.mkdir(parents=True)
        for path in ("pyproject.toml", *kept):
            if (origin / path).is_dir():
                shutil.copytree(origin / path, source / path, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(origin / path, source)
        origin = source  # both build the same files, even if somebody edits the checkout now
        for path in source.rglob("*"):
            if path.is_file():
                path.chmod(mode)
                os.utime(path, (moment, moment))
        out = source.parent / "dist"
        done = subprocess.run(
            [sys.executable, "-m", "build", *what, "--no-isolation", "--outdir", out, source],
            umask=umask,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "TZ": zone, "LC_ALL": locale, "PYTHONHASHSEED": seed},
        )
        assert done.returncode == 0, done.stderr
        sums.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.iterdir()})
    return sums


def test_two_builds_give_the_same_wheel_and_the_same_source_archive(built):
    version = PROJECT["project"]["version"]
    assert set(built[0]) == {f"dpkb-{version}.tar.gz", f"dpkb-{version}-py3-none-any.whl"}
    assert built[0] == built[1]


def test_every_action_of_a_workflow_is_pinned_by_its_commit():
    """A tag can be moved to other code."""
    used = [
        line
        for path in (ROOT / ".github/workflows").glob("*.yml")
        for line in path.read_text().splitlines()
        if "uses:" in line
    ]
    assert len(used) > 15
    assert [
        line for line in used if not re.search(r"uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line)
    ] == []
