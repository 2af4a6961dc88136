"""Lists of entries as text or JSON: what `dpkb list` prints."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from rich.table import Table
from rich.text import Text

from dpkb.evidence.report import group_versions_by_state
from dpkb.model import Entry
from dpkb.output.console import create_text_console, text_of
from dpkb.text import escape_controls, join_lines
from dpkb.views import Listing


def summary_fields(entry: Entry) -> dict[str, object]:
    """The JSON fields of an entry in a list."""
    return {
        "id": entry.id,
        "title": entry.title,
        "summary": entry.summary,
        "kind": entry.kind.value,
        "family": entry.family,
        "found_by": dict(entry.found_by),
        "unseen": entry.unseen,
        "scripts": list(entry.script_names),
    }


def listing_fields(listing: Listing) -> dict[str, object]:
    """The JSON fields of `dpkb list`."""
    return {
        "entries": [
            {
                **summary_fields(entry),
                "in_short": entry.find_section("In short"),
                "recorded": group_versions_by_state(entry, listing.evidence),
            }
            for entry in listing.entries
        ]
    }


def render_listing(listing: Listing) -> str:
    """One line for each entry, under the title of its family."""
    out = create_text_console()
    for letters, members in groupby(listing.entries, key=lambda entry: entry.family):
        if letters in listing.families:
            title = escape_controls(listing.families[letters].title)
            out.print(Text.assemble("\n", (title, "bold"), (f"  (dpkb show {letters})", "dim")))
        out.print(create_entry_table(members))
    return text_of(out)


def render_markdown_listing(listing: Listing) -> str:
    """The entries as a table in Markdown."""
    lines = ["| id | what is wrong | kind | scripts |", "|---|---|---|---|"]
    for entry in listing.entries:
        title = join_lines(entry.title).replace("|", "\\|") + _choose_mark(entry)
        lines.append(
            f"| [{entry.id}](kb/{entry.path.name}) | {title} | {entry.kind.value} | {len(entry.scripts)} |"
        )
    return "\n".join(lines)


def create_entry_table(entries: Iterable[Entry]) -> Table:
    """A table with the id, kind and title of each entry."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for entry in entries:
        table.add_row(entry.id, entry.kind.value, escape_controls(entry.title) + _choose_mark(entry))
    return table


def _choose_mark(entry: Entry) -> str:
    return " (withdrawn)" if entry.withdrawn else ""
