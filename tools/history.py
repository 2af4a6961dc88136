"""The history of the names that packages export: reads releases one at a time, and writes what differs.

    python -m tools.history                       # read the releases that are new, of all packages
    python -m tools.history numpy transformers    # only of these
    python -m tools.history --pack                # write dpkb/versions/data/ again
    python -m tools.history --prove 300           # import what the history says, in environments of both sides

`history/` has all names of each release that was read, so that none is read again. The wheel has only
dpkb/versions/data/: names that differ between releases, and what leads to them. pip fetches the files, which are
removed once they are read.
"""

from __future__ import annotations

import argparse
import bisect
import datetime
import gc
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import Version

from tools.history_proof import prove
from tools.wheel_names import Archive, Package, is_standard, standard_members

ROOT = Path(__file__).resolve().parents[1]
STATES = ROOT / "history"
DATA = ROOT / "dpkb" / "versions" / "data"
# Package -> the oldest minor release. Those that others derive classes from come first.
PACKAGES = {
    "numpy": "1.13", "torch": "1.0", "torchvision": "0.2", "torchaudio": "0.4", "tokenizers": "0.8",
    "torchmetrics": "0.2", "transformers": "2.0", "accelerate": "0.1", "datasets": "1.0", "peft": "0.2",
    "diffusers": "0.2", "timm": "0.1", "lightning-fabric": "1.9", "pytorch-lightning": "0.6", "lightning": "2.0", "trl": "0.2", "gym": "0.9",
    "gymnasium": "0.26", "albumentations": "0.1", "librosa": "0.6", "monai": "0.2", "torch-geometric": "1.3",
}  # fmt: skip
# Wheels of compiled code: those for macOS have the same Python files, and are a tenth as large.
_COMPILED = {"numpy", "torch", "torchvision", "torchaudio", "tokenizers"}
_MACS = [
    ("macosx_11_0_arm64", "3.10"), ("macosx_14_0_arm64", "3.11"), ("macosx_14_0_arm64", "3.12"),
    ("macosx_10_15_x86_64", "3.8"), ("macosx_10_9_x86_64", "3.7"), ("macosx_10_9_intel", "3.6"),
]  # fmt: skip
_DOWNLOAD = ["pip", "download", "--quiet", "--no-deps", "--ignore-requires-python"]
# Package -> the command that fetched its last release, which is tried first for the next.
_WORKED: dict[str, list[str]] = {}
_OLD_PYTHON = ["uv", "run", "--quiet", "--no-project", "--python", "3.10", "--with", "pip", "python"]
# What the builds of old sdists need; only their names are asked for.
_OLD_BUILDS = "setuptools<66\nwheel<0.38\n"
_BLOCK = 48_000
_SEPARATOR = "\x1f"

Column = dict[str, str]


def top_of(package: str) -> str:
    """The name by which a package is imported."""
    return package.replace("-", "_")


@dataclass
class State:
    """All names of a package in the releases that were read, the oldest release first."""

    package: str
    releases: list[dict[str, Any]] = field(default_factory=list)
    rows: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, dict[str, str]] = field(default_factory=dict)
    # The newest release of two years before the last reading.
    recent: str = "0"
    # Release -> whether its compiled code may have a name; known of the releases that were read in this run.
    may_compile: dict[str, Callable[[str], bool]] = field(default_factory=dict)
    # Rows that are kept although their class has them always: it moved, and had other ones at its other place.
    compared: set[str] = field(default_factory=set)

    @property
    def versions(self) -> list[str]:
        """The releases."""
        return [release["version"] for release in self.releases]

    def column(self, index: int) -> _Column:
        """The names of one release."""
        return _Column(self.rows, index)

    def add(self, release: dict[str, Any], package: Package) -> None:
        """Add a release, in its place among the others."""
        values = package.values
        index = bisect.bisect([Version(v) for v in self.versions], Version(release["version"]))
        package.may_compile("")  # reads the words of compiled code, while the wheel is there
        self.may_compile[release["version"]] = package.may_compile
        old = [
            (self.column(i), self.may_compile.get(r["version"], lambda _: True), set(r.get("refused", ())))
            for i, r in enumerate(self.releases)
        ]
        new_keys = sorted(values.keys() - self.rows.keys(), key=len)
        others = package.other_members
        fill = [
            [
                "" if key in refused else _absent(column, key, others, may, is_module=values[key][:1] == "m")
                for column, may, refused in old
            ]
            for key in new_keys
        ]
        gone = {
            key: ""
            if key in package.refused
            else _absent(values, key, others, package.may_compile, is_module=any(v[:1] == "m" for v in row))
            for key, row in self.rows.items()
            if key not in values
        }
        self.rows.update(zip(new_keys, fill, strict=True))
        for key, row in self.rows.items():
            row.insert(index, sys.intern(values.get(key) or gone.get(key, "")))
        self.releases.insert(index, {**release, "refused": sorted(filter(_is_dotted, package.refused))})
        is_newest = index == len(self.releases) - 1
        for name, places in package.notes.items():
            known = self.notes.setdefault(name, {})
            self.notes[name] = {**known, **places} if is_newest else {**places, **known}


class _Column:
    """One release of a table, read like a dictionary."""

    def __init__(self, rows: dict[str, list[str]], index: int):
        self._rows, self._index = rows, index

    def get(self, key: str, default: str = "") -> str:
        """The value of a name."""
        row = self._rows.get(key)
        return row[self._index] if row else default


def _is_dotted(path: str) -> bool:
    return all(part.isidentifier() for part in path.split("."))


def _absent(
    column: Any,
    key: str,
    other_members: Any,
    may_compile: Any = lambda _: True,
    depth: int = 0,
    is_module: bool = False,
) -> str:
    """The value of a name that a release does not define itself: "" if it certainly does not have it."""
    parent, _, name = key.rpartition(".")
    if not parent or depth > 30:
        return "" if depth <= 30 else "?"
    value = column.get(parent, "") or (
        _absent(column, parent, other_members, may_compile, depth + 1) if "." in parent else ""
    )
    kind, mark = value[:1], value[1:2]
    # Private names are only read where something public leads to them.
    if value and (kind in "?vfr" or (is_private(name) and not is_module)):
        return "?"
    if kind == "=":
        target = f"{value[1:]}.{name}"
        found = column.get(target, "")
        return (
            "=" + target
            if found and found != "?"
            else found or _absent(column, target, other_members, may_compile, depth + 1)
        )
    if kind == "m":
        ends = value.partition(" ")[2]
        is_maybe = mark == "?" or (mark == "%" and may_compile(name))
        return "?" if is_maybe or (ends and name.endswith(tuple(ends.split(",")))) else ""
    if kind != "c":
        return ""
    result = "?" if mark == "?" or (mark == "%" and may_compile(name)) else "-" if mark == "!" else ""
    bases = [base for base in value.partition(" ")[2].split(",") if base]
    for base in bases:
        if base.split(".")[0] == key.split(".")[0]:
            found = column.get(f"{base}.{name}", "")
            if found and found != "?":
                return f"={base}.{name}" if found[0] not in "=-" else found
            result = (
                result or found or _absent(column, f"{base}.{name}", other_members, may_compile, depth + 1)
            )
            if result.startswith("="):
                return result
        else:
            members = other_members(base)
            result = "?" if members is None or name in members else result
            result = result or ("-" if members is not None and "__getattr__" in members else "")
    if name == "__init__" and not result.strip("-"):
        return "?" if bases else "f "
    return result


def is_private(name: str) -> bool:
    """Whether a name starts with one underscore."""
    return name.startswith("_") and not name.startswith("__")


def other_members_of(states: dict[str, State]) -> Any:
    """A function that says which members a class of another package has, in any release."""
    cache: dict[str, set[str] | None] = {}
    keys: dict[str, list[str]] = {}

    def find(path: str, depth: int = 0) -> set[str] | None:
        if path in cache or depth > 20:
            return cache.get(path)
        cache[path] = None
        if is_standard(path):
            cache[path] = standard_members(path)
            return cache[path]
        state = states.get(path.split(".")[0])
        if state is None:
            return None
        names: set[str] = set()
        if state.package not in keys:
            keys[state.package] = sorted(state.rows)
        known = keys[state.package]
        for place in {found for i in range(len(state.releases)) if (found := _follow(state.column(i), path))}:
            for key in known[bisect.bisect(known, place + ".") : bisect.bisect(known, place + "/")]:
                names.add(key[len(place) + 1 :].split(".")[0])
            for value in set(state.rows[place]) - {""}:
                if value[0] == "c" and value[1:2] == "!":
                    names.add("__getattr__")
                for base in value.partition(" ")[2].split(",") if value[0] == "c" else ():
                    inherited = find(base, depth + 1) if base else set()
                    if inherited is None:
                        return None
                    names |= inherited
        cache[path] = names or None
        return cache[path]

    return find


def _follow(column: Any, path: str, depth: int = 0) -> str:
    """The place where a class is defined; "" if it is not there."""
    value = column.get(path, "")
    if value.startswith("=") and depth < 20:
        return _follow(column, value[1:], depth + 1)
    return path if value.startswith("c") else ""


def load_state(package: str) -> State:
    """What was read of a package so far."""
    path = STATES / f"{package}.xz"
    if not path.exists():
        return State(package)
    head, *lines = lzma.decompress(path.read_bytes()).decode().split("\n")
    fields = json.loads(head)
    state = State(package, fields["releases"], notes=fields["notes"], recent=fields.get("recent", "0"))
    for line in lines:
        key, *runs = line.split("\t")
        row: list[str] = []
        for run in runs:
            count, _, value = run.partition(" ")
            row += [sys.intern(value)] * int(count)
        state.rows[key] = row
    return state


def save_state(state: State) -> None:
    """Write what was read of a package."""
    STATES.mkdir(exist_ok=True)
    fields = {"releases": state.releases, "notes": state.notes, "recent": state.recent}
    head = json.dumps(fields, sort_keys=True)
    lines = [head, *(_line(key, state.rows[key]) for key in sorted(state.rows))]
    (STATES / f"{state.package}.xz").write_bytes(lzma.compress("\n".join(lines).encode(), preset=6))


def _line(key: str, row: list[str]) -> str:
    runs: list[tuple[int, str]] = []
    for value in row:
        if runs and runs[-1][1] == value:
            runs[-1] = (runs[-1][0] + 1, value)
        else:
            runs.append((1, value))
    return "\t".join([key, *(f"{count} {value}" for count, value in runs)])


def list_releases(package: str) -> list[str]:
    """The last release of each minor version, the newest first."""
    versions: set[Version] = set()
    for options in [[], *([_mac_options(*mac) for mac in _MACS] if package in _COMPILED else [])]:
        command = [
            sys.executable,
            "-m",
            "pip",
            "index",
            "versions",
            package,
            "--ignore-requires-python",
            *options,
        ]
        text = subprocess.run(command, capture_output=True, text=True).stdout
        found = re.search(r"Available versions: (.*)", text)
        versions |= {Version(v) for v in found[1].split(", ")} if found else set()
    last: dict[tuple[int, int], Version] = {}
    for version in sorted(versions):
        if not version.is_prerelease and version.local is None and version >= Version(PACKAGES[package]):
            last[version.major, version.minor] = version
    return [str(version) for version in sorted(last.values(), reverse=True)]


def newest_before(package: str, day: datetime.date) -> str:
    """The release that was the newest on a day; "0" if there was none."""
    command = ["uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-deps", "-"]
    command += ["--python-version", "3.12", "--exclude-newer", day.isoformat()]
    text = subprocess.run(command, input=package, capture_output=True, text=True).stdout
    found = re.search(r"==(\S+)", text)
    return found[1] if found else "0"


def _mac_options(platform: str, python: str) -> list[str]:
    return ["--only-binary=:all:", "--platform", platform, "--python-version", python]


def fetch(package: str, version: str, folder: Path) -> Path | None:
    """Download one release; None if pip cannot."""
    wheels = [_mac_options(*mac) for mac in _MACS] if package in _COMPILED else [["--only-binary=:all:"]]
    attempts = [[sys.executable, "-m", *_DOWNLOAD, *options] for options in wheels]
    if package not in _COMPILED:
        # pip runs the setup.py of an sdist to learn its name. Old ones fail on new Pythons and with new setuptools.
        attempts += [[*_OLD_PYTHON, "-m", *_DOWNLOAD]]
    attempts.sort(key=lambda command: command != _WORKED.get(package))
    for command in attempts:
        (folder / "constraints").write_text(_OLD_BUILDS)
        subprocess.run(
            [*command, "--dest", str(folder), f"{package}=={version}"],
            capture_output=True,
            env={**os.environ, "PIP_CONSTRAINT": str(folder / "constraints")},
        )
        for path in folder.iterdir():
            if path.name.endswith((".whl", ".tar.gz", ".zip")):
                _WORKED[package] = command
                return path
    return None


def _fetch_ahead(package: str, versions: list[str]) -> Iterator[tuple[str, Path | None]]:
    """Each release as a file, which is there until the next is asked for. Two are fetched while one is read."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:

        def start(version: str) -> tuple[str, Future[Path | None]]:
            Path(folder, version).mkdir()
            return version, pool.submit(fetch, package, version, Path(folder, version))

        todo = iter(versions)
        waiting = [start(version) for version in islice(todo, 2)]
        while waiting:
            waiting += [start(version) for version in islice(todo, 1)]
            version, fetched = waiting.pop(0)
            yield version, fetched.result()
            shutil.rmtree(Path(folder, version))


def _release_fields(version: str, archive: Archive) -> dict[str, Any]:
    metadata = archive.metadata()
    pins = []
    for line in metadata["Requires-Dist"]:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        name = requirement.name.lower().replace("_", "-")
        if name in PACKAGES and not (requirement.marker and "extra" in str(requirement.marker)):
            pins.append(f"{name}{requirement.specifier}")
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(metadata["Classifier"]))
    newest = max(pythons, key=lambda python: int(python[2:]), default="")
    requires = metadata["Requires-Python"]
    return {
        "version": version,
        "python": requires[0] if requires else "",
        "newest": newest,
        "pins": sorted(set(pins)),
    }


def read_package(package: str, states: dict[str, State], limit: int, until: str) -> State:
    """Read the releases of a package that the state does not have, the newest first."""
    state = states[top_of(package)] = load_state(package)
    missing = [version for version in list_releases(package) if version not in state.versions]
    newer = {(Version(v).major, Version(v).minor) for v in state.versions}
    missing = [
        v
        for v in missing
        if Version(v) <= Version(until) and (Version(v).major, Version(v).minor) not in newer
    ]
    cache: dict[Any, Any] = {}
    other_members = other_members_of({name: other for name, other in states.items() if other is not state})
    for number, (version, path) in enumerate(_fetch_ahead(package, missing[:limit]), 1):
        if path is None:
            print(f"{package} {version}: pip cannot fetch it", flush=True)
            continue
        archive = Archive(path)
        read = Package(archive, top_of(package), other_members, cache)
        read.read()
        cache = {key: cache[key] for key in read.used}
        state.add(_release_fields(version, archive), read)
        print(f"{package} {version}: {len(read.values)} names", flush=True)
        read.forget()
        if number % 5 == 0:
            save_state(state)
    two_years_ago = datetime.date.today() - datetime.timedelta(days=730)
    recent = newest_before(package, two_years_ago)
    if missing or recent != state.recent:
        state.recent = recent
        save_state(state)
    return state


def pack(state: State, other_members: Any = lambda _: None) -> bytes:
    """The names that differ between releases, and what leads to them, in blocks that are read one at a time."""
    _compare_moved_classes(state, other_members)
    kept = _kept(state)
    lines = [_line(key, state.rows[key]) for key in sorted(kept)]
    blocks, index, size = [[]], [], 0  # type: list[list[str]], list[Any], int
    for line in lines:
        if size > _BLOCK:
            blocks.append([])
            size = 0
        blocks[-1].append(line)
        size += len(line)
    packed = [zlib.compress("\n".join(block).encode(), 9) for block in blocks]
    for block, data in zip(blocks, packed, strict=True):
        index.append([block[0].split("\t")[0] if block else "", len(data)])
    names = {key.rpartition(".")[2] for key in kept} | set(_parameters(state, kept))
    notes = {name: places for name, places in state.notes.items() if name in names}
    releases = [{key: r[key] for key in ("version", "python", "newest", "pins")} for r in state.releases]
    head = {
        "package": state.package,
        "releases": releases,
        "blocks": index,
        "notes": notes,
        "recent": state.recent,
    }
    header = zlib.compress(json.dumps(head, sort_keys=True).encode(), 9)
    return len(header).to_bytes(4, "big") + header + b"".join(packed)


def _compare_moved_classes(state: State, other_members: Any) -> None:
    """Give a class that moved to another module a row for each member that only its older or newer self has."""
    rows = state.rows
    columns = [state.column(i) for i in range(len(state.releases))]
    keys = sorted(rows)
    for row in list(rows.values()):
        places = {_follow(columns[i], value[1:]) for i, value in enumerate(row) if value[:1] == "="} - {""}
        if len(places) < 2:
            continue
        members = {
            place: {
                key[len(place) + 1 :]: rows[key]
                for key in keys[bisect.bisect(keys, place + ".") : bisect.bisect(keys, place + "/")]
                if "." not in key[len(place) + 1 :]
            }
            for place in places
        }
        for name in {name for known in members.values() for name in known}:
            texts = {value for known in members.values() for value in known.get(name, [""]) if value}
            for place in (
                places if len(texts) > 1 or any(name not in known for known in members.values()) else ()
            ):
                key = f"{place}.{name}"
                if key not in rows:
                    rows[key] = [_absent(column, key, other_members) for column in columns]
                state.compared.add(key)


def _parameters(state: State, kept: Iterable[str]) -> Iterator[str]:
    for key in kept:
        for value in set(state.rows[key]):
            if value.startswith("f "):
                yield from re.findall(r"\w+", value.partition("|")[0][2:])


def _kept(state: State) -> set[str]:
    rows = state.rows
    kept = {key for key, row in rows.items() if _differs(rows, key, row)} | state.compared
    owners: set[str] = set()
    todo = list(kept)
    while todo:
        parent = todo.pop().rpartition(".")[0]
        if parent and parent not in owners:
            owners.add(parent)
            todo.append(parent)
    links = {
        key: {t for v in set(row) for t in ([v[1:]] if v[:1] == "=" else v.partition(" ")[2].split(",")) if t}
        for key, row in rows.items()
        if any(v[:1] in "=c" and v for v in set(row))
    }
    # What leads to a name that differs is kept too, as often as this adds one.
    while True:
        added = {key for key, targets in links.items() if key not in kept and targets & (kept | owners)}
        if not added:
            # A function that a name leads to in some releases is compared with those of the others.
            targets = {
                t
                for key in kept & links.keys()
                for t in links[key]
                if any(v[:1] == "f" for v in rows.get(t, ()))
            }
            return kept | targets | _overriding(rows, links, kept | targets)
        kept |= added
        for key in added:
            while key := key.rpartition(".")[0]:
                owners.add(key)


def _overriding(rows: dict[str, list[str]], links: dict[str, set[str]], kept: set[str]) -> set[str]:
    """The members that a class has itself, where what it would inherit differs between releases."""
    members: dict[str, set[str]] = {}
    for key in kept:
        owner, _, name = key.rpartition(".")
        members.setdefault(owner, set()).add(name)
    found = set()
    for key, bases in links.items():
        seen, todo = set[str](), list(bases)
        while todo:
            base = todo.pop()
            if base not in seen:
                seen.add(base)
                todo += links.get(base, ())
                found |= {f"{key}.{name}" for name in members.get(base, ())} & rows.keys()
    return found


def _differs(rows: dict[str, list[str]], key: str, row: list[str]) -> bool:
    parent = rows.get(key.rpartition(".")[0])
    if parent is None:
        return len(set(row)) > 1
    seen = {value for value, above in zip(row, parent, strict=True) if above}
    return len(seen) > 1 or any(value and not above for value, above in zip(row, parent, strict=True))


def main() -> int:
    """Read, pack or prove."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    parser.add_argument("--pack", action="store_true", help="only write the data of the wheel again")
    parser.add_argument(
        "--limit", type=int, default=1000, help="read at most so many releases of each package"
    )
    parser.add_argument("--prove", type=int, metavar="N", help="run N borders that are drawn by lot")
    parser.add_argument("--seed", type=int, default=0, help="another lot")
    parser.add_argument("--until", metavar="VERSION", default="9999", help="read no release that is newer")
    options = parser.parse_args()
    states = {top_of(name): load_state(name) for name in PACKAGES}
    if options.prove:
        chosen = [states[top_of(package)] for package in options.packages]
        return min(prove([state for state in chosen if state.releases], options.prove, options.seed), 1)
    gc.disable()  # it would take half of the time, and find nothing to free
    DATA.mkdir(parents=True, exist_ok=True)
    for package in options.packages:
        state = (
            states[top_of(package)]
            if options.pack
            else read_package(package, states, options.limit, options.until)
        )
        if state.releases:
            (DATA / f"{top_of(package)}.names").write_bytes(pack(state, other_members_of(states)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
