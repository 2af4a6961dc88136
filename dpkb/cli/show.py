"""`dpkb show`: explain an entry, or give the overview of a family."""

from __future__ import annotations

from typing import Annotated

import typer

from dpkb.cli.app import YES, Id, Json, Kb, app, load_catalogue, load_evidence
from dpkb.paths import catalogue_folders


@app.command()
def show(
    entry_id: Id,
    everything: Annotated[bool, typer.Option("--all", help="Print the whole page.")] = False,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Explain an entry: the cause, the fix and the check. With --all, the whole page."""
    from dpkb.evidence import report
    from dpkb.output import entry as output
    from dpkb.output.documents import print_document
    from dpkb.output.wording import affected_here
    from dpkb.runner import interpreter

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
    # The torch of this Python, or of the first on the PATH.
    here = affected_here(entry, interpreter.versions_here())
    own = [folder for folder in folders if entry.path.is_relative_to(folder)]
    seen = report.summarize_runs(entry, load_evidence(own))
    view = output.EntryView(entry, seen, here, {e.id: e.title for e in catalogue})
    if as_json:
        print_document(output.view_fields(view))
    elif everything:
        output.print_entry(view)
    else:
        output.print_first_screen(view)
    return YES
