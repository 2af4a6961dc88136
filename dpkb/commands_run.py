"""Running: repro, verify, bisect, run; and what runs have shown: matrix.

Each command imports what it needs when it runs: a search must not wait for what a run needs.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpkb.errors import DpkbError, UsageError
from dpkb.options import (
    HUNG,
    NO,
    YES,
    Device,
    Id,
    Json,
    Kb,
    Python,
    Timeout,
    Torch,
    Trust,
    app,
    columns,
    in_colour,
    load_catalogue,
)
from dpkb.paths import catalogue_folders

if TYPE_CHECKING:
    from dpkb.entry import Result, Script
    from dpkb.reproduce import Session


@app.command()
def repro(
    entry_id: Id,
    fixed: Annotated[bool, typer.Option("--fixed", help="Run the fix instead of the failure.")] = False,
    script: Annotated[str | None, typer.Option(metavar="NAME", help="Run this script of the entry.")] = None,
    python: Python = None,
    torch: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Run with this torch, in an environment made by uv.")
    ] = None,
    device: Device = "auto",
    timeout: Timeout = 120,
    trust: Trust = False,
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """Run a script of an entry here: the failure, or the fix."""
    from dpkb import render_run, reproduce, run_json, session, terminal
    from dpkb.catalogue import ready_to_run
    from dpkb.entry import Verdict

    if fixed and script:
        raise UsageError("--fixed and --script name two scripts; give one of them")
    folders = catalogue_folders(kb)
    catalogue = load_catalogue(kb, folders)
    entry = catalogue.entry(entry_id)
    chosen = ready_to_run(catalogue.script(entry, script or ("fixed" if fixed else "broken")))
    session.require_trust(chosen, folders, trust, _ask)
    (interpreter,) = session.interpreters(python, [torch] if torch else [], _say)
    with session.opened(interpreter, device, timeout) as here:
        _tell_what_is_open([chosen], here)
        live = None if as_json else render_run.Live()
        if live:
            render_run.repro_head(chosen, here.environment)
        result = reproduce.reproduce(chosen, here, live.take if live else None)
        if live:
            live.close()
            render_run.repro_result(result, chosen, entry)
        else:
            environment = run_json.environment(here.environment)
            terminal.emit_json({"version": 1, "environment": environment, **run_json.result(result)})
    raise typer.Exit(YES if result.verdict is Verdict.CONFIRMED else NO)


@app.command()
def verify(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID…]", help="Entries; all if none.")] = None,
    python: Python = None,
    torch: Torch = None,
    device: Device = "auto",
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Scripts at once; 0: two a core.", min=0)] = 0,
    repeat: Annotated[int, typer.Option(help="Run each script this often.", min=1)] = 1,
    shard: Annotated[str | None, typer.Option(metavar="I/N", help="Only part I of N, for CI.")] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Keep what was seen as evidence, in the catalogue's evidence/.")
    ] = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a JUnit report.")] = None,
    cold: Annotated[
        bool, typer.Option("--cold", help="Start an interpreter for each script: truer, and slower.")
    ] = False,
    timeout: Timeout = 120,
    trust: Trust = False,
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """Run every script, and judge each against its claim."""
    from dpkb import evidence, render_run, reproduce, run_json, session, terminal
    from dpkb import junit as junit_report

    part = session.part(shard)
    folders = catalogue_folders(kb)
    catalogue = load_catalogue(kb, folders)
    scripts, untrusted = session.scripts_to_run(catalogue, ids or [], folders, trust)
    scripts = reproduce.shard(scripts, *part)
    # Forked scripts wait more than they compute: for timeouts, workers, storage.
    jobs = jobs or (os.cpu_count() or 1) * (1 if cold else 2)
    every, told = [], []
    with _told_last() as unkept:
        for interpreter in session.interpreters(python, torch or [], _say):
            with session.opened(interpreter, device, timeout, forks=not cold) as here:
                _tell_what_is_open(scripts, here)
                before = evidence.fingerprints(scripts) if record else {}
                results, wall = _verify(scripts, here, jobs, repeat)
            results += [reproduce.untrusted(script) for script in reproduce.shard(untrusted, *part)]
            every += results
            told.append({
                "version": 1, "environment": run_json.environment(here.environment),
                "results": [run_json.result(result) for result in results],
                "summary": reproduce.summary(results), "seconds": round(wall, 1),
            })
            # Files first: a reader of the table may be gone.
            if record:
                unkept += _record(results, before, here, catalogue, folders)
            if junit:
                try:
                    junit_report.write(every, junit, sum(one["seconds"] for one in told))
                except OSError as error:
                    unkept.append(f"--junit {junit}: cannot be written: {error.strerror}")
            if not as_json:
                render_run.verify_table(results, wall, here.environment, jobs)
        if as_json:
            terminal.emit_json(told[0] if len(told) == 1 else {"version": 1, "runs": told})
    raise typer.Exit(YES if reproduce.is_proven(every) else NO)


@contextlib.contextmanager
def _told_last() -> Iterator[list[str]]:
    """What could not be kept is told after the results, which took minutes; and also if these are lost."""
    unkept: list[str] = []
    try:
        yield unkept
        sys.stdout.flush()
    except (OSError, DpkbError):
        for text in unkept:
            _say(text)
        raise
    if unkept:
        raise DpkbError("; ".join(dict.fromkeys(unkept)))


def _verify(scripts: list[Script], here: Session, jobs: int, repeat: int) -> tuple[list[Result], float]:
    from dpkb import render_run, reproduce

    results = []
    started = time.monotonic()
    with render_run.VerifyProgress(len(scripts) * repeat) as progress:
        for result in reproduce.verify(scripts, here, jobs, repeat):
            results.append(result)
            progress.took(result)
    return results, time.monotonic() - started


def _record(results: list[Result], before: dict[str, str], here: Session, catalogue,
            folders: list[Path]) -> list[str]:
    """Keep what was seen beside each catalogue that the scripts belong to; what could not be kept."""
    from datetime import date

    from dpkb import evidence

    unkept = []
    for folder in folders:
        own = [entry for entry in catalogue if entry.path.is_relative_to(folder)]
        ids = {entry.id for entry in own}
        here_run = [result for result in results if result.id in ids]
        if here_run:
            try:
                path = evidence.record(here_run, here.environment, own, folder, date.today().isoformat(),
                                       before)
            except DpkbError as error:
                unkept.append(str(error))
            else:
                _say(f"recorded in {path}")
    return unkept


@app.command()
def bisect(
    entry_id: Id,
    script: Annotated[
        str, typer.Option(metavar="NAME", help="The script whose behaviour changed.")
    ] = "broken",
    first: Annotated[str | None, typer.Option(metavar="VERSION", help="Not before this torch.")] = None,
    last: Annotated[str | None, typer.Option(metavar="VERSION", help="Not after this torch.")] = None,
    timeout: Timeout = 120,
    trust: Trust = False,
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """Find between which minor releases of torch a script's outcome changed."""
    from dpkb import reproduce, session, terminal, torches
    from dpkb.catalogue import ready_to_run

    folders = catalogue_folders(kb)
    catalogue = load_catalogue(kb, folders)
    chosen = ready_to_run(catalogue.script(catalogue.entry(entry_id), script))
    session.require_trust(chosen, folders, trust, _ask)

    def outcome(version: str) -> str:
        with session.opened(torches.python_with(version, _say), "cpu", timeout) as here:
            _tell_what_is_open([chosen], here)
            result = reproduce.reproduce(chosen, here)
        _say(f"torch {here.environment.torch}: {result.outcome.value} ({result.seen})")
        return result.outcome.value

    found = torches.bisect(outcome, first, last)
    if as_json:
        terminal.emit_json({
            "version": 1, "id": chosen.entry, "script": chosen.name,
            "runs": [{"torch": version, "outcome": seen} for version, seen in found.runs],
            "changes_after": found.before, "changes_in": found.after,
        })
    else:
        print(torches.in_words(found, f"{chosen.entry} {chosen.name}.py"))
    raise typer.Exit(YES if found.after else NO)


@app.command()
def matrix(
    everything: Annotated[
        bool, typer.Option("--all", help="Also versions on which only a few entries were run.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="As a Markdown table.")] = False,
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """Entries against torch versions: what the recorded runs have shown."""
    from dpkb import evidence, render_evidence, terminal

    folders = catalogue_folders(kb)
    catalogue = load_catalogue(kb, folders)
    found = evidence.load(*folders)
    if not everything:
        found = evidence.broad(found, catalogue)
    rows = [(entry.id, [one.state(entry).value for one in found]) for entry in catalogue]
    names = [one.name for one in found]
    if as_json:
        terminal.emit_json({
            "version": 1, "environments": [one.environment for one in found],
            "entries": {entry: dict(zip(names, states, strict=True)) for entry, states in rows},
        })
    else:
        render_evidence.matrix([one.environment for one in found], rows, markdown)
    raise typer.Exit(YES if found else NO)


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def run(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND…", help="What to run.")],
    stalled: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=1,
                                   help="End it after this long without output, and say where it stood.")
    ] = None,
    kb: Kb = None,
) -> None:
    """Run a command unchanged; if it fails, say which entries explain it."""
    from dpkb import findings, relay
    from dpkb.diagnose import Reader
    from dpkb.logs import Splitter

    catalogue = load_catalogue(kb)
    reader = Reader(list(catalogue))
    splitters = {1: Splitter(), 2: Splitter()}

    def take(fd: int, chunk: bytes) -> None:
        if (block := splitters[fd].feed(chunk)) is not None:
            reader.take(block)

    def say_where(pid: int) -> None:
        print(f"\ndpkb: no output for {stalled:g} s. {relay.where_it_stands(pid)}", file=sys.stderr)

    ended = relay.relay(command, take, stalled, say_where)
    for splitter in splitters.values():
        if (block := splitter.close()) is not None:
            reader.take(block)
    if ended.code or ended.stalled:
        how = "was ended as it hung" if ended.stalled else f"ended with code {ended.code}"
        print(f"\ndpkb: {command[0]} {how}. What explains its output:", file=sys.stderr)
        text = findings.to_text(reader.diagnosis(), catalogue, in_colour(sys.stderr), columns())
        print(text, file=sys.stderr)
        if ended.stalled:
            print("What hangs without a message: dpkb list --kind hangs", file=sys.stderr)
    raise typer.Exit(ended.code or (HUNG if ended.stalled else YES))


@app.command()
def claims(
    markdown: Annotated[bool, typer.Option("--markdown", help="As a Markdown table.")] = False,
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """Per entry: how many claims its text makes, how many have a script, how many were run."""
    from dpkb import evidence, render_evidence, terminal

    folders = catalogue_folders(kb)
    catalogue = load_catalogue(kb, folders)
    found = evidence.load(*folders)
    rows = [evidence.claims(entry, found) for entry in catalogue]
    if as_json:
        terminal.emit_json({"version": 1, "entries": rows})
    else:
        render_evidence.claims(rows, markdown)
    raise typer.Exit(YES if rows else NO)


def _ask(question: str) -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty() and typer.confirm(question, err=True)


def _tell_what_is_open(scripts: list[Script], here: Session) -> None:
    for note in dict.fromkeys(here.held(script.needs).note for script in scripts):
        if note:
            _say(note)


def _say(message: str) -> None:
    print(f"dpkb: {message}", file=sys.stderr)
