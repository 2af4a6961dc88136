"""What the command line and the server for agents answer alike, from a catalogue and its recorded runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dpkb.catalogue.load import Catalogue
from dpkb.errors import DpkbError
from dpkb.evidence import report, store
from dpkb.output.entry import EntryView, FamilyView
from dpkb.output.wording import affected_here
from dpkb.runner import interpreter

# Takes the error of each file of evidence that is left out.
OnUnreadable = Callable[[DpkbError], None]


def view_of(catalogue: Catalogue, name: str, python: str | None,
            on_unreadable: OnUnreadable) -> EntryView | FamilyView:
    """An entry with what is known of it here, or a family. Raises UnknownName.

    python: whose torch is meant; None: that of this Python, or of the first on the PATH that has one.
    """
    if family := catalogue.families.get(name.upper()):
        return FamilyView(family, tuple(entry for entry in catalogue if entry.family == family.letters))
    entry = catalogue.entry(name)
    versions = interpreter.probe(python, "cpu").versions if python else interpreter.find_versions_here()
    own = [folder for folder in catalogue.folders if entry.path.is_relative_to(folder)]
    seen = report.summarize_runs(entry, store.load(*own, on_unreadable=on_unreadable))
    return EntryView(entry, seen, affected_here(entry, versions), catalogue.titles)


def matrix(catalogue: Catalogue, ids: Sequence[str], every_version: bool,
           on_unreadable: OnUnreadable) -> report.Matrix:
    """The recorded runs of these entries, or of all. Raises UnknownName.

    every_version: also those on which only a few entries were run.
    """
    entries = [catalogue.entry(name) for name in ids] or list(catalogue)
    evidence = store.load(*catalogue.folders, on_unreadable=on_unreadable)
    if not every_version:
        evidence = report.select_broad(evidence, catalogue)
    return report.build_matrix(entries, evidence)
