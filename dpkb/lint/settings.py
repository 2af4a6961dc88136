"""The settings of a project: [tool.dpkb.lint] in its pyproject.toml."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from dpkb.errors import UsageError
from dpkb.lint.rules import all_rules
from dpkb.lint.run import Selection

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KEYS = ("select", "ignore", "hints", "exclude")


def read_selection(path: Path, select: Sequence[str] = (), ignore: Sequence[str] = (),
                   hints: bool = False) -> Selection:
    """Which findings are wanted: by the nearest pyproject.toml at or above a path, and by these options.

    Raises UsageError for a file that cannot be understood.
    """
    files = (folder / "pyproject.toml" for folder in (path.absolute(), *path.absolute().parents))
    file = next(filter(Path.is_file, files), None)
    stated = _parse(file) if file else Selection()
    return Selection(frozenset(select) or stated.select, stated.ignore.union(ignore), hints or stated.hints,
                     stated.exclude)


def _parse(file: Path) -> Selection:
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file}: cannot be read: {error}") from None
    table, name = tables, ""
    for key in ("tool", "dpkb", "lint"):
        table, name = table.get(key, {}), f"{name}.{key}".lstrip(".")
        if not isinstance(table, dict):
            raise UsageError(f"{file}: [{name}] must be a table")
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise UsageError(f"{file}: [tool.dpkb.lint] has no key {unknown[0]}; it has {', '.join(_KEYS)}")
    for key in ("select", "ignore", "exclude"):
        values = table.get(key, [])
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise UsageError(f"{file}: [tool.dpkb.lint] {key}: must be a list of texts")
    ids = {key: [value.upper() for value in table.get(key, ())] for key in ("select", "ignore")}
    for key, values in ids.items():
        if missing := [value for value in values if value not in all_rules()]:
            raise UsageError(f"{file}: [tool.dpkb.lint] {key}: lint has no rule for {missing[0]}")
    if not isinstance(table.get("hints", False), bool):
        raise UsageError(f"{file}: [tool.dpkb.lint] hints: must be true or false")
    return Selection(frozenset(ids["select"]), frozenset(ids["ignore"]), table.get("hints", False),
                     tuple(table.get("exclude", ())))
