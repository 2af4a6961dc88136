"""Maintaining: check, new, mutate, the pages of the site, and the environments that --torch makes.

Each command imports what it needs when it runs: a search must not wait for what a run needs.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from dpkb.errors import UsageError
from dpkb.options import NO, YES, Json, Kb, Timeout, Trust, app, load_catalogue
from dpkb.paths import catalogue_folders, working_folder


@app.command()
def check(as_json: Json = False, kb: Kb = None) -> None:
    """Validate the catalogue and the pairs; nothing is run."""
    from dpkb import entry_json, render_entry, terminal
    from dpkb.catalogue import load
    from dpkb.check import check as check_catalogue

    folders = catalogue_folders(kb)
    catalogue = load(folders)
    found = check_catalogue(catalogue, folders)
    if as_json:
        terminal.emit_json({"version": 1, "entries": len(catalogue.entries),
                          "problems": [entry_json.problem(p, _short(p.path)) for p in found]})
    else:
        for problem in found:
            render_entry.problem(problem, _short(problem.path))
        count = f"{len(catalogue.entries)} entries read, {len(found)} problems"
        print(count, file=sys.stdout if not found else sys.stderr)
    raise typer.Exit(NO if found else YES)


@app.command()
def new(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="A new id, e.g. DP99.")],
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="What it is about, e.g. stale_index.")],
    kb: Kb = None,
) -> None:
    """Write the skeleton of an entry and its pair of scripts."""
    from dpkb import scaffold

    folders = catalogue_folders(kb)
    made = scaffold.create(entry_id, slug, _target(folders), load_catalogue(kb, folders))
    for path in made:
        print(_short(path))
    print(f"Now write them; `dpkb check` lists what is left, `dpkb verify {entry_id}` proves it.",
          file=sys.stderr)


@app.command()
def mutate(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID…]", help="Entries; all if none.")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Only mutants of this kind.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Scripts at once; 0: two a core.", min=0)] = 0,
    timeout: Timeout = 120,
    trust: Trust = False,
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """Make scripts wrong in every way, and list what neither check nor verify notices."""
    from dpkb import evidence, mutants, render_run, run_json, session, terminal
    from dpkb import mutate as mutation

    for name in kind or []:
        if name not in mutants.KINDS:
            raise UsageError(f"--kind {name}: must be one of {', '.join(mutants.KINDS)}")
    folders = catalogue_folders(kb)
    catalogue = load_catalogue(kb, folders)
    scripts, held = session.scripts_to_run(catalogue, ids or [], folders, trust)
    if held:
        raise UsageError("mutants are run, and an added catalogue is somebody's code: read it, say --trust")
    wanted = {script.entry for script in scripts}
    with contextlib.ExitStack() as stack, session.opened(None, "auto", timeout, forks=True) as here:
        def started(total: int, what: str):
            print(f"dpkb: {total} {what}", file=sys.stderr)
            return stack.enter_context(render_run.VerifyProgress(total)).took

        report = mutation.mutate([entry for entry in catalogue if entry.id in wanted], scripts, here,
                                 jobs or 2 * (os.cpu_count() or 1), evidence.load(*folders),
                                 kind or mutants.KINDS, started)
        environment = run_json.environment(here.environment)
    if as_json:
        terminal.emit_json({"environment": environment, **mutation.to_json(report)})
    else:
        print(mutation.to_text(report))
    raise typer.Exit(NO if report.survivors else YES)


@app.command()
def site(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="A folder of its own: it is made anew each time.")
    ] = Path("build/pages"),
    record: Annotated[
        bool, typer.Option("--record", help="First keep in kb/changes.json what changed since the last time; "
                                            "the feed tells of it.")
    ] = False,
    kb: Kb = None,
) -> None:
    """Write the pages of the documentation site as plain Markdown; `mkdocs build` makes HTML of them."""
    from dpkb import evidence, site_feed
    from dpkb import site as pages

    folders = catalogue_folders(kb)
    catalogue = load_catalogue(kb, folders)
    runs = evidence.load(*folders)
    if record:
        changed = pages.record(catalogue, runs, _target(folders), _today())
        print(f"{len(changed)} changes recorded for the feed", file=sys.stderr)
    changes = {entry_id: known for folder in folders for entry_id, known in site_feed.read(folder).items()}
    count = pages.write(catalogue, runs, out, changes)
    print(f"{count} entries written to {_short(out.resolve())}", file=sys.stderr)
    if missing := site_feed.unrecorded(catalogue, folders):
        named = ", ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
        print(f"{len(missing)} changed since the feed was recorded ({named}): dpkb site --record",
              file=sys.stderr)


def _today() -> str:
    from datetime import datetime, timezone

    return datetime.now(timezone.utc).date().isoformat()


def _short(path: Path) -> str:
    """A path as seen from here, where it is below."""
    here = working_folder()
    return str(path.relative_to(here)) if here and path.is_relative_to(here) else str(path)


def _target(folders: list[Path]) -> Path:
    """Where a new entry belongs: the catalogue named last, the team's, or the checkout."""
    from dpkb.paths import built_in_catalogue

    target = folders[-1]
    if target == built_in_catalogue() and target.name == "catalogue_data":
        raise UsageError("no catalogue to write to: make a folder .dpkb/kb here, or name one with --kb DIR")
    return target


environments = typer.Typer(help="The environments that --torch makes.", no_args_is_help=True)
app.add_typer(environments, name="env")


@environments.command(name="list")
def list_environments() -> None:
    """List the environments, with the space that each takes."""
    from dpkb import torches

    for made in torches.made():
        print(f"torch {made.version:<8} {made.size / 2**30:5.1f} GB  {made.folder}")


@environments.command()
def remove(
    version: Annotated[str, typer.Argument(metavar="VERSION", help="As `dpkb env list` names it.")],
) -> None:
    """Remove an environment."""
    from dpkb import torches

    freed = torches.remove(version)
    print(f"removed: {freed / 2**30:.1f} GB freed")


@app.command(name="merge-evidence")
def merge_evidence(
    parts: Annotated[list[Path], typer.Argument(metavar="DIR…", help="Folders of evidence, from shards.")],
    kb: Kb = None,
) -> None:
    """Put the evidence that shards recorded together into the catalogue's own."""
    from dpkb import evidence

    files = [file for part in parts for file in sorted(part.rglob("*.json"))]
    if not files:
        raise UsageError("no evidence in these folders: record it with `dpkb verify --record`")
    for path in evidence.merge([evidence.read(file) for file in files], _target(catalogue_folders(kb))):
        print(_short(path))
