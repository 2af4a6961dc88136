"""The scripts of a catalogue, each read only once for the site, and the recorded runs of their code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from packaging.version import Version

from dpkb.catalogue.load import Catalogue, read_reproducer
from dpkb.errors import DpkbError
from dpkb.evidence.store import Evidence, Run
from dpkb.judge.observed import read_grid
from dpkb.model import Reproducer, Script, parse_release
from dpkb.output.wording import describe_environment
from dpkb.scripts.fingerprint import compute_fingerprint


@dataclass(frozen=True)
class RecordedRun:
    """A recorded run of a script, and the evidence that has it."""

    run: Run
    evidence: Evidence

    @property
    def observed(self) -> dict[str, Any]:
        return self.run.observed or {}

    @property
    def environment(self) -> str:
        return describe_environment(self.evidence.environment, brief=True)

    @property
    def drawable_keys(self) -> set[str]:
        """The keys of the OBSERVED line whose values can be drawn."""
        return {key for key, value in self.observed.items() if read_grid(key, value)}


class CurrentEvidence(Evidence):
    """Evidence whose runs are known to be of the present code, so that no script is read again."""

    def run_of(self, script: Script) -> Run | None:
        return self.scripts.get(script.key)


class RecordedScripts:
    """The text of every script of a catalogue, and its recorded runs."""

    def __init__(self, catalogue: Catalogue, evidence: list[Evidence]) -> None:
        scripts = [script for entry in catalogue for script in entry.scripts]
        self._reproducers = {script.key: _read(script) for script in scripts}
        self.evidence = self._select_current_evidence(evidence)
        self._newest_runs = {script.key: self._choose_newest_run(script) for script in scripts}

    def find_reproducer(self, script: Script) -> Reproducer | None:
        """The script with its text; None if it cannot be read."""
        return self._reproducers[script.key]

    def find_newest_run(self, script: Script) -> RecordedRun | None:
        """The run on the newest torch, and if possible on a version for which the claim is made."""
        return self._newest_runs[script.key]

    def needs_gpu(self, script: Script | None) -> bool:
        """Whether a script runs only on a GPU."""
        reproducer = self.find_reproducer(script) if script else None
        return reproducer is not None and reproducer.needs.devices == ("cuda",)

    def _select_current_evidence(self, evidence: list[Evidence]) -> list[Evidence]:
        """The runs of the present code; those of several catalogues in one environment are joined."""
        fingerprints = {
            key: compute_fingerprint(reproducer.source)
            for key, reproducer in self._reproducers.items()
            if reproducer
        }
        current: dict[tuple[str, ...], Evidence] = {}
        for e in evidence:
            runs = {key: run for key, run in e.scripts.items() if fingerprints.get(key) == run.sha256}
            current.setdefault(e.key, CurrentEvidence(e.environment, {})).scripts.update(runs)
        return list(current.values())

    def _choose_newest_run(self, script: Script) -> RecordedRun | None:
        runs = [RecordedRun(run, e) for e in self.evidence if (run := e.run_of(script))]
        return max(
            runs,
            default=None,
            key=lambda recorded: (
                recorded.run.affected,
                parse_release(recorded.evidence.torch) or Version("0"),
                recorded.run.date,
            ),
        )


def _read(script: Script) -> Reproducer | None:
    try:
        return read_reproducer(script)
    except DpkbError:
        return None
