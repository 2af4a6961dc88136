"""What commands and the tools of `dpkb mcp` show of a catalogue, before it becomes text or JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from dpkb.catalogue.load import Catalogue
from dpkb.errors import DpkbError
from dpkb.evidence import report, store
from dpkb.model import Entry, Family

# Is called with the error of each evidence file that cannot be read; the file is left out.
OnUnreadable = Callable[[DpkbError], None]


@dataclass(frozen=True)
class EntryView:
    """An entry, the versions that are installed here, and the titles of all entries.

    recorded_runs: the versions that the entry was seen on, in words; may be empty.
    with_summary: whether the summary is shown below the title.
    """

    entry: Entry
    recorded_runs: str
    versions: dict[str, str | None]
    titles: Mapping[str, str]
    with_summary: bool = False

    def in_chinese(self) -> EntryView:
        """The same with the title and the summary in Chinese."""
        return replace(self, entry=self.entry.in_chinese(), with_summary=True)


@dataclass(frozen=True)
class FamilyView:
    """A family with its entries."""

    family: Family
    entries: tuple[Entry, ...]

    def in_chinese(self) -> FamilyView:
        """The same with the titles of the entries in Chinese."""
        return replace(self, entries=tuple(entry.in_chinese() for entry in self.entries))


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
