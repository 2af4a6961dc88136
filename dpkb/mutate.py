"""Holds the judge to its word: mutants of the catalogue's scripts, checked, then run.

A mutant is caught where `dpkb check` has something to say of it that it does not say of the
script itself, or where `dpkb verify` would not count it as confirmed.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dpkb import measured, mutants, needs
from dpkb.check import script_problems
from dpkb.entry import Entry, Environment, Outcome, Result, Script, Verdict
from dpkb.errors import DpkbError
from dpkb.evidence import Evidence
from dpkb.mutants import Mutant
from dpkb.reproduce import Session, verify
from dpkb.verdict import judge

CHECK, VERIFY, NOT_TESTED, SURVIVED = "check", "verify", "not tested", "survived"
PENDING = "to be run"
Told = Callable[[Result], None]


@dataclass
class Report:
    """What became of every mutant."""

    fates: list[tuple[Mutant, str]] = field(default_factory=list)
    survivors: list[tuple[Mutant, str, list[str]]] = field(default_factory=list)
    runs: int = 0
    seconds: float = 0.0

    def counts(self, kind: str | None = None) -> dict[str, int]:
        """How many mutants were made, and what caught them; of one kind, or of all."""
        fates = [fate for mutant, fate in self.fates if kind in (None, mutant.kind)]
        return {"made": len(fates), **{f: fates.count(f) for f in (CHECK, VERIFY, NOT_TESTED, SURVIVED)}}


def mutate(entries: list[Entry], scripts: Iterable[Script], session: Session, jobs: int,
           recorded: list[Evidence], kinds: Collection[str], started: Callable[[int, str], Told]) -> Report:
    """Make, check and run the mutants of these scripts, of these kinds. Raises Stopped.

    A script that was recorded here as it is now is not run again. started is told how many runs
    begin and of what; what it returns is told each result.
    """
    begin = time.monotonic()
    report = Report()
    for entry in entries:
        _require_sound(entry)
    by_key = {(script.entry, script.name): script for script in scripts}
    # What an error says is not recorded; it is needed to raise another one of the same type.
    again = (Outcome.RAISED,) if "another error" in kinds else ()
    seen = {key: result for key, result in _recorded(by_key, session.environment, recorded).items()
            if result.outcome not in again}
    left = [script for key, script in by_key.items() if key not in seen]
    told = started(len(left), "scripts as they are")
    for result in verify(left, session, jobs):
        seen[result.id, result.script] = result
        told(result)
    for entry in entries:
        own = {s.name: by_key[entry.id, s.name] for s in entry.scripts if (entry.id, s.name) in by_key}
        _static(entry, own, {name: seen[entry.id, name] for name in own}, kinds, session, report)
    _dynamic(session, jobs, started, report)
    report.runs += len(left)
    report.seconds = time.monotonic() - begin
    return report


def _require_sound(entry: Entry) -> None:
    """Raise DpkbError where a check already has something to say of an entry's scripts."""
    try:
        sources = {script.name: _text(script) for script in entry.scripts}
    except (OSError, UnicodeDecodeError) as error:
        raise DpkbError(f"{entry.id}: a script cannot be read: {error}; see `dpkb check`") from None
    for problem in script_problems(entry, sources):
        raise DpkbError(f"{problem.path}: {problem.message}; mend what `dpkb check` lists first")


def _recorded(scripts: dict[tuple[str, str], Script], environment: Environment,
              recorded: list[Evidence]) -> dict[tuple[str, str], Result]:
    """What is known of scripts without a run."""
    known = {}
    for evidence in recorded:
        if any(getattr(environment, name) != value for name, value in evidence.environment.items()):
            continue
        for key, script in scripts.items():
            was = evidence.of(script)
            if was:
                known[key] = Result(*key, script.claim, was.outcome, was.verdict, "", "", was.affected,
                                    was.observed, was.seconds)
    return known


def _static(entry: Entry, scripts: dict[str, Script], seen: dict[str, Result], kinds: Collection[str],
            session: Session, report: Report) -> None:
    """Give each mutant of an entry's scripts its fate, as far as a check of the text can."""
    sources = {name: _text(script) for name, script in scripts.items()}
    for script in scripts.values():
        before = _said(entry, sources, script.name)
        for mutant in mutants.mutants(entry, script, sources, seen):
            if mutant.kind not in kinds:
                continue
            if _said(entry, {**sources, script.name: mutant.source}, script.name) - before:
                fate = CHECK
            elif not _is_decidable(mutant, seen, session):
                fate = NOT_TESTED
            elif mutant.kind == "swapped":
                # The very program of another script, whose outcome is known already.
                fate = _judged_as(mutant, seen[mutant.near], session, report)
            else:
                fate = PENDING
            report.fates.append((mutant, fate))


def _said(entry: Entry, sources: dict[str, str], name: str) -> set[str]:
    """What a check says of one script and its pair."""
    pair = {n: text for n, text in sources.items() if n in ("broken", "fixed", name)}
    return {problem.message for problem in script_problems(entry, pair)}


def _judged_as(mutant: Mutant, known: Result, session: Session, report: Report) -> str:
    """What the judge makes of a mutant that does what another script did."""
    judged = judge(mutant.script, known.outcome, known.seen, known.log.splitlines(),
                   session.environment.versions)
    if judged.verdict is not Verdict.CONFIRMED:
        return VERIFY
    report.survivors.append((mutant, f"confirmed: {judged.seen}", mutant.changes(_text(mutant.script))))
    return SURVIVED


def _text(script: Script) -> str:
    return script.path.read_text(encoding="utf-8")


def _is_decidable(mutant: Mutant, seen: dict[str, Result], session: Session) -> bool:
    """Whether a run here can tell the mutant from the script: it runs here, and its opposite differs."""
    script = mutant.script
    if seen[script.name].verdict is not Verdict.CONFIRMED:
        return False
    versions = session.environment.versions
    if script.shows is Outcome.HEALTHY and not script.range.covers(versions):
        return False  # a fix that must not work here: no way of failing is declared
    if mutant.near:
        partner = seen[mutant.near]
        return partner.outcome is not seen[script.name].outcome and partner.verdict is Verdict.CONFIRMED
    if mutant.kind == "false OBSERVED":
        return (seen[script.name].outcome is Outcome.HEALTHY) is (script.shows is Outcome.HEALTHY)
    return True


def _dynamic(session: Session, jobs: int, started: Callable[[int, str], Told], report: Report) -> None:
    """Run the mutants that no check caught, and put right what became of them."""
    pending = {str(n): n for n, (_, fate) in enumerate(report.fates) if fate == PENDING}
    told = started(len(pending), "mutants that no check caught")
    with tempfile.TemporaryDirectory(prefix="dpkb-mutants-") as folder:
        scripts = [_as_script(report.fates[n][0], key, Path(folder)) for key, n in pending.items()]
        for result in verify(scripts, session, jobs):
            mutant, _ = report.fates[pending[result.script]]
            told(replace(result, script=f"{mutant.script.name}, {mutant.kind}"))
            fate = _fate(mutant, result)
            report.fates[pending[result.script]] = mutant, fate
            if fate == SURVIVED:
                told_as = f"{result.verdict.value}: {result.seen}"
                report.survivors.append((mutant, told_as, mutant.changes(_text(mutant.script))))
    report.runs += len(pending)


def _as_script(mutant: Mutant, key: str, folder: Path) -> Script:
    path = folder / key / f"{mutant.script.name}.py"
    path.parent.mkdir()
    path.write_text(mutant.source, encoding="utf-8")
    asked = replace(needs.needs(mutant.source), skips=measured.skip_texts(mutant.source))
    return replace(mutant.script, name=key, path=path, needs=asked)


def _fate(mutant: Mutant, result: Result) -> str:
    if result.verdict is Verdict.CONFIRMED:
        return SURVIVED
    if result.verdict is Verdict.SKIPPED:
        return SURVIVED if mutant.kind == "skips" else NOT_TESTED
    return VERIFY


def to_text(report: Report) -> str:
    """The survivors with their changed lines, a table of kinds, and the sum."""
    lines = []
    for mutant, seen, changes in report.survivors:
        lines += [f"{mutant.script.entry} {mutant.script.name}: {mutant.kind}, {mutant.what}: {seen}",
                  *(f"    {change}" for change in changes), ""]
    heads = ("made", CHECK, VERIFY, NOT_TESTED, SURVIVED)
    lines.append(f"{'mutants':<16}" + "".join(f"{head:>12}" for head in heads))
    for kind in (*mutants.KINDS, None):
        counts = report.counts(kind)
        if counts["made"]:
            lines.append(f"{kind or 'all':<16}" + "".join(f"{counts[head]:>12}" for head in heads))
    lines.append(f"{report.runs} runs, {report.seconds / 60:.1f} minutes")
    return "\n".join(lines)


def to_json(report: Report) -> dict[str, Any]:
    """The same for a program."""
    return {
        "version": 1, "summary": report.counts(), "kinds": {k: report.counts(k) for k in mutants.KINDS},
        "survivors": [
            {"id": m.script.entry, "script": m.script.name, "kind": m.kind, "what": m.what, "seen": seen,
             "changes": changes} for m, seen, changes in report.survivors
        ],
        "runs": report.runs, "seconds": round(report.seconds, 1),
    }
