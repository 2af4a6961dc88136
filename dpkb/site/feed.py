"""The Atom feed of the site: each entry on the day of its newest recorded run."""

from __future__ import annotations

from dpkb.catalogue.load import Catalogue
from dpkb.evidence.report import summarize_runs
from dpkb.model import Entry
from dpkb.site.markdown import escape_attribute
from dpkb.site.recorded_scripts import RecordedScripts

# A feed is read for its newest items; all entries are in catalog.json.
_MAX_ITEMS = 200


def render_feed(catalogue: Catalogue, scripts: RecordedScripts) -> str:
    """The feed, newest runs first; empty if no run is recorded."""
    dated = [(max(dates), entry) for entry in catalogue if (dates := scripts.list_run_dates(entry))]
    dated.sort(key=lambda item: item[0], reverse=True)
    if not dated:
        return ""
    items = [_render_item(day, entry, scripts) for day, entry in dated[:_MAX_ITEMS]]
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        "<id>urn:dpkb:changes</id><title>dpkb: entries whose scripts were run</title>"
        f"<author><name>dpkb</name></author><updated>{dated[0][0]}T00:00:00Z</updated>"
        '<link rel="self" href="feed.xml"/>\n' + "\n".join(items) + "\n</feed>\n"
    )


def _render_item(day: str, entry: Entry, scripts: RecordedScripts) -> str:
    text = f"{entry.summary} Runs: {summarize_runs(entry, scripts.evidence) or 'a run disagrees'}."
    if entry.withdrawn:
        text = f"Withdrawn: {entry.withdrawn}"
    return (
        f"<entry><id>urn:dpkb:{entry.id}:{day}</id>"
        f"<title>{escape_attribute(f'{entry.id}: {entry.title}')}</title>"
        f'<link href="entries/{entry.id.lower()}.html"/><updated>{day}T00:00:00Z</updated>'
        f"<summary>{escape_attribute(text)}</summary></entry>"
    )
