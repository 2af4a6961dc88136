"""`python -m tools.mutate [ID…]`: makes scripts wrong in every way, and lists what dpkb does not notice.

A mutant is noticed if a rule of `dpkb check` for single scripts rejects it, or if `dpkb verify` does not
confirm it. The rules about pairs are not used: they reject every change without a mark. With other seeds it is
the other way round: a claim that holds for some seeds only is listed.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import typer

from dpkb.cli.app import NO, YES, Json, Kb, Timeout, Trust, app, load_catalogue
from dpkb.cli.main import main
from dpkb.errors import DpkbError, Stopped, UsageError
from dpkb.evidence import store
from dpkb.judge.verdict import judge
from dpkb.model import Entry, Outcome, Reproducer
from dpkb.output.documents import render_document
from dpkb.output.result import environment_fields
from dpkb.output.verify import VerifyProgress
from dpkb.run_records import Environment, RunResult, Verdict
from dpkb.runner.session import Session, open_session
from dpkb.runner.trust import split_by_trust
from dpkb.runner.verify import read_scripts, verify
from dpkb.scripts import docstring, rules
from tools.mutants import KINDS, Mutant, make_mutants

CHECK, VERIFY, NOT_TESTED, SURVIVED = "check", "verify", "not tested", "survived"
_TO_BE_RUN = "to be run"
# A function that runs scripts and yields their results. The text says which scripts these are.
RunScripts = Callable[[list[Reproducer], str], Iterable[RunResult]]


@dataclass
class Report:
    """What noticed each mutant (check, verify, or nothing), and the mutants that nothing noticed."""

    statuses: list[tuple[Mutant, str]] = field(default_factory=list)
    survivors: list[tuple[Mutant, str, list[str]]] = field(default_factory=list)
    runs: int = 0
    seconds: float = 0.0

    def count(self, kind: str | None = None) -> dict[str, int]:
        """Count the mutants of one kind, or of all, by what noticed them."""
        statuses = [status for mutant, status in self.statuses if kind in (None, mutant.kind)]
        return {
            "total": len(statuses),
            **{status: statuses.count(status) for status in (CHECK, VERIFY, NOT_TESTED, SURVIVED)},
        }

    def add_survivor(self, mutant: Mutant, why: str, original: Reproducer) -> None:
        """Add a mutant that was confirmed, with its changed lines."""
        self.survivors.append((mutant, why, mutant.changed_lines(original.source)))


@app.command()
def mutate(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID…]", help="Entries; all if none.")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Only mutants of this kind.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Scripts at once; 0: two per core.", min=0)] = 0,
    timeout: Timeout = 120,
    trust: Trust = False,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Make scripts wrong in every way, and list the changes that neither check nor verify notices."""
    kinds = kind or list(KINDS)
    for name in kinds:
        if name not in KINDS:
            raise UsageError(f"--kind {name}: must be one of {', '.join(KINDS)}")
    catalogue = load_catalogue(kb)
    scripts, untrusted = split_by_trust(read_scripts(catalogue, ids or []), catalogue.folders, trust)
    if untrusted:
        raise UsageError(
            "mutants are run, and an added catalogue contains code of other people: read it, then add --trust"
        )
    ids_with_scripts = {script.entry for script in scripts}
    entries = [entry for entry in catalogue if entry.id in ids_with_scripts]
    _require_sound(entries, scripts)
    jobs = jobs or 2 * (os.cpu_count() or 1)
    with contextlib.ExitStack() as stack, open_session(None, "auto", timeout, forks=True) as session:

        def run(batch: list[Reproducer], words: str) -> Iterable[RunResult]:
            print(f"dpkb: {len(batch)} {words}", file=sys.stderr)
            progress = stack.enter_context(VerifyProgress(len(batch)))
            for result in verify(batch, session, jobs):
                progress.count(result)
                yield result

        report = make_report(entries, scripts, session, store.load(*catalogue.folders), kinds, run)
        environment = environment_fields(session.environment)
    if as_json:
        print(render_document({"environment": environment, **report_fields(report)}))
    else:
        print(render_report(report))
    return NO if report.survivors else YES


def make_report(
    entries: list[Entry],
    scripts: list[Reproducer],
    session: Session,
    recorded: list[store.Evidence],
    kinds: list[str],
    run: RunScripts,
) -> Report:
    """Make, check and run the mutants of these scripts, of these kinds. Raises Stopped, DpkbError."""
    begin = time.monotonic()
    report = Report()
    by_key = {(script.entry, script.name): script for script in scripts}
    results = _find_recorded_results(by_key, session.environment, recorded)
    if "another error" in kinds:
        # The message of an error is not recorded, and is needed to raise a different error of the same type.
        results = {key: result for key, result in results.items() if result.outcome is not Outcome.RAISED}
    not_recorded = [script for key, script in by_key.items() if key not in results]
    results.update(
        ((result.id, result.script), result) for result in run(not_recorded, "scripts as they are")
    )
    for entry in entries:
        own = {s.name: by_key[entry.id, s.name] for s in entry.scripts if (entry.id, s.name) in by_key}
        own_results = {name: results[entry.id, name] for name in own}
        _check_mutants(entry, own, own_results, kinds, session, report)
    _run_mutants(run, report, by_key)
    report.runs += len(not_recorded)
    report.seconds = time.monotonic() - begin
    return report


def _require_sound(entries: list[Entry], scripts: list[Reproducer]) -> None:
    """Raise DpkbError if a script breaks a rule as it is."""
    for entry in entries:
        sources = {script.name: script.source for script in scripts if script.entry == entry.id}
        for problem in rules.find_entry_problems(entry, sources):
            raise DpkbError(f"{problem.path}: {problem.message}; first correct what `dpkb check` reports")


def _find_recorded_results(
    scripts: dict[tuple[str, str], Reproducer], environment: Environment, recorded: list[store.Evidence]
) -> dict[tuple[str, str], RunResult]:
    """The recorded results of the same code in the same environment, which need no new run."""
    results = {}
    for evidence in recorded:
        if any(getattr(environment, name) != value for name, value in evidence.environment.items()):
            continue
        for key, script in scripts.items():
            if run := evidence.run_of(script):
                results[key] = RunResult(
                    id=script.entry,
                    script=script.name,
                    claim=script.claim,
                    outcome=run.outcome,
                    verdict=run.verdict,
                    expected="",
                    seen="",
                    affected=run.affected,
                    observed=run.observed,
                    seconds=run.seconds,
                )
    return results


def _check_mutants(
    entry: Entry,
    scripts: dict[str, Reproducer],
    results: dict[str, RunResult],
    kinds: list[str],
    session: Session,
    report: Report,
) -> None:
    """Record the status of each mutant of an entry's scripts, if it is known without a run."""
    sources = {name: script.source for name, script in scripts.items()}
    for script in scripts.values():
        for mutant in make_mutants(entry, script, sources, results):
            if session.stop.is_set():
                raise Stopped
            if mutant.kind not in kinds:
                continue
            status = _TO_BE_RUN
            result = results[script.name]
            if mutant.kind == "other seed" and result.verdict is Verdict.REFUTED:
                status = SURVIVED
                report.add_survivor(mutant, f"refuted as it is: {result.seen}", script)
            elif _breaks_a_rule(mutant):
                status = CHECK
            elif not _is_decidable(mutant, results, session):
                status = NOT_TESTED
            elif mutant.kind == "swapped" and mutant.opposite:
                # It is the same program as another script, whose result is known.
                status = _judge_by_result(mutant, results[mutant.opposite], script, session, report)
            report.statuses.append((mutant, status))


def _breaks_a_rule(mutant: Mutant) -> bool:
    """Whether a rule of `dpkb check` rejects a mutant. Being too long does not count.

    Otherwise a mutant of a long script would be noticed for its length, whatever it changes.
    """
    problems = rules.find_script_problems(mutant.script, mutant.source)
    return bool({*problems} - {*rules.find_length_problems(mutant.source)})


def _judge_by_result(
    mutant: Mutant, result: RunResult, original: Reproducer, session: Session, report: Report
) -> str:
    """The status of a mutant that is the same program as another script, which had this result."""
    judged = judge(mutant.script, result.outcome, result.seen, [], session.environment.versions)
    if judged.verdict is not Verdict.CONFIRMED:
        return VERIFY
    report.add_survivor(mutant, f"confirmed: {judged.seen}", original)
    return SURVIVED


def _is_decidable(mutant: Mutant, results: dict[str, RunResult], session: Session) -> bool:
    """Whether a run on this machine can tell the mutant from its script."""
    script = mutant.script
    if results[script.name].verdict is not Verdict.CONFIRMED:
        return False
    if script.shows is Outcome.HEALTHY and not script.range.covers(session.environment.versions):
        return False  # a fix that must not work here: no way of failing is declared
    if mutant.opposite:
        opposite = results[mutant.opposite]
        return opposite.outcome is not results[script.name].outcome and opposite.verdict is Verdict.CONFIRMED
    if mutant.kind == "false OBSERVED":
        return (results[script.name].outcome is Outcome.HEALTHY) is (script.shows is Outcome.HEALTHY)
    return True


def _run_mutants(run: RunScripts, report: Report, originals: dict[tuple[str, str], Reproducer]) -> None:
    """Run the mutants that no rule rejects."""
    pending = {
        f"{mutant.script.name}, {mutant.kind}, {n}": n
        for n, (mutant, status) in enumerate(report.statuses)
        if status == _TO_BE_RUN
    }
    with tempfile.TemporaryDirectory(prefix="dpkb-mutants-") as folder:
        mutants = {key: report.statuses[n][0] for key, n in pending.items()}
        scripts = [
            _write_script(mutant, originals[mutant.script.entry, mutant.script.name], key, Path(folder))
            for key, mutant in mutants.items()
        ]
        for result in run(scripts, "mutants that no rule rejects"):
            mutant = mutants[result.script]
            status = _status_after_run(mutant, result)
            report.statuses[pending[result.script]] = mutant, status
            if status == SURVIVED:
                report.add_survivor(
                    mutant,
                    f"{result.verdict.value}: {result.seen}",
                    originals[mutant.script.entry, mutant.script.name],
                )
    report.runs += len(pending)


def _write_script(mutant: Mutant, original: Reproducer, key: str, folder: Path) -> Reproducer:
    """Write a mutant into a new folder, and return it as a script that can be run."""
    own_folder = Path(tempfile.mkdtemp(dir=folder))
    path = own_folder / f"{mutant.script.name}.py"
    path.write_text(mutant.source, encoding="utf-8")
    needs = docstring.read_needs(mutant.source)
    return replace(original, name=key, path=path, source=mutant.source, needs=needs)


def _status_after_run(mutant: Mutant, result: RunResult) -> str:
    """The status of a mutant after its run. Only a confirmed mutant has survived."""
    if mutant.kind == "other seed":
        return {Verdict.CONFIRMED: VERIFY, Verdict.REFUTED: SURVIVED}.get(result.verdict, NOT_TESTED)
    if result.verdict is Verdict.CONFIRMED:
        return SURVIVED
    if result.verdict is Verdict.SKIPPED:
        return SURVIVED if mutant.kind == "skips" else NOT_TESTED
    return VERIFY


def render_report(report: Report) -> str:
    """Render the survivors with their changed lines, a table of the kinds, and the total."""
    lines = []
    for mutant, why, changes in report.survivors:
        lines += [
            f"{mutant.script.entry} {mutant.script.name}: {mutant.kind}, {mutant.change}: {why}",
            *(f"    {change}" for change in changes),
            "",
        ]
    heads = ("total", CHECK, VERIFY, NOT_TESTED, SURVIVED)
    lines.append(f"{'mutants':<16}" + "".join(f"{head:>12}" for head in heads))
    for kind in (*KINDS, None):
        counts = report.count(kind)
        if counts["total"]:
            lines.append(f"{kind or 'all':<16}" + "".join(f"{counts[head]:>12}" for head in heads))
    lines.append(f"{report.runs} runs, {report.seconds / 60:.1f} minutes")
    return "\n".join(lines)


def report_fields(report: Report) -> dict[str, object]:
    """The JSON fields of a report."""
    return {
        "summary": report.count(),
        "kinds": {kind: report.count(kind) for kind in KINDS},
        "survivors": [
            {
                "id": m.script.entry,
                "script": m.script.name,
                "kind": m.kind,
                "what": m.change,
                "seen": why,
                "changes": changes,
            }
            for m, why, changes in report.survivors
        ],
        "runs": report.runs,
        "seconds": round(report.seconds, 1),
    }


if __name__ == "__main__":
    sys.argv[1:1] = ["mutate"]
    main()
