"""Requirements: those that a project states, those that are installed, and the newest releases that fit together."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from dpkb.errors import DpkbError, UsageError
from dpkb.files import read_text
from dpkb.versions.history import History, allowed, load_history

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_MAX_BYTES = 1_000_000
_DIST_INFO = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+)\.dist-info")
# Releases before these are older than numpy 2, and were written for numpy 1. Their requirements do not say so.
_NUMPY_2 = {
    "torch": "2.3", "torchvision": "0.18", "torchaudio": "2.3", "transformers": "4.42", "datasets": "2.20",
    "accelerate": "0.32", "pytorch_lightning": "2.3", "lightning": "2.3", "librosa": "0.11", "gym": "1", "timm": "1.0.7",
    "gymnasium": "1.0", "monai": "1.4", "albumentations": "1.4.11", "torchmetrics": "1.4.1", "diffusers": "0.29",
    "peft": "0.12", "trl": "0.9.5", "torch_geometric": "2.6",
}  # fmt: skip
# Packages with compiled code: their releases have no wheels for newer Pythons.
_COMPILED = {"torch", "torchvision", "torchaudio", "numpy", "tokenizers"}
_MAX_STEPS = 20_000


def is_requirements_file(path: Path) -> bool:
    """Whether a file states requirements, by its name."""
    return path.name == "pyproject.toml" or (path.suffix == ".txt" and "require" in path.name)


def read_requirements(path: Path) -> dict[str, str]:
    """The versions that a file asks for, by the names that are imported. Raises DpkbError."""
    try:
        text = read_text(path, _MAX_BYTES)
        lines = text.splitlines()
        if path.suffix == ".toml":
            tables = tomllib.loads(text)
            poetry = tables.get("tool", {}).get("poetry", {}).get("dependencies", {})
            lines = [str(line) for line in tables.get("project", {}).get("dependencies", [])]
            lines += [name + ",".join(_pep_440(poetry[name])) for name in poetry]
    except (DpkbError, tomllib.TOMLDecodeError, AttributeError, TypeError) as error:
        raise DpkbError(f"{path}: {error}") from None
    pins = {}
    for line in lines:
        try:
            requirement = Requirement(re.sub(r"(^|\s)(#|--).*", "", line).strip())
        except InvalidRequirement:  # an option, an address, a comment
            continue
        if requirement.specifier:
            pins[requirement.name.lower().replace("-", "_")] = str(requirement.specifier)
    return pins


def _pep_440(wanted: object) -> list[str]:
    """What Poetry's `^2.1`, `~2.1` or `2.1.0` is in the form of PEP 440."""
    text = str(wanted.get("version", "*") if isinstance(wanted, dict) else wanted)
    parts = []
    for part in filter(None, text.replace(" ", "").strip("*").split(",")):
        version = part.lstrip("^~=")
        numbers = version.split(".")
        # The first number that is not 0 stays the same.
        same = next((i for i, number in enumerate(numbers) if number != "0"), 0)
        if part.startswith("^"):
            parts.append(f">={version}")
            version = ".".join(numbers[: same + 1])
        if part[0] in "^~" and part[1:2] != "=":
            parts.append(f"=={'.'.join(version.split('.')[: 2 if part[0] == '~' else None])}.*")
        else:
            parts.append(f"=={part}" if part[0].isdigit() else part)
    return parts


def find_installed(python: str | None) -> dict[str, str]:
    """The packages of an environment and their versions, by the names that are imported; {} if there is none.

    Only the folders are read; Python is not started. Raises UsageError if `python` is in no environment.
    """
    if python is None:
        active = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
        return _read_site_packages(Path(active)) if active else {}
    path = Path(python).expanduser()
    if not path.exists():
        raise UsageError(
            f"--python {python}: there is no such file; give the path of a Python or of an environment"
        )
    # Links stay: the python of a virtual environment is a link, and its target knows no packages.
    prefixes = [path] if path.is_dir() else [path.absolute().parent.parent, path.resolve().parent.parent]
    for prefix in prefixes:
        if installed := _read_site_packages(prefix):
            return installed
    raise UsageError(
        f"--python {python}: no packages beside it; give the path of a Python or of an environment"
    )


def _read_site_packages(prefix: Path) -> dict[str, str]:
    folders = [*prefix.glob("lib*/python3*/site-packages"), *prefix.glob("lib*/python3*/dist-packages")]
    installed = {}
    for folder in [*folders, prefix / "Lib" / "site-packages"]:
        for info in folder.glob("*.dist-info"):
            if found := _DIST_INFO.fullmatch(info.name):
                installed[re.sub(r"[-.]", "_", found["name"]).lower()] = found["version"]
    return installed


def newest_set(good: Mapping[str, Sequence[bool]]) -> list[str]:
    """The newest releases that fit the code and each other, as requirements; [] if none do.

    good: for each package and release whether the code can use it.
    """
    # gymnasium is what became of gym, and no program needs both.
    histories = {
        name: history
        for name in good
        if not (name == "gym" and "gymnasium" in good) and (history := load_history(name))
    }
    # A package that others pin is chosen first.
    order = sorted(
        histories, key=lambda name: (name != "torch", -sum(_mentions(h, name) for h in histories.values()))
    )
    chosen: dict[str, int] = {}
    if not _choose(order, histories, good, chosen, [0]):
        return []
    lines = [
        f"{histories[name].package}=={histories[name].releases[i].version}"
        for name, i in sorted(chosen.items())
    ]
    old = any(_is_for_numpy_1(name, histories[name].releases[i].version) for name, i in chosen.items())
    if old and "numpy" not in chosen:
        lines.append("numpy<2")
    return lines


def choose_python(lines: Sequence[str]) -> str | None:
    """A Python, such as 3.10, that all these releases are for; None if none is known."""
    wanted, newest = SpecifierSet(), 99
    for line in lines:
        name, _, version = line.partition("==")
        history = load_history(name.replace("-", "_"))
        release = next((r for r in history.releases if r.version == version), None) if history else None
        if release is None:
            continue
        try:
            wanted &= SpecifierSet(release.python)
        except InvalidSpecifier:
            continue
        if name.replace("-", "_") in _COMPILED and release.newest_python:
            newest = min(newest, int(release.newest_python.partition(".")[2]))
    pythons = [f"3.{minor}" for minor in range(min(newest, 13), 5, -1) if wanted.contains(f"3.{minor}.99")]
    return pythons[0] if pythons else None


def _mentions(history: History, name: str) -> bool:
    return any(_name_of(pin) == name for pin in history.releases[-1].pins) if history.releases else False


def _name_of(pin: str) -> str:
    return re.split(r"[<>=!~]", pin, maxsplit=1)[0].replace("-", "_")


def _choose(
    order: Sequence[str],
    histories: Mapping[str, History],
    good: Mapping[str, Sequence[bool]],
    chosen: dict[str, int],
    steps: list[int],
) -> bool:
    if not order:
        return True
    name, *rest = order
    for index in reversed(range(len(histories[name].releases))):
        steps[0] += 1
        if steps[0] > _MAX_STEPS:
            return False
        if good[name][index] and _fit(name, index, histories, chosen):
            chosen[name] = index
            if _choose(rest, histories, good, chosen, steps):
                return True
            del chosen[name]
    return False


def _fit(name: str, index: int, histories: Mapping[str, History], chosen: Mapping[str, int]) -> bool:
    """Whether a release and those that are chosen allow each other."""
    release = histories[name].releases[index]
    for pin in release.pins:
        other = _name_of(pin)
        if other in chosen and not allowed(histories[other], pin[len(other) :])[chosen[other]]:
            return False
    for other, i in chosen.items():
        for pin in histories[other].releases[i].pins:
            if _name_of(pin) == name and not allowed(histories[name], pin[len(name) :])[index]:
                return False
    versions = {name: release.version, **{n: histories[n].releases[i].version for n, i in chosen.items()}}
    if Version(versions.get("numpy", "1")) >= Version("2"):
        return not any(_is_for_numpy_1(*pair) for pair in versions.items())
    return True


def _is_for_numpy_1(name: str, version: str) -> bool:
    return name in _NUMPY_2 and Version(version) < Version(_NUMPY_2[name])
