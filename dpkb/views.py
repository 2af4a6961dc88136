"""The data behind `dpkb show` and `dpkb matrix`, for the commands and for the same tools of `dpkb mcp`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dpkb.catalogue.load import Catalogue
from dpkb.errors import DpkbError
from dpkb.evidence import report, store
from dpkb.output.entry import EntryView, FamilyView
from dpkb.output.wording import describe_affected
from dpkb.runner import interpreter

# Is called with the error of each evidence file that cannot be read; the file is left out.
OnUnreadable = Callable[[DpkbError], None]


def load_view(catalogue: Catalogue, name: str, python: str | None,
              on_unreadable: OnUnreadable) -> EntryView | FamilyView:
    """The family of these letters, or the entry of this id with its recorded runs. Raises UnknownName.

    python: the interpreter whose versions decide if the entry is affected here; None: this one if it has
    torch, otherwise the first on the PATH that has it.
    """
    if family := catalogue.families.get(name.upper()):
        return FamilyView(family, tuple(entry for entry in catalogue if entry.family == family.letters))
    entry = catalogue.entry(name)
    versions = interpreter.probe(python, "cpu").versions if python else interpreter.find_versions_here()
    own_folders = [folder for folder in catalogue.folders if entry.path.is_relative_to(folder)]
    recorded_runs = report.summarize_runs(entry, store.load(*own_folders, on_unreadable=on_unreadable))
    return EntryView(entry, recorded_runs, describe_affected(entry, versions), catalogue.titles)


def load_matrix(catalogue: Catalogue, ids: Sequence[str], every_version: bool,
                on_unreadable: OnUnreadable) -> report.Matrix:
    """The recorded runs of these entries, or of all entries if `ids` is empty. Raises UnknownName.

    every_version: also include versions on which only a few entries were run.
    """
    entries = [catalogue.entry(name) for name in ids] or list(catalogue)
    evidence = store.load(*catalogue.folders, on_unreadable=on_unreadable)
    if not every_version:
        evidence = report.select_broad(evidence, catalogue)
    return report.build_matrix(entries, evidence)
