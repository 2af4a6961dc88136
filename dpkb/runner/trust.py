"""Which added catalogues may run their scripts: other people's code runs only after the user agreed."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from dpkb import files
from dpkb.errors import CannotWrite, UnmetNeed
from dpkb.model import Script
from dpkb.paths import REPRODUCERS_FOLDER, find_state_folder
from dpkb.text import join_lines

_TRUST_FILE = "trusted.json"
# The version of the format of that file.
_FORMAT_VERSION = 1
ScriptT = TypeVar("ScriptT", bound=Script)


def split_by_trust(
    scripts: list[ScriptT], folders: list[Path], trust_all: bool
) -> tuple[list[ScriptT], list[ScriptT]]:
    """The scripts that may run, and those of added catalogues that may not.

    folders: the catalogues; the first is dpkb's own.
    """
    allowed = {folder: _is_allowed(folder, folders, trust_all) for folder in folders}
    return (
        [script for script in scripts if allowed[_catalogue_of(script, folders)]],
        [script for script in scripts if not allowed[_catalogue_of(script, folders)]],
    )


def require_trust(
    script: Script,
    folders: list[Path],
    trust_all: bool,
    ask: Callable[[str], bool],
    note: Callable[[str], None],
) -> None:
    """Raise UnmetNeed unless the script is dpkb's own, or the user agrees now or agreed before.

    ask: asks the user a yes/no question. note: takes a line of information for the user.
    """
    folder = _catalogue_of(script, folders)
    if _is_allowed(folder, folders, trust_all):
        return
    if ask(f"{folder} is an added catalogue. Run its scripts (somebody's code) on this machine?"):
        try:
            record_trust(folder)
        except CannotWrite as error:
            note(join_lines(f"this answer could not be stored, so dpkb will ask again: {error}"))
        return
    raise UnmetNeed(
        f"{folder} is an added catalogue, and its scripts are somebody's code: "
        "read them, then run this again with --trust"
    )


def hash_reproducers(catalogue_folder: Path) -> str:
    """Hash every file in reproducers/, so that after any change there dpkb asks the user again.

    Bytecode counts too, because Python can run it instead of the source. Raises OSError, also for a link to
    a folder, because its files are outside the catalogue.
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
    """Whether the user has agreed to the scripts as they are now. Unreadable scripts are not trusted.

    Raises UnmetNeed if a newer dpkb stored the agreements.
    """
    known = _read_recorded_hashes().get(str(catalogue_folder))
    try:
        return known is not None and known == hash_reproducers(catalogue_folder)
    except OSError:
        return False


def record_trust(catalogue_folder: Path) -> None:
    """Store the user's agreement to the scripts as they are now. Raises CannotWrite."""
    folder = find_state_folder()
    if folder is None:
        raise CannotWrite("there is no home folder; choose a folder: DPKB_STATE_DIR=DIR")
    try:
        with files.exclusive_lock(folder):
            known = {**_read_recorded_hashes(), str(catalogue_folder): hash_reproducers(catalogue_folder)}
            document = {"version": _FORMAT_VERSION, "trusted": known}
            files.write_text(folder / _TRUST_FILE, json.dumps(document, indent=1))
    except OSError as error:
        raise CannotWrite(f"{error.filename or folder}: {error.strerror}") from None


def _catalogue_of(script: Script, folders: list[Path]) -> Path:
    return next(folder for folder in folders if script.path.is_relative_to(folder / REPRODUCERS_FOLDER))


def _is_allowed(folder: Path, folders: list[Path], trust_all: bool) -> bool:
    return trust_all or folder == folders[0] or is_trusted(folder)


def _read_recorded_hashes() -> dict[str, str]:
    """The folder of each trusted catalogue -> the hash of its scripts.

    Raises UnmetNeed if a newer dpkb wrote the file.
    """
    folder = find_state_folder()
    try:
        kept = json.loads((folder / _TRUST_FILE).read_text(encoding="utf-8")) if folder else {}
        trusted, version = kept.get("trusted", {}), kept.get("version", _FORMAT_VERSION)
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
    if version != _FORMAT_VERSION:
        raise UnmetNeed(f"{_TRUST_FILE} in {folder} was written by a newer dpkb: update dpkb, or use --trust")
    return trusted if isinstance(trusted, dict) else {}
