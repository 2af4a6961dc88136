"""Looking things up: search, diagnose, show, list, diff.

Each command imports what it needs when it runs: a search must not wait for what a run needs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpkb.errors import DpkbError, MissingTool, UsageError
from dpkb.options import NO, YES, Id, Json, Kb, app, columns, in_colour, load_catalogue, warn_unreadable
from dpkb.paths import catalogue_folders

if TYPE_CHECKING:
    from dpkb.catalogue import Catalogue
    from dpkb.entry import Entry


@app.command()
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS…", help="An error message or a symptom.")],
    most: Annotated[int, typer.Option("-n", help="Show at most this many.", min=1, max=1000)] = 5,
    kind: Annotated[
        str | None, typer.Option(metavar="KIND", help="Only silent, raises, hangs, killed, slow or memory.")
    ] = None,
    family: Annotated[str | None, typer.Option(metavar="LETTERS", help="Only this family, e.g. DP.")] = None,
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """Find the entry for an error message or a symptom."""
    from dpkb import finding, hits

    question = " ".join(words)
    found = finding.find(catalogue_folders(kb), question, most, kind, family and family.upper())
    if as_json:
        print(hits.to_json(question, found.hits))
    else:
        print(hits.to_text(question, found.hits, in_colour(sys.stdout), columns()))
    warn_unreadable(found.unreadable)
    raise typer.Exit(YES if found.hits else NO)


@app.command()
def diagnose(
    log: Annotated[
        str, typer.Argument(metavar="[FILE]", help="A log, or a pasted traceback; - is standard input.")
    ] = "-",
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """Find the entries that explain a log."""
    import json

    from dpkb import diagnose as reader
    from dpkb import findings

    catalogue = load_catalogue(kb)
    if log == "-" and sys.stdin.isatty():
        print("dpkb: reading the log from here: paste it, then press Ctrl-D", file=sys.stderr)
    try:
        with sys.stdin.buffer if log == "-" else open(log, "rb") as stream:
            found = reader.diagnose(stream, catalogue)
    except OSError as error:
        raise DpkbError(f"{log}: cannot be read: {error.strerror}") from None
    if as_json:
        print(json.dumps(findings.to_json(found), indent=2))
    else:
        print(findings.to_text(found, catalogue, in_colour(sys.stdout), columns()))
    raise typer.Exit(YES if found.matches else NO)


@app.command()
def show(entry_id: Id, as_json: Json = False, kb: Kb = None) -> None:
    """Explain one entry: symptom, cause, fix, traps."""
    from dpkb import entry_json, render_entry, terminal

    folders = catalogue_folders(kb)
    catalogue = load_catalogue(kb, folders)
    if entry_id.upper() in catalogue.families:
        _show_family(catalogue, entry_id.upper(), as_json)
        return
    entry = catalogue.entry(entry_id)
    seen, here = _where_seen(entry, folders), _here(entry)
    if as_json:
        terminal.emit_json({**entry_json.to_dict(entry), "seen": seen, "here": here})
    else:
        render_entry.show(entry, {other.id: other.title for other in catalogue}, [seen, here])


def _show_family(catalogue: Catalogue, letters: str, as_json: bool) -> None:
    from dpkb import entry_json, render_entry, terminal

    family = catalogue.families[letters]
    members = [entry for entry in catalogue if entry.family == letters]
    if as_json:
        terminal.emit_json(entry_json.family(family, members))
    else:
        render_entry.family(family, members)


def _where_seen(entry: Entry, folders: list[Path]) -> str:
    """On which versions the entry's scripts were run, from the evidence of its catalogue."""
    from dpkb import evidence

    own = [folder for folder in folders if entry.path.is_relative_to(folder)]
    return evidence.summary(entry, evidence.load(*own))


def _here(entry: Entry) -> str:
    """Whether the torch of this Python, or of the one on the PATH, is affected."""
    from dpkb import environment

    versions = environment.versions_here()
    if not versions.get("torch"):
        return ""
    known = f"torch {versions['torch']} here"
    return f"{known} is affected" if entry.affects_versions(versions) else f"{known} is not affected"


@app.command(name="list")
def list_entries(
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Only this kind.")] = None,
    family: Annotated[str | None, typer.Option(metavar="LETTERS", help="Only this family, e.g. DP.")] = None,
    torch: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Only what affects this torch.")
    ] = None,
    affects_me: Annotated[
        bool, typer.Option("--affects-me", help="Only what affects the torch that is installed here.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="As the table of the README.")] = False,
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """List all entries, by family."""
    from dpkb import entry_json, render_entry, terminal

    versions = _versions(torch, affects_me)
    catalogue = load_catalogue(kb)
    chosen = [
        entry for entry in catalogue
        if kind in (None, entry.kind.value) and family in (None, entry.family, entry.family.lower())
        and entry.affects_versions(versions)
    ]
    if as_json:
        terminal.emit_json({"version": 1, "entries": [entry_json.summary(entry) for entry in chosen]})
    elif markdown:
        print(entry_json.markdown_table(chosen))
    else:
        render_entry.listing(chosen, catalogue.families)
    raise typer.Exit(YES if chosen else NO)


def _versions(torch: str | None, here: bool) -> dict[str, str | None]:
    from dpkb import environment
    from dpkb.entry import release

    if torch and here:
        raise UsageError("--torch and --affects-me both say which torch; give one of them")
    if torch and release(torch) is None:
        raise UsageError(f"--torch {torch}: write a version, as in 2.4 or 2.4.1")
    if not here:
        return {"torch": torch}
    versions = environment.versions_here()
    if not versions.get("torch"):
        raise MissingTool("--affects-me: no torch is installed here; name a version with --torch")
    return versions


@app.command()
def diff(
    entry_id: Id,
    script: Annotated[
        str, typer.Option(metavar="NAME", help="Another script than fixed to compare with broken.")
    ] = "fixed",
    kb: Kb = None,
) -> None:
    """Show the fix as a diff, broken to fixed."""
    from dpkb import pairs, render_entry
    from dpkb.catalogue import source_of

    catalogue = load_catalogue(kb)
    entry = catalogue.entry(entry_id)
    before, after = (catalogue.script(entry, name) for name in ("broken", script))
    texts = [source_of(found) for found in (before, after)]
    names = (f"{entry.id}/{before.name}.py", f"{entry.id}/{after.name}.py")
    render_entry.diff(pairs.difference(*texts, *names))
