"""`dpkb verify`: run every script, and judge each against its claim."""

from __future__ import annotations

import os
import sys
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
    print_note,
    warn_unconfined,
)
from dpkb.errors import ExitCode

if TYPE_CHECKING:
    from dpkb.judge.summary import VerifyReport, VerifyRun
    from dpkb.run_records import RunResult
    from dpkb.runner.session import Session
    from dpkb.runner.verify import VerifyPlan


@app.command()
def verify(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID…]", help="The ids of entries; by default all entries, with --kb only those of DIR."
        ),
    ] = None,
    python: Python = None,
    torch: Torch = None,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="NAME==VERSION",
            help="Run with this version of a package that a script needs, in an environment that uv "
            "creates. Can be repeated.",
        ),
    ] = None,
    device: Device = "auto",
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=0,
            help="How many scripts run at once; 0: two for each core, one with --cold.",
        ),
    ] = 0,
    repeat: Annotated[int, typer.Option(metavar="N", help="How often to run each script.", min=1)] = 1,
    record: Annotated[
        bool, typer.Option("--record", help="Keep the results as evidence, in the catalogue's evidence/.")
    ] = False,
    stale: Annotated[
        bool,
        typer.Option(
            "--stale",
            help="Run only scripts without evidence for this torch and Python, or "
            "with evidence for older code.",
        ),
    ] = False,
    cold: Annotated[
        bool,
        typer.Option(
            "--cold",
            help="Start a new interpreter for each script: slower, but closer to how you would run it.",
        ),
    ] = False,
    timeout: Timeout = 120,
    trust: Trust = False,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Run every script, and judge each against its claim."""
    from dpkb.judge.summary import VerifyReport, is_proven
    from dpkb.runner.interpreter import find_interpreters
    from dpkb.runner.session import open_session
    from dpkb.runner.verify import read_requirements

    plan = _read_plan(ids or [], trust, kb)
    requirements = read_requirements(with_ or [], plan.scripts)
    packages = list(map("".join, requirements.items()))
    pinned = [name for name, version in requirements.items() if version]
    runs: list[VerifyRun] = []
    not_kept: list[str] = []
    try:
        for interpreter in find_interpreters(python, torch or [], print_note, packages):
            with open_session(interpreter, device, timeout, forks=not cold, pinned=pinned) as session:
                # Forked scripts wait more than they compute, for timeouts, workers and storage: two for each core.
                at_once = jobs or (os.cpu_count() or 1) * (1 if cold else 2)
                run, problems = _verify_in(
                    session,
                    plan.select_stale(session.environment) if stale else plan,
                    at_once,
                    repeat,
                    record,
                )
            runs.append(run)
            not_kept += problems
            if stale and not run.results:
                environment = run.environment
                print_note(f"torch {environment.torch}, Python {environment.python}: no script is stale")
    finally:
        # Print the results also if a later environment fails: they took minutes.
        shown = [run for run in runs if run.results or as_json or not stale]
        report = VerifyReport(tuple(shown), tuple(dict.fromkeys(not_kept)))
        if runs:
            _print_report(report, as_json)
    if report.not_kept:
        return ExitCode.CANNOT_WRITE
    # With --stale it is no failure if there is no script to run.
    return YES if is_proven(report.results) or (stale and not report.results) else NO


def _read_plan(ids: list[str], trust: bool, kb: list[Path] | None) -> VerifyPlan:
    from dpkb.runner.trust import split_by_trust
    from dpkb.runner.verify import VerifyPlan, read_scripts

    catalogue = load_catalogue(kb)
    named = read_scripts(catalogue, ids)
    if kb and not ids:
        added = [folder.resolve() for folder in kb]
        named = [script for script in named if any(map(script.path.is_relative_to, added))]
    for entry in map(catalogue.find_entry, ids):
        if entry.withdrawn:
            print_note(f"{entry.id} is withdrawn, so none of its scripts is run: {entry.withdrawn}")
    return VerifyPlan(catalogue, *split_by_trust(named, catalogue.folders, trust))


def _verify_in(
    session: Session, plan: VerifyPlan, at_once: int, repeat: int, record: bool
) -> tuple[VerifyRun, list[str]]:
    """Run the scripts in one session: the run, and why some results could not be recorded.

    If the run is stopped, the results that are complete are recorded.
    """
    from datetime import date

    from dpkb.evidence import store
    from dpkb.output.verify import VerifyProgress
    from dpkb.runner.verify import run_plan

    if record:
        for folder in plan.catalogue.folders:
            if any(script.path.is_relative_to(folder) for script in plan.scripts):
                store.require_recordable(session.environment, folder)
    warn_unconfined(plan.scripts, session)
    # Taken before the scripts run, so that a script that is edited meanwhile counts as not run.
    recorded_scripts = plan.scripts if record else []
    fingerprints = {script.key: store.fingerprint_of(script.path) for script in recorded_scripts}
    total, today = len(plan.scripts) * repeat, date.today().isoformat()
    complete: list[RunResult] = []
    not_kept: list[str] = []

    def keep(results: list[RunResult]) -> list[Path]:
        written, not_kept[:] = store.record_by_catalogue(
            results, session.environment, plan.catalogue, today, fingerprints
        )
        return written

    try:
        with VerifyProgress(total) as progress:

            def take(result: RunResult) -> None:
                complete.append(result)
                progress.count(result)
                # At once, because dpkb may be killed. After a failure, only once more, at the end.
                if record and not not_kept:
                    keep([one for one in complete if (one.id, one.script) == (result.id, result.script)])

            run = run_plan(plan, session, at_once, repeat, take)
    finally:
        # Inside the session: there, a second signal does not interrupt the write.
        if record:
            _report_recording(keep(complete), not_kept, complete, total)
    return run, not_kept


def _report_recording(
    written: list[Path], not_kept: list[str], complete: list[RunResult], total: int
) -> None:
    """Print where results were recorded, and how many of `total` they are if the run was stopped."""
    from dpkb.run_records import Verdict

    for path in written:
        print_note(f"recorded in {path}")
    if len(complete) < total:
        for problem in not_kept:  # nothing else reports them: a stopped run has no report
            print_note(problem)
        if not not_kept:
            recorded = sum(result.verdict is not Verdict.SKIPPED for result in complete)
            print_note(f"the run was stopped; {recorded} of {total} results are kept")


def _print_report(report: VerifyReport, as_json: bool) -> None:
    from dpkb.output.documents import render_document
    from dpkb.output.verify import render_verify, verify_fields

    try:
        if as_json:
            print(render_document(verify_fields(report)))
        elif report.runs:
            print(render_verify(report))
        sys.stdout.flush()
    finally:
        # Last, so that they are noticed, and also if nobody reads standard output.
        for problem in report.not_kept:
            print_note(problem)
