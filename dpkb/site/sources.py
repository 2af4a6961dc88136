"""The scripts of a catalogue, each read once for a build of the site, and the runs that still count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from packaging.version import Version

from dpkb.catalogue.load import Catalogue, read_reproducer
from dpkb.errors import DpkbError
from dpkb.evidence.store import Evidence, Run
from dpkb.judge.observed import grid
from dpkb.model import Entry, Reproducer, Script, release
from dpkb.output.wording import environment_line
from dpkb.scripts.fingerprint import fingerprint


@dataclass(frozen=True)
class RecordedRun:
    """One recorded run of a script, and the environment of it."""

    run: Run
    evidence: Evidence

    @property
    def observed(self) -> dict[str, Any]:
        return self.run.observed or {}

    @property
    def environment(self) -> str:
        return environment_line(self.evidence.environment, brief=True)

    @property
    def lists(self) -> set[str]:
        """The keys of its OBSERVED line that can be drawn."""
        return {key for key, value in self.observed.items() if grid(key, value)}


class CurrentEvidence(Evidence):
    """Runs that are known to be of the code as it is now: no script is read again."""

    def run_of(self, script: Script) -> Run | None:
        return self.scripts.get(script.key)


class Sources:
    """The text of every script of a catalogue, and what its runs have shown."""

    def __init__(self, catalogue: Catalogue, evidence: list[Evidence]) -> None:
        scripts = [script for entry in catalogue for script in entry.scripts]
        self._reproducers = {script.key: _read(script) for script in scripts}
        self.evidence = self._current(evidence)
        self._runs = {script.key: self._newest(script) for script in scripts}

    def reproducer(self, script: Script) -> Reproducer | None:
        """The script with its text; None if it cannot be read."""
        return self._reproducers[script.key]

    def run(self, script: Script) -> RecordedRun | None:
        """The run on the newest torch on which the script's claim holds."""
        return self._runs[script.key]

    def needs_gpu(self, script: Script | None) -> bool:
        """Whether a script runs only on a GPU."""
        reproducer = self.reproducer(script) if script else None
        return reproducer is not None and reproducer.needs.devices == ("cuda",)

    def dates(self, entry: Entry) -> list[str]:
        """The days of the recorded runs of an entry."""
        return [run.date for evidence in self.evidence for run in evidence.runs_of(entry)]

    def _current(self, evidence: list[Evidence]) -> list[Evidence]:
        """The runs of the code as it is now, those of several catalogues in one environment together."""
        prints = {key: fingerprint(one.source) for key, one in self._reproducers.items() if one}
        current: dict[str, Evidence] = {}
        for one in evidence:
            runs = {key: run for key, run in one.scripts.items() if prints.get(key) == run.sha256}
            current.setdefault(one.name, CurrentEvidence(one.environment, {})).scripts.update(runs)
        return list(current.values())

    def _newest(self, script: Script) -> RecordedRun | None:
        runs = [RecordedRun(run, one) for one in self.evidence if (run := one.run_of(script))]
        return max(runs, default=None, key=lambda recorded: (
            recorded.run.affected, release(recorded.evidence.torch) or Version("0"), recorded.run.date))


def _read(script: Script) -> Reproducer | None:
    try:
        return read_reproducer(script)
    except DpkbError:
        return None
