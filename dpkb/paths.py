"""The folders of catalogues, and the folders where dpkb may keep its own files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from dpkb.errors import UsageError

KB_FOLDER = "kb"
REPRODUCERS_FOLDER = "reproducers"
FAMILIES_FOLDER = "_families"
TEAM_FOLDER = ".dpkb"
ENTRY_SUFFIX, SEARCH_SUFFIX, MESSAGES_SUFFIX = ".md", ".search.yaml", ".messages.yaml"
SIGNPOSTS_NAME = "signposts.yaml"

_PACKAGE = Path(__file__).resolve().parent
# Programs that run under another interpreter. They are started by their path.
GUEST = _PACKAGE / "guest"


def is_entry_file(name: str) -> bool:
    """Whether a file in kb/ is an entry, by its name. Hidden files and names that start with _ are not."""
    return name.endswith(ENTRY_SUFFIX) and not name.startswith(("_", "."))


def file_beside(entry_file: Path, suffix: str) -> Path:
    """Another file of an entry: kb/dp1_worker_rng.search.yaml beside kb/dp1_worker_rng.md."""
    return entry_file.with_name(entry_file.stem + suffix)


def find_built_in_catalogue() -> Path:
    """The folder that holds dpkb's own kb/ and reproducers/: in the wheel, or in a checkout."""
    installed = _PACKAGE / "catalogue_data"
    return installed if (installed / KB_FOLDER).is_dir() else _PACKAGE.parent


def find_catalogue_folders(added: list[Path] | None = None) -> list[Path]:
    """All catalogues: the built-in one, the nearest .dpkb/ from here upwards, then the added folders.

    Raises UsageError if an added folder has no kb/.
    """
    folders = [find_built_in_catalogue()]
    here = find_working_folder()
    team = find_nearest_team_catalogue(here) if here else None
    for folder in ([team] if team else []) + list(added or []):
        try:
            folder = folder.resolve()
        except (OSError, RuntimeError):  # a link to itself; a folder that is gone
            raise UsageError(f"{folder} is not a catalogue: it no longer exists, or is a bad link") from None
        if not (folder / KB_FOLDER).is_dir():
            raise UsageError(
                f"{folder} is not a catalogue: it has no {KB_FOLDER}/ folder. "
                f"Name the folder that holds {KB_FOLDER}/ and {REPRODUCERS_FOLDER}/."
            )
        if folder not in folders:
            folders.append(folder)
    return folders


def find_working_folder() -> Path | None:
    """The current folder; None if it was deleted."""
    try:
        return Path.cwd()
    except OSError:
        return None


def find_nearest_team_catalogue(start: Path) -> Path | None:
    """The nearest .dpkb/ folder that has a kb/, from `start` upwards."""
    for folder in (start, *start.parents):
        if (folder / TEAM_FOLDER / KB_FOLDER).is_dir():
            return folder / TEAM_FOLDER
    return None


def find_cache_folder() -> Path | None:
    """Where the search index and compiled bytecode may be kept; None if there is no home folder."""
    return _find_user_folder("DPKB_CACHE_DIR", "XDG_CACHE_HOME", ".cache", "Caches")


def find_state_folder() -> Path | None:
    """Where the list of trusted catalogues and the locks are kept; None if there is no home folder."""
    return _find_user_folder("DPKB_STATE_DIR", "XDG_STATE_HOME", ".local/state", "Application Support")


def _find_user_folder(own_variable: str, xdg_variable: str, below_home: str, mac_name: str) -> Path | None:
    if os.environ.get(own_variable):
        return Path(os.environ[own_variable])
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "dpkb"
    # The XDG specification says that a relative path is ignored.
    if os.path.isabs(os.environ.get(xdg_variable, "")):
        return Path(os.environ[xdg_variable]) / "dpkb"
    home = os.path.expanduser("~")
    # An empty HOME expands to "/".
    if not os.path.isabs(home) or home == "/":
        return None
    base = Path(home, "Library", mac_name) if sys.platform == "darwin" else Path(home, below_home)
    return base / "dpkb"
