"""What commands and the tools of `dpkb mcp` show of a catalogue, before it becomes text or JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dpkb.catalogue.load import Catalogue
from dpkb.errors import DpkbError
from dpkb.evidence import report, store
from dpkb.evidence.store import Evidence
from dpkb.model import Entry, Family, Problem

# Is called with the error of each evidence file that cannot be read; the file is left out.
OnUnreadable = Callable[[DpkbError], None]


@dataclass(frozen=True)
class EntryView:
    """An entry, the versions that are installed here, and the titles of all entries.

    recorded_runs: the versions that the entry was seen on, in words; may be empty.
    """

    entry: Entry
    recorded_runs: str
    versions: dict[str, str | None]
    titles: Mapping[str, str]


@dataclass(frozen=True)
class FamilyView:
    """A family with its entries."""

    family: Family
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class CheckReport:
    """How many entries were read, and each problem with its path as the user would write it."""

    entries: int
    problems: tuple[tuple[str, Problem], ...]


@dataclass(frozen=True)
class Listing:
    """Some entries in the order of the catalogue, and all families. evidence: only for JSON."""

    entries: tuple[Entry, ...]
    families: Mapping[str, Family]
    evidence: tuple[Evidence, ...] = ()


def load_view(
    catalogue: Catalogue,
    name: str,
    find_versions: Callable[[], dict[str, str | None]],
    on_unreadable: OnUnreadable,
) -> EntryView | FamilyView:
    """The family of these letters, or the entry of this id with its recorded runs. Raises UnknownName.

    find_versions: finds the versions of torch and Python that are installed here. It is only called for an
    entry, because starting another Python takes time.
    """
    if family := catalogue.families.get(name.upper()):
        return FamilyView(family, tuple(entry for entry in catalogue if entry.family == family.letters))
    entry = catalogue.find_entry(name)
    own_folders = [folder for folder in catalogue.folders if entry.path.is_relative_to(folder)]
    recorded_runs = report.summarize_runs(entry, store.load(*own_folders, on_unreadable=on_unreadable))
    return EntryView(entry, recorded_runs, find_versions(), catalogue.titles)


def load_matrix(
    catalogue: Catalogue, ids: Sequence[str], every_version: bool, on_unreadable: OnUnreadable
) -> report.Matrix:
    """The recorded runs of these entries, or of all entries if `ids` is empty. Raises UnknownName.

    every_version: also include versions on which only a few entries were run.
    """
    entries = [catalogue.find_entry(name) for name in ids] or list(catalogue)
    evidence = store.load(*catalogue.folders, on_unreadable=on_unreadable)
    if not every_version:
        evidence = report.select_broad(evidence, catalogue)
    return report.build_matrix(entries, evidence)
