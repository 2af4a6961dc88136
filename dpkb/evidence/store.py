"""Recorded runs of the scripts: one JSON file for each environment."""

from __future__ import annotations

import contextlib
import datetime
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from packaging.version import Version

from dpkb import files
from dpkb.catalogue.load import Catalogue
from dpkb.errors import CannotWrite, DpkbError
from dpkb.model import Entry, Outcome, Script, parse_release
from dpkb.paths import REPRODUCERS_FOLDER
from dpkb.run_records import Environment, RunResult, Verdict
from dpkb.scripts.fingerprint import compute_fingerprint

ScriptT = TypeVar("ScriptT", bound=Script)

EVIDENCE_FOLDER = "evidence"
# The version of the format of an evidence file.
FORMAT_VERSION = 1
# Far more than a script or an evidence file has.
_MAX_BYTES = 32 << 20
# The fields of an environment that are recorded: no path of the machine.
_ENVIRONMENT_FIELDS = ("torch", "torchvision", "python", "os", "device", "packages")
_FILE_NAME = re.compile(r"\w[\w.-]*", re.ASCII)
# No version, system or device has markup or control characters.
_PLAIN_TEXT = re.compile(r"[^<>&\"\x00-\x1f\x7f]*")


class State(str, Enum):
    """What the runs of one entry in one environment show together."""

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
    # The versions of the packages that the script's `Needs:` line names, if they were known.
    packages: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Evidence:
    """All recorded runs in one environment, by script key ("DP1/broken")."""

    environment: dict[str, Any]
    scripts: dict[str, Run]

    @property
    def torch(self) -> str:
        return str(self.environment["torch"])

    @property
    def name(self) -> str:
        """The name of the file without `.json`: torch-python-os-device, and the packages of --with."""
        values = [self.environment[key] or "none" for key in ("torch", "python", "os", "device")]
        values += map("-".join, self.environment["packages"].items())
        return "-".join(value.split(" ")[0].split("+")[0] for value in values)

    @property
    def key(self) -> tuple[str, ...]:
        """What tells this environment from all others; two builds of one torch have the same name."""
        return tuple(str(self.environment[key]) for key in _ENVIRONMENT_FIELDS)

    def run_of(self, script: Script) -> Run | None:
        """The run of a script; None if it was not run, or if its code has changed since."""
        run = self.scripts.get(script.key)
        return run if run and run.sha256 == fingerprint_of(script.path) else None

    def runs_of(self, entry: Entry) -> list[Run]:
        """The runs of an entry's scripts whose code has not changed since."""
        return [run for script in entry.scripts if (run := self.run_of(script))]

    def state_of(self, entry: Entry) -> State:
        """The result of an entry's runs. A skipped script counts as not run."""
        if any(run.verdict is Verdict.REFUTED for run in self.runs_of(entry)):
            return State.REFUTED
        pair = {
            script.name: run
            for script in entry.scripts
            if script.name in ("broken", "fixed")
            if (run := self.run_of(script)) and run.verdict is Verdict.CONFIRMED
        }
        if len(pair) < 2:
            return State.NOT_RUN
        # The failure decides: a version may have the failure before it has the fix.
        return State.CONFIRMED if pair["broken"].affected else State.NOT_AFFECTED


def fingerprint_of(script: Path) -> str:
    """The fingerprint of a script's code; empty where the file cannot be read."""
    try:
        status = script.stat()
        return _compute_fingerprint_once(script, status.st_mtime_ns, status.st_size)
    except OSError:
        return ""


@cache
def _compute_fingerprint_once(script: Path, mtime_ns: int, size: int) -> str:
    # Needed for every environment, so it is cached; with time and size, so that an edited file is read again.
    return compute_fingerprint(files.read_bytes(script, _MAX_BYTES).decode("utf-8", "surrogateescape"))


def load(*folders: Path, on_unreadable: Callable[[DpkbError], None] | None = None) -> list[Evidence]:
    """Read all evidence of these catalogues: CPU before GPU, oldest torch first.

    An unreadable file is left out if on_unreadable takes its error; otherwise DpkbError is raised.
    """
    evidence = []
    for path in (path for folder in folders for path in sorted((folder / EVIDENCE_FOLDER).glob("*.json"))):
        try:
            evidence.append(read(path))
        except DpkbError as error:
            if on_unreadable is None:
                raise
            on_unreadable(error)
    return sorted(
        evidence,
        key=lambda e: (
            str(e.environment["device"]) != "cpu",
            parse_release(e.torch) or Version("0"),
            e.name,
            *e.key,
        ),
    )


def read(path: Path) -> Evidence:
    """Read one evidence file. Raises DpkbError if that fails."""
    try:
        document = json.loads(files.read_bytes(path, _MAX_BYTES))
        version = document.get("version", FORMAT_VERSION)
        if isinstance(version, int) and version > FORMAT_VERSION:
            raise DpkbError(f"{path}: it was written by a newer dpkb: update dpkb")
        if version != FORMAT_VERSION:
            raise ValueError(f"version is {version!r}")
        scripts = {key: _parse_run(row) for key, row in document["scripts"].items()}
        return Evidence(_parse_environment(document["environment"]), scripts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DpkbError(
            f"{path}: not a readable evidence file ({error}); restore it from git, or delete it "
            "and record again with `dpkb verify --record`"
        ) from None


def _parse_environment(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of an environment. Raises ValueError or KeyError if no environment has such values."""
    fields = {"packages": {}, **fields}
    environment = {key: fields[key] for key in _ENVIRONMENT_FIELDS}
    for key, text in {**environment, **environment["packages"], "packages": ""}.items():
        if text is None and key == "torchvision":
            continue
        if not (isinstance(text, str) and _PLAIN_TEXT.fullmatch(text)):
            raise ValueError(f"{key} must be plain text, but is {text!r}")
    if parse_release(str(environment["torch"])) is None or not _FILE_NAME.fullmatch(
        Evidence(environment, {}).name
    ):
        raise ValueError(f"no environment has these values: {environment}")
    return environment


def _parse_run(row: dict[str, Any]) -> Run:
    if not isinstance(row["observed"], dict | None):
        raise ValueError("observed is neither a mapping nor null")
    # Dates are compared as texts, so all have the same form: from Python 3.11 on, others can be read too.
    date = datetime.date.fromisoformat(row["date"]).isoformat()
    return Run(
        row["sha256"],
        Outcome(row["outcome"]),
        Verdict(row["verdict"]),
        bool(row["affected"]),
        row["observed"],
        float(row["seconds"]),
        date,
        {str(name): str(version) for name, version in row.get("packages", {}).items()},
    )


def load_recorded(environment: Environment, folder: Path) -> Evidence:
    """The runs of a catalogue that were recorded in this environment; there may be none. Raises DpkbError."""
    return find_recorded(_create_evidence(environment), folder)[1]


def find_scripts_without_run(
    scripts: Iterable[ScriptT], environment: Environment, folders: Iterable[Path]
) -> list[ScriptT]:
    """The scripts whose present code has no recorded run in this environment. Raises DpkbError."""
    recorded = [load_recorded(environment, folder) for folder in folders]
    return [script for script in scripts if not any(evidence.run_of(script) for evidence in recorded)]


def _create_evidence(environment: Environment) -> Evidence:
    return Evidence({key: getattr(environment, key) for key in _ENVIRONMENT_FIELDS}, {})


def find_recorded(empty: Evidence, folder: Path) -> tuple[Path, Evidence]:
    """The file of an environment, and its evidence; `empty` if there is none. Raises DpkbError.

    Environments that differ only in torch's build or the GPU have files with the same name and a number.
    """
    path, number = folder / EVIDENCE_FOLDER / f"{empty.name}.json", 1
    while path.exists():
        recorded = read(path)
        if recorded.key == empty.key:
            return path, recorded
        number += 1
        path = path.with_name(f"{empty.name}-{number}.json")
    return path, empty


def record(
    results: Iterable[RunResult],
    environment: Environment,
    entries: Iterable[Entry],
    folder: Path,
    date: str,
    before: dict[str, str] | None = None,
) -> Path:
    """Add results to the evidence of their environment, without skipped ones. Returns the evidence file.

    Runs of other scripts stay; runs of scripts whose file no longer exists are removed. before: the
    fingerprints when the runs began, so that a script that changed meanwhile counts as not run.
    """
    known = {script.key: script for entry in entries for script in entry.scripts}
    new = _read_runs(results, known, date, before or {})
    with locked(folder):
        path, recorded = find_recorded(_create_evidence(environment), folder)
        scripts = {**recorded.scripts, **new}
        # `entries` were read when the command began: another process may have added an entry since.
        existing = {key for key, script in known.items() if script.path.exists()} | _list_script_keys(folder)
        in_order = dict.fromkeys([*known, *scripts])
        current = {key: scripts[key] for key in in_order if key in scripts and key in existing}
        return write(Evidence(recorded.environment, current), path)


def require_recordable(environment: Environment, folder: Path) -> None:
    """Raise DpkbError if runs in this environment cannot be recorded. Call it before they run."""
    with locked(folder):
        files.require_writable_folder(folder / EVIDENCE_FOLDER)
        load_recorded(environment, folder)


def record_by_catalogue(
    results: Sequence[RunResult],
    environment: Environment,
    catalogue: Catalogue,
    date: str,
    before: dict[str, str],
) -> tuple[list[Path], list[str]]:
    """Add each result to the evidence of the catalogue that has its script: see `record`.

    Returns the files that were written, and a message for each file that could not be written.
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


def _list_script_keys(folder: Path) -> set[str]:
    """The keys of all scripts that a catalogue has now, from the names of their files."""
    return {
        f"{script.parent.name.split('_')[0].upper()}/{script.stem}"
        for script in (folder / REPRODUCERS_FOLDER).glob("*/*.py")
    }


def _read_runs(
    results: Iterable[RunResult], known: dict[str, Script], date: str, before: dict[str, str]
) -> dict[str, Run]:
    runs: dict[str, Run] = {}
    for result in results:
        key = f"{result.id}/{result.script}"
        if key not in known or result.verdict is Verdict.SKIPPED:
            continue
        # If a script ran several times, a run that is not confirmed is kept: it must not be lost.
        if key not in runs or runs[key].verdict is Verdict.CONFIRMED:
            runs[key] = Run(
                before[key] if key in before else fingerprint_of(known[key].path),
                result.outcome,
                result.verdict,
                result.affected,
                result.observed,
                result.seconds,
                date,
                result.packages,
            )
    return runs


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the evidence of a catalogue, so that two commands do not overwrite each other's runs.

    Raises CannotWrite.
    """
    try:
        with files.exclusive_lock(folder / EVIDENCE_FOLDER):
            yield
    except OSError as error:
        raise CannotWrite(
            f"{folder / EVIDENCE_FOLDER}: the evidence cannot be written: {error.strerror}; "
            "what was recorded before is unchanged"
        ) from None


def write(evidence: Evidence, path: Path) -> Path:
    """Write an evidence file. Returns its path."""
    rows = {key: _run_fields(run) for key, run in evidence.scripts.items()}
    # Only an environment of --with has packages.
    environment = {key: value for key, value in evidence.environment.items() if value != {}}
    document = {"version": FORMAT_VERSION, "environment": environment, "scripts": rows}
    files.write_text(path, json.dumps(document, indent=1) + "\n")
    return path


def _run_fields(run: Run) -> dict[str, Any]:
    return {
        "sha256": run.sha256,
        "outcome": run.outcome.value,
        "verdict": run.verdict.value,
        "affected": run.affected,
        "observed": run.observed,
        "seconds": run.seconds,
        "date": run.date,
        **({"packages": run.packages} if run.packages else {}),
    }
