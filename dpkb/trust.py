"""Which added catalogues may run their scripts: somebody's code runs only after a recorded yes."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from dpkb import files
from dpkb.paths import REPRODUCERS_FOLDER, state_folder

_FILE = "trusted.json"


def digest(catalogue_folder: Path) -> str:
    """A hash of every script of a catalogue: a changed script is a new question."""
    total = hashlib.sha256()
    reproducers = catalogue_folder / REPRODUCERS_FOLDER
    for path in sorted(reproducers.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            total.update(os.fsencode(path.relative_to(reproducers)) + b"\0")
            with path.open("rb") as file:
                content = hashlib.sha256()
                while chunk := file.read(1 << 20):
                    content.update(chunk)
            total.update(content.digest())
    return total.hexdigest()


def is_trusted(catalogue_folder: Path) -> bool:
    """Whether these very scripts were said yes to before. What cannot be read was not."""
    known = _recorded().get(str(catalogue_folder))
    try:
        return known is not None and known == digest(catalogue_folder)
    except OSError:
        return False


def record(catalogue_folder: Path) -> bool:
    """Keep the yes for these scripts as they are now; False where there is no place to keep it."""
    folder = state_folder()
    if folder is None:
        return False
    try:
        with files.alone_in(folder):
            known = {**_recorded(), str(catalogue_folder): digest(catalogue_folder)}
            files.write(folder / _FILE, json.dumps({"version": 1, "trusted": known}, indent=1))
    except OSError:
        return False
    return True


def _recorded() -> dict[str, str]:
    folder = state_folder()
    try:
        kept = json.loads((folder / _FILE).read_text(encoding="utf-8")) if folder else {}
        trusted = kept.get("trusted", {})
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
    return trusted if isinstance(trusted, dict) else {}
