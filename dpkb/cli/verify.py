"""`dpkb verify`: run every script, and judge each against its claim."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpkb.cli.app import (
    NO,
    YES,
    Device,
    Json,
    Kb,
    Python,
    Timeout,
    Torch,
    Trust,
    app,
    load_catalogue,
    options_in,
    print_note,
    require_writable,
    warn_unconfined,
    writing,
)
from dpkb.errors import DpkbError, ExitCode

if TYPE_CHECKING:
    from dpkb.catalogue.load import Catalogue
    from dpkb.judge.summary import VerifyReport, VerifyRun
    from dpkb.model import Reproducer
    from dpkb.runs import Environment


@dataclass(frozen=True)
class VerifyOptions:
    """What to run, how, and what to keep."""

    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID…]", help="Entries; without any, all of them.")
    ] = None
    python: Python = None
    torch: Torch = None
    device: Device = "auto"
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", min=0,
                          help="How many scripts run at once; 0: two for each core.")
    ] = 0
    repeat: Annotated[int, typer.Option(metavar="N", help="How often to run each script.", min=1)] = 1
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Run only shard I of N, to split the work.")
    ] = None
    record: Annotated[
        bool, typer.Option("--record", help="Keep the results as evidence, in the catalogue's evidence/.")
    ] = False
    stale: Annotated[
        bool, typer.Option("--stale", help="Run only scripts without evidence for this torch and Python, or "
                                           "with evidence for older code.")
    ] = False
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a JUnit report.")] = None
    cold: Annotated[
        bool, typer.Option("--cold", help="Start a new interpreter for each script: slower, but closer to "
                                          "how you would run it.")
    ] = False
    timeout: Timeout = 120
    trust: Trust = False
    as_json: Json = False
    kb: Kb = None

    @property
    def jobs_at_once(self) -> int:
        """The number of scripts that run at once."""
        # Forked scripts wait more than they compute: for timeouts, workers, storage.
        return self.jobs or (os.cpu_count() or 1) * (1 if self.cold else 2)


@dataclass(frozen=True)
class _Plan:
    """The scripts to run, and those of catalogues that the user does not trust."""

    catalogue: Catalogue
    scripts: list[Reproducer]
    untrusted: list[Reproducer]


@app.command()
@options_in(VerifyOptions)
def verify(options: VerifyOptions) -> int:
    """Run every script, and judge each against its claim."""
    from dpkb.judge.summary import VerifyReport, is_proven
    from dpkb.runner.interpreter import interpreters

    plan = _plan(options)
    require_writable(options.junit)
    if options.record:
        _require_writable_evidence(plan)
    runs: list[VerifyRun] = []
    not_kept: list[str] = []
    try:
        for python in interpreters(options.python, options.torch or [], print_note):
            run, problems = _verify_with(python, plan, options)
            if options.stale and not run.results:
                environment = run.environment
                print_note(f"torch {environment.torch}, Python {environment.python}: no script is stale")
                if not options.as_json:
                    continue
            runs.append(run)
            not_kept += problems
    finally:
        # Also if a later environment fails: these results took minutes.
        if runs and options.junit:
            not_kept += _write_junit(runs, options.junit)
        report = VerifyReport(tuple(runs), tuple(dict.fromkeys(not_kept)))
        if runs:
            _print(report, options.as_json)
    if report.not_kept:
        return ExitCode.CANNOT_WRITE
    return YES if is_proven(report.results) or (options.stale and not report.results) else NO


def _plan(options: VerifyOptions) -> _Plan:
    from dpkb.runner import verify as runner
    from dpkb.runner.trust import split_by_trust

    shard = runner.parse_shard(options.shard)
    catalogue = load_catalogue(options.kb)
    named = runner.read_scripts(catalogue, options.ids or [])
    scripts, untrusted = split_by_trust(named, catalogue.folders, options.trust)
    return _Plan(catalogue, runner.select_shard(scripts, *shard), runner.select_shard(untrusted, *shard))


def _require_writable_evidence(plan: _Plan) -> None:
    """Raise CannotWrite if a run of these scripts could not be recorded: asked before they run."""
    from dpkb import files
    from dpkb.evidence.store import FOLDER

    for folder in plan.catalogue.folders:
        if any(script.path.is_relative_to(folder) for script in plan.scripts):
            with writing(folder / FOLDER):
                files.require_writable_folder(folder / FOLDER)


def _verify_with(python: str | None, plan: _Plan, options: VerifyOptions) -> tuple[VerifyRun, list[str]]:
    """Run the scripts with one interpreter; also why something could not be recorded."""
    from dpkb.evidence import store
    from dpkb.judge.summary import VerifyRun
    from dpkb.output.verify import VerifyProgress
    from dpkb.runner import verify as runner
    from dpkb.runner.session import open_session

    with open_session(python, options.device, options.timeout, forks=not options.cold) as session:
        if options.stale:
            plan = _only_stale(plan, session.environment)
        warn_unconfined(plan.scripts, session)
        fingerprints = store.fingerprints(plan.scripts) if options.record else {}
        results = []
        started = time.monotonic()
        with VerifyProgress(len(plan.scripts) * options.repeat) as progress:
            for result in runner.verify(plan.scripts, session, options.jobs_at_once, options.repeat):
                results.append(result)
                progress.count(result)
        seconds = time.monotonic() - started
    results += [runner.untrusted_result(script) for script in plan.untrusted]
    run = VerifyRun(session.environment, tuple(results), seconds, options.jobs_at_once)
    return run, _record(run, fingerprints, plan) if options.record else []


def _only_stale(plan: _Plan, environment: Environment) -> _Plan:
    """The scripts of a plan that have no evidence of their present code in this environment."""
    from dpkb.evidence import store

    evidence = [store.load_recorded(environment, folder) for folder in plan.catalogue.folders]

    def stale(scripts: list[Reproducer]) -> list[Reproducer]:
        return [script for script in scripts if not any(one.run_of(script) for one in evidence)]

    return replace(plan, scripts=stale(plan.scripts), untrusted=stale(plan.untrusted))


def _record(run: VerifyRun, fingerprints: dict[str, str], plan: _Plan) -> list[str]:
    """Keep the results in the evidence of the catalogues they belong to; why that was not possible."""
    from datetime import date

    from dpkb.evidence import store

    not_kept = []
    for folder in plan.catalogue.folders:
        own = [entry for entry in plan.catalogue if entry.path.is_relative_to(folder)]
        ids = {entry.id for entry in own}
        results = [result for result in run.results if result.id in ids]
        if results:
            try:
                path = store.record(results, run.environment, own, folder, date.today().isoformat(),
                                    fingerprints)
            except DpkbError as error:
                not_kept.append(str(error))
            else:
                print_note(f"recorded in {path}")
    return not_kept


def _write_junit(runs: list[VerifyRun], path: Path) -> list[str]:
    from dpkb.output import junit

    results = [result for run in runs for result in run.results]
    try:
        junit.write(results, path, sum(run.seconds for run in runs))
    except OSError as error:
        return [f"--junit {path}: cannot be written: {error.strerror}"]
    return []


def _print(report: VerifyReport, as_json: bool) -> None:
    from dpkb.output.documents import print_document
    from dpkb.output.verify import print_verify, verify_fields

    try:
        if as_json:
            print_document(verify_fields(report))
        else:
            print_verify(report)
        sys.stdout.flush()
    finally:
        # Last, where they are read, and also if nobody reads standard output.
        for problem in report.not_kept:
            print_note(problem)
