"""The Atom feed of the site: each entry on the day of its newest recorded run."""

from __future__ import annotations

from dpkb.catalogue.load import Catalogue
from dpkb.evidence.report import summarize_runs
from dpkb.site.markdown import attribute
from dpkb.site.sources import Sources

# A feed is read for its newest items; catalog.json has everything.
_MOST = 200


def atom(catalogue: Catalogue, sources: Sources) -> str:
    """The newest runs first; empty if no run is recorded."""
    dated = [(max(dates), entry) for entry in catalogue if (dates := sources.dates(entry))]
    dated.sort(key=lambda item: item[0], reverse=True)
    if not dated:
        return ""
    items = []
    for day, entry in dated[:_MOST]:
        text = f"{entry.summary} Runs: {summarize_runs(entry, sources.evidence) or 'a run disagrees'}."
        if entry.withdrawn:
            text = f"Withdrawn: {entry.withdrawn}"
        items.append(
            f"<entry><id>urn:dpkb:{entry.id}:{day}</id>"
            f"<title>{attribute(f'{entry.id}: {entry.title}')}</title>"
            f'<link href="entries/{entry.id.lower()}.html"/><updated>{day}T00:00:00Z</updated>'
            f"<summary>{attribute(text)}</summary></entry>")
    return ('<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
            "<id>urn:dpkb:changes</id><title>dpkb: entries whose scripts were run</title>"
            f"<author><name>dpkb</name></author><updated>{dated[0][0]}T00:00:00Z</updated>"
            '<link rel="self" href="feed.xml"/>\n' + "\n".join(items) + "\n</feed>\n")
