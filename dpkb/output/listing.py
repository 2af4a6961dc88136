"""Lists of entries as text or JSON: what `dpkb list` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from rich.table import Table
from rich.text import Text

from dpkb.evidence.report import group_versions_by_state
from dpkb.evidence.store import Evidence
from dpkb.model import Entry, Family
from dpkb.output.console import create_text_console, text_of
from dpkb.output.documents import url_fields
from dpkb.text import escape_controls


def summary_fields(entry: Entry) -> dict[str, object]:
    """The JSON fields of an entry in a list."""
    return {
        "id": entry.id,
        "title": entry.title,
        "summary": entry.summary,
        "title_zh": entry.title_zh,
        "summary_zh": entry.summary_zh,
        "kind": entry.kind.value,
        "family": entry.family,
        "found_by": dict(entry.found_by),
        "unseen": entry.unseen,
        "scripts": list(entry.script_names),
        **url_fields(entry.id),
    }


def listing_fields(entries: Iterable[Entry], evidence: Sequence[Evidence]) -> dict[str, object]:
    """The JSON fields of `dpkb list`."""
    return {
        "entries": [
            {
                **summary_fields(entry),
                "in_short": entry.find_section("In short"),
                "recorded": group_versions_by_state(entry, evidence),
            }
            for entry in entries
        ]
    }


def render_listing(entries: Iterable[Entry], families: Mapping[str, Family]) -> str:
    """One line for each entry, under the title of its family."""
    out = create_text_console()
    for letters, members in groupby(entries, key=lambda entry: entry.family):
        if letters in families:
            title = escape_controls(families[letters].title)
            out.print(Text.assemble("\n", (title, "bold"), (f"  (dpkb show {letters})", "dim")))
        out.print(create_entry_table(members))
    return text_of(out)


def create_entry_table(entries: Iterable[Entry]) -> Table:
    """A table with the id, kind and title of each entry."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for entry in entries:
        mark = " (withdrawn)" if entry.withdrawn else ""
        table.add_row(entry.id, entry.kind.value, escape_controls(entry.title) + mark)
    return table
