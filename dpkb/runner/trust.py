"""Which added catalogues may run their scripts: somebody's code runs only after a recorded yes."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from dpkb import files
from dpkb.errors import UnmetNeed
from dpkb.model import Script
from dpkb.paths import REPRODUCERS_FOLDER, state_folder

_FILE = "trusted.json"
# The version of the shape of that file.
_VERSION = 1
S = TypeVar("S", bound=Script)


def split_by_trust(scripts: list[S], folders: list[Path], trust_all: bool) -> tuple[list[S], list[S]]:
    """The scripts that may run, and those of added catalogues that may not. folders: the catalogues."""
    allowed = {folder: _is_allowed(folder, folders, trust_all) for folder in folders}
    return ([script for script in scripts if allowed[_owner(script, folders)]],
            [script for script in scripts if not allowed[_owner(script, folders)]])


def require_trust(script: Script, folders: list[Path], trust_all: bool, ask: Callable[[str], bool]) -> None:
    """Raise UnmetNeed unless the script is dpkb's own, or the user agrees now or has agreed before."""
    folder = _owner(script, folders)
    if _is_allowed(folder, folders, trust_all):
        return
    if ask(f"{folder} is an added catalogue. Run its scripts (somebody's code) on this machine?"):
        record(folder)
        return
    raise UnmetNeed(
        f"{folder} is an added catalogue, and its scripts are somebody's code: "
        "read them, then say --trust"
    )


def hash_reproducers(catalogue_folder: Path) -> str:
    """Hash every file in reproducers/: any change there asks the question again.

    Bytecode counts too: Python runs it in place of the source. Raises OSError, also if there is a linked
    folder, whose files are elsewhere.
    """
    total = hashlib.sha256()
    reproducers = catalogue_folder / REPRODUCERS_FOLDER
    for path in sorted(reproducers.rglob("*")):
        if path.is_symlink() and path.is_dir():
            raise OSError(errno.ELOOP, "a linked folder", str(path))
        if path.is_file():
            total.update(os.fsencode(path.relative_to(reproducers)) + b"\0")
            with path.open("rb") as file:
                content = hashlib.sha256()
                while chunk := file.read(1 << 20):
                    content.update(chunk)
            total.update(content.digest())
    return total.hexdigest()


def is_trusted(catalogue_folder: Path) -> bool:
    """Whether the user has agreed to the scripts as they are now. Unreadable ones are not trusted."""
    known = _recorded().get(str(catalogue_folder))
    try:
        return known is not None and known == hash_reproducers(catalogue_folder)
    except OSError:
        return False


def record(catalogue_folder: Path) -> bool:
    """Keep the user's agreement to the scripts as they are now; False if it cannot be kept."""
    folder = state_folder()
    if folder is None:
        return False
    try:
        with files.exclusive_lock(folder):
            known = {**_recorded(), str(catalogue_folder): hash_reproducers(catalogue_folder)}
            files.write(folder / _FILE, json.dumps({"version": _VERSION, "trusted": known}, indent=1))
    except OSError:
        return False
    return True


def _owner(script: Script, folders: list[Path]) -> Path:
    return next(folder for folder in folders if script.path.is_relative_to(folder / REPRODUCERS_FOLDER))


def _is_allowed(folder: Path, folders: list[Path], trust_all: bool) -> bool:
    return trust_all or folder == folders[0] or is_trusted(folder)


def _recorded() -> dict[str, str]:
    folder = state_folder()
    try:
        kept = json.loads((folder / _FILE).read_text(encoding="utf-8")) if folder else {}
        trusted = kept.get("trusted", {})
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
    return trusted if isinstance(trusted, dict) else {}
