"""Where kb/ and reproducers/ are, and where dpkb may keep its own files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from dpkb.errors import UsageError

KB_FOLDER = "kb"
REPRODUCERS_FOLDER = "reproducers"
FAMILIES_FOLDER = "_families"
TEAM_FOLDER = ".dpkb"
ENTRY_SUFFIX, SEARCH_SUFFIX = ".md", ".search.yaml"

_PACKAGE = Path(__file__).resolve().parent
# Programs that run under another interpreter, started by their path.
GUEST = _PACKAGE / "guest"


def is_entry_file(name: str) -> bool:
    """Whether a file of kb/ is an entry, going by its name: hidden files and templates (_) are not."""
    return name.endswith(ENTRY_SUFFIX) and not name.startswith(("_", "."))


def built_in_catalogue() -> Path:
    """The folder that holds dpkb's own kb/ and reproducers/: in the wheel, or in a checkout."""
    installed = _PACKAGE / "catalogue_data"
    return installed if (installed / KB_FOLDER).is_dir() else _PACKAGE.parent


def catalogue_folders(added: list[Path] | None = None) -> list[Path]:
    """All catalogues in force: the built-in one, the nearest .dpkb/ up the tree, then the added ones.

    Raises UsageError where an added folder has no kb/ in it.
    """
    folders = [built_in_catalogue()]
    here = working_folder()
    team = nearest_team_catalogue(here) if here else None
    for folder in ([team] if team else []) + list(added or []):
        try:
            folder = folder.resolve()
        except (OSError, RuntimeError):  # a link to itself; a folder that is gone
            raise UsageError(f"{folder} is not a catalogue: it leads nowhere") from None
        if not (folder / KB_FOLDER).is_dir():
            raise UsageError(
                f"{folder} is not a catalogue: it has no {KB_FOLDER}/ folder. "
                f"Name the folder that holds {KB_FOLDER}/ and {REPRODUCERS_FOLDER}/."
            )
        if folder not in folders:
            folders.append(folder)
    return folders


def working_folder() -> Path | None:
    """The folder that dpkb was started in; None where it is gone."""
    try:
        return Path.cwd()
    except OSError:
        return None


def nearest_team_catalogue(start: Path) -> Path | None:
    """The nearest .dpkb/ folder with a kb/ in it, from `start` upwards."""
    for folder in (start, *start.parents):
        if (folder / TEAM_FOLDER / KB_FOLDER).is_dir():
            return folder / TEAM_FOLDER
    return None


def cache_folder() -> Path | None:
    """Where the search index and compiled bytecode may be kept; None where there is no home."""
    return _own_folder("DPKB_CACHE_DIR", "XDG_CACHE_HOME", ".cache", "Caches")


def state_folder() -> Path | None:
    """Where recorded answers (trusted catalogues) are kept; None where there is no home."""
    return _own_folder("DPKB_STATE_DIR", "XDG_STATE_HOME", ".local/state", "Application Support")


def _own_folder(own: str, xdg: str, home_relative: str, mac_name: str) -> Path | None:
    if os.environ.get(own):
        return Path(os.environ[own])
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "dpkb"
    # Its specification says that a relative path is ignored.
    if os.path.isabs(os.environ.get(xdg, "")):
        return Path(os.environ[xdg]) / "dpkb"
    home = os.path.expanduser("~")
    # "/" is what an empty HOME comes to.
    if not os.path.isabs(home) or home == "/":
        return None
    base = Path(home, "Library", mac_name) if sys.platform == "darwin" else Path(home, home_relative)
    return base / "dpkb"
