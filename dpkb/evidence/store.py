"""Recorded runs of the scripts: one JSON file for each combination of torch, Python, system and device."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from packaging.version import Version

from dpkb import files
from dpkb.catalogue.load import Catalogue
from dpkb.errors import CannotWrite, DpkbError
from dpkb.model import Entry, Outcome, Script, release
from dpkb.paths import REPRODUCERS_FOLDER
from dpkb.runs import Environment, Result, Verdict
from dpkb.scripts.fingerprint import fingerprint

S = TypeVar("S", bound=Script)

FOLDER = "evidence"
# The version of the shape of its files.
VERSION = 1
# Far more than a script or a file of evidence has.
_MAX_BYTES = 32 << 20
# The recorded fields of an environment. No path of the machine is among them.
_ENVIRONMENT = ("torch", "torchvision", "python", "os", "device")
_NAME = re.compile(r"\w[\w.-]*", re.ASCII)


class State(str, Enum):
    """The result of all runs of one entry in one environment."""

    CONFIRMED = "confirmed"
    NOT_AFFECTED = "not affected"
    REFUTED = "refuted"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Run:
    """One recorded run of one script. sha256: the fingerprint of the code that ran."""

    sha256: str
    outcome: Outcome
    verdict: Verdict
    affected: bool
    observed: dict[str, Any] | None
    seconds: float
    date: str


@dataclass(frozen=True)
class Evidence:
    """All recorded runs in one environment, by script key ("DP1/broken")."""

    environment: dict[str, str | None]
    scripts: dict[str, Run]

    @property
    def torch(self) -> str:
        return str(self.environment["torch"])

    @property
    def name(self) -> str:
        """The file's name, without its ending: torch-python-os-device."""
        values = (self.environment[key] or "none" for key in ("torch", "python", "os", "device"))
        return "-".join(value.split(" ")[0].split("+")[0] for value in values)

    def run_of(self, script: Script) -> Run | None:
        """The run of a script as its code is now; None if it was not run or its code has changed since."""
        run = self.scripts.get(script.key)
        return run if run and run.sha256 == fingerprint_of(script.path) else None

    def runs_of(self, entry: Entry) -> list[Run]:
        """The runs of an entry's scripts, as their code is now."""
        return [run for script in entry.scripts if (run := self.run_of(script))]

    def state(self, entry: Entry) -> State:
        """The result of an entry's runs. A skipped script counts as not run."""
        if any(run.verdict is Verdict.REFUTED for run in self.runs_of(entry)):
            return State.REFUTED
        pair = {script.name: run for script in entry.scripts if script.name in ("broken", "fixed")
                if (run := self.run_of(script)) and run.verdict is Verdict.CONFIRMED}
        if len(pair) < 2:
            return State.NOT_RUN
        # If only the fix does not exist yet, the failure does.
        return State.CONFIRMED if pair["broken"].affected else State.NOT_AFFECTED


def fingerprint_of(script: Path) -> str:
    """The fingerprint of a script's code; empty where the file cannot be read."""
    try:
        status = script.stat()
        return _fingerprint_of(script, status.st_mtime_ns, status.st_size)
    except OSError:
        return ""


@cache
def _fingerprint_of(script: Path, mtime_ns: int, size: int) -> str:
    # Asked for once per environment: the time and size in the key keep an edited file from being missed.
    return fingerprint(files.read_bytes(script, _MAX_BYTES).decode("utf-8", "surrogateescape"))


def load(*folders: Path, on_unreadable: Callable[[DpkbError], None] | None = None) -> list[Evidence]:
    """All evidence of these catalogues, oldest torch first.

    An unreadable file is left out if on_unreadable takes its error; otherwise DpkbError is raised.
    """
    evidence = []
    for path in (path for folder in folders for path in sorted((folder / FOLDER).glob("*.json"))):
        try:
            evidence.append(read(path))
        except DpkbError as error:
            if on_unreadable is None:
                raise
            on_unreadable(error)
    return sorted(evidence, key=lambda one: (str(one.environment["device"]) != "cpu",
                                           release(one.torch) or Version("0"), one.name))


def read(path: Path) -> Evidence:
    """One file of evidence. Raises DpkbError."""
    try:
        document = json.loads(files.read_bytes(path, _MAX_BYTES))
        scripts = {key: _run(row) for key, row in document["scripts"].items()}
        return Evidence(_known_environment(document["environment"]), scripts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DpkbError(f"{path}: not a readable evidence file ({error}); delete it and record again with "
                        "`dpkb verify --record`") from None


def _known_environment(fields: dict[str, Any]) -> dict[str, str | None]:
    """The recorded fields of an environment. Raises ValueError, KeyError: a file is named after them."""
    environment = {key: fields[key] for key in _ENVIRONMENT}
    for key, text in environment.items():
        if not (isinstance(text, str) or (text is None and key == "torchvision")):
            raise ValueError(f"{key} is {text!r}")
    if release(str(environment["torch"])) is None or not _NAME.fullmatch(Evidence(environment, {}).name):
        raise ValueError(f"no such environment: {environment}")
    return environment


def _run(row: dict[str, Any]) -> Run:
    if not isinstance(row["observed"], dict | None):
        raise ValueError("observed is neither a mapping nor null")
    return Run(row["sha256"], Outcome(row["outcome"]), Verdict(row["verdict"]), bool(row["affected"]),
               row["observed"], float(row["seconds"]), str(row["date"]))


def fingerprints(scripts: Iterable[Script]) -> dict[str, str]:
    """The fingerprint of each script, by key; taken before they run."""
    return {script.key: fingerprint_of(script.path) for script in scripts}


def load_recorded(environment: Environment, folder: Path) -> Evidence:
    """The runs of a catalogue that were recorded in this environment. Raises DpkbError."""
    empty, path = _file_of(environment, folder)
    return read(path) if path.exists() else empty


def scripts_without_run(scripts: Iterable[S], environment: Environment, folders: Iterable[Path]) -> list[S]:
    """The scripts whose present code has no recorded run in this environment. Raises DpkbError."""
    recorded = [load_recorded(environment, folder) for folder in folders]
    return [script for script in scripts if not any(evidence.run_of(script) for evidence in recorded)]


def _file_of(environment: Environment, folder: Path) -> tuple[Evidence, Path]:
    """Evidence of this environment without runs, and its file."""
    empty = Evidence({key: getattr(environment, key) for key in _ENVIRONMENT}, {})
    return empty, folder / FOLDER / f"{empty.name}.json"


def record(results: Iterable[Result], environment: Environment, entries: Iterable[Entry], folder: Path,
           date: str, before: dict[str, str] | None = None) -> Path:
    """Add these results to the evidence of their environment, and return its file. Skipped runs are left out.

    Runs of other scripts stay; runs of scripts whose file no longer exists are removed. before: the
    fingerprints when the runs began, so that a script that changed meanwhile counts as not run.
    """
    known = {script.key: script for entry in entries for script in entry.scripts}
    empty, path = _file_of(environment, folder)
    new = _runs_by_key(results, known, date, {**fingerprints(known.values()), **(before or {})})
    with _locked(folder):
        scripts = {**(read(path).scripts if path.exists() else {}), **new}
        # `entries` were read when the command began: an entry may have been written since.
        existing = {key for key, script in known.items() if script.path.exists()} | _script_keys(folder)
        in_order = dict.fromkeys([*known, *scripts])
        current = {key: scripts[key] for key in in_order if key in scripts and key in existing}
        _write(path, Evidence(empty.environment, current))
    return path


def record_by_catalogue(results: Sequence[Result], environment: Environment, catalogue: Catalogue, date: str,
                        before: dict[str, str]) -> tuple[list[Path], list[str]]:
    """Add each result to the evidence of the catalogue that has its script: see `record`.

    Returns the files that were written, and why other files could not be.
    """
    written: list[Path] = []
    not_written: list[str] = []
    for folder in catalogue.folders:
        own = [entry for entry in catalogue if entry.path.is_relative_to(folder)]
        ids = {entry.id for entry in own}
        if own_results := [result for result in results if result.id in ids]:
            try:
                written.append(record(own_results, environment, own, folder, date, before))
            except DpkbError as error:
                not_written.append(str(error))
    return written, not_written


def _script_keys(folder: Path) -> set[str]:
    """The keys of all scripts that a catalogue has now, from the names of their files."""
    return {f"{script.parent.name.split('_')[0].upper()}/{script.stem}"
            for script in (folder / REPRODUCERS_FOLDER).glob("*/*.py")}


def _runs_by_key(results: Iterable[Result], known: dict[str, Script], date: str,
                 prints: dict[str, str]) -> dict[str, Run]:
    runs: dict[str, Run] = {}
    for result in results:
        key = f"{result.id}/{result.script}"
        if key not in known or result.verdict is Verdict.SKIPPED:
            continue
        # Of repeated runs the worst is kept: a run that disagrees must not be lost.
        if key not in runs or runs[key].verdict is Verdict.CONFIRMED:
            runs[key] = Run(prints[key], result.outcome, result.verdict, result.affected,
                            result.observed, result.seconds, date)
    return runs


def merge(shards: Iterable[Evidence], folder: Path) -> list[Path]:
    """Merge the evidence that shards recorded into that of a catalogue; the files written.

    Of several runs of a script the newest is kept; of runs of the same day, that of the later shard.
    """
    with _locked(folder):
        by_name: dict[str, Evidence] = {evidence.name: evidence for evidence in load(folder)}
        for shard in shards:
            scripts = by_name.setdefault(shard.name, Evidence(shard.environment, {})).scripts
            scripts.update({key: run for key, run in shard.scripts.items()
                            if key not in scripts or run.date >= scripts[key].date})
        paths = []
        for name, evidence in by_name.items():
            paths.append(folder / FOLDER / f"{name}.json")
            _write(paths[-1], evidence)
    return paths


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keeps two commands that record at the same time from losing each other's runs. Raises CannotWrite."""
    try:
        with files.exclusive_lock(folder / FOLDER):
            yield
    except OSError as error:
        raise CannotWrite(f"{folder / FOLDER}: the evidence cannot be written: {error.strerror}; what was "
                          "recorded before is unchanged") from None


def _write(path: Path, evidence: Evidence) -> None:
    rows = {key: _row(run) for key, run in evidence.scripts.items()}
    document = {"version": VERSION, "environment": evidence.environment, "scripts": rows}
    files.write(path, json.dumps(document, indent=1) + "\n")


def _row(run: Run) -> dict[str, Any]:
    return {"sha256": run.sha256, "outcome": run.outcome.value, "verdict": run.verdict.value,
            "affected": run.affected, "observed": run.observed, "seconds": run.seconds, "date": run.date}
