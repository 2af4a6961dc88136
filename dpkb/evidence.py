"""What was seen when the scripts ran: one file for each torch, Python, system and device."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from dpkb import files
from dpkb.entry import Entry, Environment, Outcome, Result, Script, Verdict, release
from dpkb.errors import DpkbError
from dpkb.parse import mentions

FOLDER = "evidence"
# Far more than a script or a file of evidence has.
_MOST_BYTES = 32 << 20
# What of the environment is recorded: no path of the machine is.
_ENVIRONMENT = ("torch", "torchvision", "python", "os", "device")
_NAME = re.compile(r"\w[\w.-]*", re.ASCII)


class State(str, Enum):
    """What the runs of one entry on one version come to."""

    CONFIRMED = "confirmed"
    NOT_AFFECTED = "not affected"
    REFUTED = "refuted"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Seen:
    """One recorded run of one script."""

    sha256: str
    outcome: Outcome
    verdict: Verdict
    affected: bool
    observed: dict[str, Any] | None
    seconds: float
    date: str


@dataclass(frozen=True)
class Evidence:
    """All recorded runs under one environment: script key ("DP1/broken") -> what was seen."""

    environment: dict[str, str | None]
    scripts: dict[str, Seen]

    @property
    def torch(self) -> str:
        return str(self.environment["torch"])

    @property
    def name(self) -> str:
        """The file's name, without its ending: torch-python-os-device."""
        parts = (self.environment[key] or "none" for key in ("torch", "python", "os", "device"))
        return "-".join(part.split(" ")[0].split("+")[0] for part in parts)

    def of(self, script: Script) -> Seen | None:
        """What was seen of a script as it is now; None where it was not run, or has changed since."""
        seen = self.scripts.get(f"{script.entry}/{script.name}")
        return seen if seen and seen.sha256 == fingerprint(script.path) else None

    def runs(self, entry: Entry) -> list[Seen]:
        """What was seen of the scripts of an entry, as they are now."""
        return [seen for script in entry.scripts if (seen := self.of(script))]

    def state(self, entry: Entry) -> State:
        """What the runs of an entry come to. Skipped is not run."""
        if any(seen.verdict is Verdict.REFUTED for seen in self.runs(entry)):
            return State.REFUTED
        pair = [self.of(script) for script in entry.scripts if script.name in ("broken", "fixed")]
        if len(pair) < 2 or any(seen is None or seen.verdict is not Verdict.CONFIRMED for seen in pair):
            return State.NOT_RUN
        return State.CONFIRMED if all(seen.affected for seen in pair) else State.NOT_AFFECTED


def fingerprint(script: Path) -> str:
    """The first 16 digits of a script's SHA-256, line endings left aside."""
    try:
        text = files.contents(script, _MOST_BYTES).replace(b"\r\n", b"\n")
    except OSError:
        return ""
    return hashlib.sha256(text).hexdigest()[:16]


def load(*folders: Path) -> list[Evidence]:
    """All evidence of these catalogues, oldest torch first. Raises DpkbError for a file that is none."""
    found = [read(path) for folder in folders for path in sorted((folder / FOLDER).glob("*.json"))]
    return sorted(found, key=lambda evidence: (str(evidence.environment["device"]) != "cpu",
                                               release(evidence.torch), evidence.name))


def read(path: Path) -> Evidence:
    """One file of evidence. Raises DpkbError."""
    try:
        told = json.loads(files.contents(path, _MOST_BYTES))
        scripts = {key: _seen(row) for key, row in told["scripts"].items()}
        return Evidence(_known_environment(told["environment"]), scripts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DpkbError(f"{path}: is no evidence that can be read ({error}); record it anew with "
                        "`dpkb verify --record`") from None


def _known_environment(told: dict[str, Any]) -> dict[str, str | None]:
    """What is recorded of an environment. Raises ValueError, KeyError: a name of a file is made of it."""
    environment = {key: told[key] for key in _ENVIRONMENT}
    for key, text in environment.items():
        if not (isinstance(text, str) or (text is None and key == "torchvision")):
            raise ValueError(f"{key} is {text!r}")
    if release(environment["torch"]) is None or not _NAME.fullmatch(Evidence(environment, {}).name):
        raise ValueError(f"no such environment: {environment}")
    return environment


def _seen(row: dict[str, Any]) -> Seen:
    if not isinstance(row["observed"], dict | None):
        raise ValueError("observed is neither a mapping nor null")
    return Seen(row["sha256"], Outcome(row["outcome"]), Verdict(row["verdict"]), bool(row["affected"]),
                row["observed"], float(row["seconds"]), str(row["date"]))


def fingerprints(scripts: Iterable[Script]) -> dict[str, str]:
    """Each script ("DP1/broken") and its fingerprint, to be taken before they run."""
    return {f"{script.entry}/{script.name}": fingerprint(script.path) for script in scripts}


def record(results: Iterable[Result], environment: Environment, entries: Iterable[Entry], folder: Path,
           date: str, before: dict[str, str] | None = None) -> Path:
    """Add these results to the evidence of their environment. Skipped runs are no evidence.

    What was recorded of other scripts stays; what belongs to scripts that are gone goes. before: the
    fingerprints when the runs began, so that a script which changed meanwhile counts as not run.
    """
    known = {f"{s.entry}/{s.name}": s for entry in entries for s in entry.scripts}
    made = Evidence({key: getattr(environment, key) for key in _ENVIRONMENT}, {})
    path = folder / FOLDER / f"{made.name}.json"
    seen = _recorded(results, known, date, {**fingerprints(known.values()), **(before or {})})
    with _changing(folder):
        scripts = {**(read(path).scripts if path.exists() else {}), **seen}
        kept = {key: scripts[key] for key in known if key in scripts}
        _write(path, Evidence(made.environment, kept))
    return path


def _recorded(results: Iterable[Result], known: dict[str, Script], date: str,
              prints: dict[str, str]) -> dict[str, Seen]:
    found: dict[str, Seen] = {}
    for result in results:
        key = f"{result.id}/{result.script}"
        if key not in known or result.verdict is Verdict.SKIPPED:
            continue
        seen = Seen(prints[key], result.outcome, result.verdict, result.affected,
                    result.observed, result.seconds, date)
        # Of repeated runs the worst is kept: one that disagrees must not be lost.
        worse = found.get(key)
        if worse is None or worse.verdict is Verdict.CONFIRMED:
            found[key] = seen
    return found


def merge(parts: Iterable[Evidence], folder: Path) -> list[Path]:
    """Put the parts that shards recorded together, into the evidence of a catalogue.

    Of a script that several have, the newest run is kept; of one day's runs, that of the later part.
    """
    with _changing(folder):
        by_name: dict[str, Evidence] = {evidence.name: evidence for evidence in load(folder)}
        for part in parts:
            kept = by_name.setdefault(part.name, Evidence(part.environment, {})).scripts
            kept.update({key: seen for key, seen in part.scripts.items()
                         if key not in kept or seen.date >= kept[key].date})
        paths = []
        for name, evidence in by_name.items():
            paths.append(folder / FOLDER / f"{name}.json")
            _write(paths[-1], evidence)
    return paths


@contextlib.contextmanager
def _changing(folder: Path) -> Iterator[None]:
    """Two runs that record at the same time add to each other's evidence. Raises DpkbError."""
    try:
        with files.alone_in(folder / FOLDER):
            yield
    except OSError as error:
        raise DpkbError(f"{folder / FOLDER}: the evidence cannot be written: {error.strerror}; what was "
                        "recorded before is as it was") from None


def _write(path: Path, evidence: Evidence) -> None:
    """In one step, so that a reader never sees half a file."""
    rows = {key: _row(seen) for key, seen in evidence.scripts.items()}
    told = {"version": 1, "environment": evidence.environment, "scripts": rows}
    files.write(path, json.dumps(told, indent=1) + "\n")


def _row(seen: Seen) -> dict[str, Any]:
    return {"sha256": seen.sha256, "outcome": seen.outcome.value, "verdict": seen.verdict.value,
            "affected": seen.affected, "observed": seen.observed, "seconds": seen.seconds, "date": seen.date}


def summary(entry: Entry, evidence: Iterable[Evidence]) -> str:
    """One line on where an entry was seen: versions, and the last date. Empty where it was not."""
    states = [(e, e.state(entry)) for e in evidence]
    seen = [e for e, state in states if state is State.CONFIRMED]
    spared = [e for e, state in states if state is State.NOT_AFFECTED]
    dates = [row.date for e in (*seen, *spared) for row in e.runs(entry)]
    if not dates:
        return ""
    parts = [f"seen on torch {_span(seen)}" if seen else "", f"absent on {_span(spared)}" if spared else ""]
    return f"{', '.join(filter(None, parts))}; last run {max(dates)}"


def broad(evidence: list[Evidence], entries: Iterable[Entry]) -> list[Evidence]:
    """Those of the evidence that cover many entries; others were made to find where one claim ends."""
    counts = {id(e): sum(e.state(entry) is not State.NOT_RUN for entry in entries) for e in evidence}
    return [e for e in evidence if 2 * counts[id(e)] >= max(counts.values(), default=0)]


def claims(entry: Entry, evidence: Iterable[Evidence]) -> dict[str, Any]:
    """How many claims the text of an entry makes, how many of them have a script, and which were run.

    A claim of the text is a script that it names, and always the failure and its fix.
    """
    named = {name.removesuffix(".py") for s in entry.sections for name in mentions(s.text)[1]}
    made = named | {"broken", "fixed"}
    have = [script for script in entry.scripts if script.path.is_file()]
    run = [s.name for s in have if any(e.of(s) is not None for e in evidence)]
    return {"id": entry.id, "claims": len(made), "scripts": len(have), "run": len(run),
            "not_run": [s.name for s in have if s.name not in run]}


def _span(evidence: list[Evidence]) -> str:
    versions = list(dict.fromkeys(e.torch.split("+")[0] for e in evidence))
    return ", ".join(versions)
