"""Small wheels, made by hand, and the history that is read from them."""

from __future__ import annotations

import zipfile
from pathlib import Path

from dpkb.versions.history import Answer, History, Question
from tools.history import State, pack
from tools.wheel_names import Archive, Package

SIGNS = {Answer.YES: "1", Answer.NO: "0", Answer.RAISES: "r", Answer.UNKNOWN: "?"}


def make_wheel(
    folder: Path, version: str, files: dict[str, str], top: str = "lib", metadata: str = ""
) -> Path:
    """A wheel with these files; names without a folder are in the package."""
    path = folder / f"{top}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(f"{top}/{name}", text)
        wheel.writestr(
            f"{top}-{version}.dist-info/METADATA", f"Name: {top}\nVersion: {version}\n{metadata}\n"
        )
    return path


def read_state(folder: Path, releases: dict[str, dict[str, str]], top: str = "lib") -> State:
    """What is read from releases, in the order in which they are named."""
    state = State(top)
    for version, files in releases.items():
        package = Package(Archive(make_wheel(folder, version, files, top)), top)
        package.read()
        state.add({"version": version, "python": "", "newest": "", "pins": []}, package)
    return state


def read_history(folder: Path, releases: dict[str, dict[str, str]], top: str = "lib") -> History:
    """The history as it is in dpkb's wheel."""
    path = folder / f"{top}.names"
    path.write_bytes(pack(read_state(folder, releases, top)))
    return History(path)


def signs(history: History, path: str, **question: object) -> str:
    """The answer of each release: 1 yes, 0 no, r only raises, ? unknown."""
    return "".join(SIGNS[answer] for answer in history.answer(Question(path, **question)))  # type: ignore[arg-type]
