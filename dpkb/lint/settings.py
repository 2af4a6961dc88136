"""The settings of a project: [tool.dpkb] and [tool.dpkb.lint] in its pyproject.toml."""

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpkb.errors import DpkbError, UsageError
from dpkb.files import leads_outside, read_text
from dpkb.lint.rules import parse_rule_id
from dpkb.lint.run import Selection

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_MAX_BYTES = 1_000_000
_KEYS = ("select", "ignore", "hints", "exclude")


def read_selections(
    paths: Iterable[Path],
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    hints: bool = False,
    top: Path | None = None,
) -> dict[Path, Selection]:
    """What is wanted of each path: by the nearest pyproject.toml at or above it, and by these options.

    top: a resolved folder; no file outside of it is read. Raises UsageError for a file that cannot be
    understood.
    """
    nearest = {path: _find_nearest_file(path, top) for path in paths}
    selections = {}
    for file in dict.fromkeys(nearest.values()):  # each once: pre-commit names hundreds of paths
        settings = _selection_in(file) if file else Selection()
        selections[file] = replace(
            settings,
            select=frozenset(select) or settings.select,
            ignore=settings.ignore.union(ignore),
            hints=hints or settings.hints,
        )
    return {path: selections[file] for path, file in nearest.items()}


def read_site(folder: Path) -> str:
    """`site` in [tool.dpkb] of the nearest pyproject.toml: where a team publishes the pages; empty if there is none.

    Raises UsageError for a file that cannot be understood.
    """
    file = _find_nearest_file(folder, None)
    site = _read_table(file, ("tool", "dpkb")).get("site", "") if file else ""
    if site and not (isinstance(site, str) and site.startswith(("https://", "http://"))):
        raise UsageError(f"{file}: [tool.dpkb] site: must be an address that starts with https://")
    return str(site)


def _find_nearest_file(path: Path, top: Path | None) -> Path | None:
    path = path.absolute()
    # The folder that ".." leaves is not above the path.
    up = next((folder for folder in (path, *path.parents) if folder.name == ".."), None)
    if up:
        path = Path(os.path.realpath(up), path.relative_to(up))
    # Path.is_file() would raise PermissionError below a folder that must not be entered.
    files = (folder / "pyproject.toml" for folder in (path, *path.parents))
    return next(
        (file for file in files if os.path.isfile(file) and not (top and leads_outside(file, top))), None
    )


def _selection_in(file: Path) -> Selection:
    table = _read_table(file, ("tool", "dpkb", "lint"))
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise UsageError(f"{file}: [tool.dpkb.lint] has no key {unknown[0]}; it has {', '.join(_KEYS)}")
    hints = table.get("hints", False)
    if not isinstance(hints, bool):
        raise UsageError(f"{file}: [tool.dpkb.lint] hints: must be true or false")
    return Selection(
        _rule_ids(file, table, "select"),
        _rule_ids(file, table, "ignore"),
        hints,
        tuple(_texts(file, table, "exclude")),
        file.parent.resolve(),
    )


def _read_table(file: Path, keys: tuple[str, ...]) -> dict[str, Any]:
    """The table of a pyproject.toml with this name; empty if it has none."""
    try:
        table = tomllib.loads(read_text(file, _MAX_BYTES))
    except DpkbError as error:
        raise UsageError(f"{file}: {error}") from None
    except ValueError as error:
        raise UsageError(f"{file}: is not valid TOML, so correct it: {error}") from None
    except RecursionError:
        raise UsageError(f"{file}: is nested too deeply to be read") from None
    name = ""
    for key in keys:
        table, name = table.get(key, {}), f"{name}.{key}".lstrip(".")
        if not isinstance(table, dict):
            raise UsageError(f"{file}: [{name}] must be a table")
    return table


def _texts(file: Path, table: dict[str, Any], key: str) -> list[str]:
    values = table.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UsageError(f"{file}: [tool.dpkb.lint] {key}: must be a list of texts")
    return values


def _rule_ids(file: Path, table: dict[str, Any], key: str) -> frozenset[str]:
    try:
        return frozenset(map(parse_rule_id, _texts(file, table, key)))
    except UsageError as error:
        raise UsageError(f"{file}: [tool.dpkb.lint] {key}: {error}") from None
