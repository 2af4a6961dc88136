"""`dpkb list`: list all entries, by family."""

from __future__ import annotations

from typing import Annotated

import typer

from dpkb.cli.app import (
    NO,
    YES,
    Family,
    Json,
    Kb,
    KindName,
    app,
    check_family,
    check_kind,
    load_catalogue,
    print_note,
    warn_unreadable_evidence,
)
from dpkb.errors import UnmetNeed, UsageError


@app.command(name="list")
def list_entries(
    kind: KindName = None,
    family: Family = None,
    torch: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Only entries that affect this version of torch.")
    ] = None,
    affects_me: Annotated[
        bool, typer.Option("--affects-me", help="Only entries that affect the torch installed here.")
    ] = False,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """List all entries, by family."""
    from dpkb.evidence import store
    from dpkb.output import listing as output
    from dpkb.output.documents import render_document

    check_kind(kind)
    letters = family and family.upper()
    versions = _choose_versions(torch, affects_me)
    catalogue = load_catalogue(kb)
    check_family(letters, catalogue)
    evidence = store.load(*catalogue.folders, on_unreadable=warn_unreadable_evidence) if as_json else ()
    entries = [
        entry
        for entry in catalogue
        if kind in (None, entry.kind.value)
        and letters in (None, entry.family)
        and entry.affects_versions(versions)
    ]
    if as_json:
        print(render_document(output.listing_fields(entries, evidence)))
    elif not entries:
        print_note("no entry fits all of these options; `dpkb list` shows every entry")
    else:
        print(output.render_listing(entries, catalogue.families))
    return YES if entries else NO


def _choose_versions(torch: str | None, here: bool) -> dict[str, str | None]:
    from dpkb.model import parse_release
    from dpkb.runner import interpreter

    if torch and here:
        raise UsageError("--torch and --affects-me contradict each other: use one of them")
    if torch and parse_release(torch) is None:
        raise UsageError(f"--torch {torch}: must be a version, such as 2.4 or 2.4.1")
    if not here:
        return {"torch": torch}
    versions = interpreter.probe(None, "cpu").versions
    if not versions.get("torch"):
        raise UnmetNeed("--affects-me: no torch is installed here; name a version with --torch VERSION")
    return versions
