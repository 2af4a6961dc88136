"""`dpkb show`: explain an entry, or give the overview of a family."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpkb.cli.app import YES, Id, Json, Kb, app, load_catalogue, load_evidence
from dpkb.paths import catalogue_folders

if TYPE_CHECKING:
    from dpkb.model import Entry


@app.command()
def show(
    entry_id: Id,
    everything: Annotated[bool, typer.Option("--all", help="Print the whole page.")] = False,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Explain an entry: the cause, the fix and the check. With --all, the whole page."""
    from dpkb.output import entry as output
    from dpkb.output.documents import print_document

    folders = catalogue_folders(kb)
    catalogue = load_catalogue(kb, folders)
    if family := catalogue.families.get(entry_id.upper()):
        members = tuple(entry for entry in catalogue if entry.family == family.letters)
        overview = output.FamilyView(family, members)
        if as_json:
            print_document(output.family_fields(overview))
        else:
            output.print_family(overview)
        return YES
    entry = catalogue.entry(entry_id)
    view = output.EntryView(entry, _seen(entry, folders), _here(entry), {e.id: e.title for e in catalogue})
    if as_json:
        print_document(output.view_fields(view))
    elif everything:
        output.print_entry(view)
    else:
        output.print_first_screen(view)
    return YES


def _seen(entry: Entry, folders: list[Path]) -> str:
    """On which versions the entry's scripts were run, by the evidence of its catalogue."""
    from dpkb.evidence import report

    own = [folder for folder in folders if entry.path.is_relative_to(folder)]
    return report.summary(entry, load_evidence(own))


def _here(entry: Entry) -> str:
    """Whether the torch of this Python, or of the first on the PATH, is affected."""
    from dpkb.runner import interpreter

    versions = interpreter.versions_here()
    if not versions.get("torch"):
        return ""
    affected = "is affected" if entry.affects_versions(versions) else "is not affected"
    return f"torch {versions['torch']} here {affected}"
