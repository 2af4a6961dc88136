"""The page of look-alikes: which entries are easily confused, drawn and as a list."""

from __future__ import annotations

import math

from dpkb.catalogue.load import Catalogue
from dpkb.site.markdown import escape, escape_attribute, render_entry_link, render_front_matter, render_title

# A picture with more nodes cannot be read; the list below it has all entries.
MAX_NODES = 150


def render_graph_page(catalogue: Catalogue) -> str:
    """The page of look-alikes, for mkdocs."""
    items = []
    for entry in catalogue:
        groups = [
            f"{relation} {', '.join(_link_known(other, catalogue) for other in others)}"
            for relation, others in (
                ("confused with", [c.id for c in entry.confused_with]),
                ("see also", entry.see_also),
            )
            if others
        ]
        items.append(
            f"<li>{render_entry_link(entry.id, 'entries/')} {render_title(entry.title)}"
            + (f": {'; '.join(groups)}" if groups else "")
            + "</li>"
        )
    picture = (
        _draw_graph(catalogue)
        if len(catalogue.entries) <= MAX_NODES
        else f"<p>There are more than {MAX_NODES} entries, so they are only listed.</p>"
    )
    return (
        "\n\n".join(
            [
                render_front_matter("Look-alikes"),
                "# Which entries look alike {#graph}",
                "<p>Dark lines: entries that are easily confused, each with a check that tells them "
                "apart. Faint lines: see also.</p>",
                picture,
                "## As a list {#list}",
                f"<ul>{''.join(items)}</ul>",
            ]
        )
        + "\n"
    )


def _link_known(entry_id: str, catalogue: Catalogue) -> str:
    return render_entry_link(entry_id, "entries/") if entry_id in catalogue.entries else escape(entry_id)


def _draw_graph(catalogue: Catalogue) -> str:
    """All entries on a circle, in order, so that the entries of a family are neighbours."""
    size, middle, radius = 900, 450.0, 390.0
    positions = {}
    for number, entry_id in enumerate(catalogue.entries):
        angle = 2 * math.pi * number / len(catalogue.entries) - math.pi / 2
        positions[entry_id] = (middle + radius * math.cos(angle), middle + radius * math.sin(angle))
    edges: dict[tuple[str, str], str] = {}
    for entry in catalogue:
        for other in entry.see_also:
            edges.setdefault(_sort_pair(entry.id, other), "see")
        for confused in entry.confused_with:
            edges[_sort_pair(entry.id, confused.id)] = "confused"
    lines = [
        _draw_edge(positions[a], positions[b], middle, kind)
        for (a, b), kind in edges.items()
        if a in positions and b in positions
    ]
    nodes = [
        f'<a href="entries/{entry.id.lower()}.html" '
        f'aria-label="{escape_attribute(f"{entry.id}: {entry.title}")}">'
        f'<circle class="node" cx="{x:.0f}" cy="{y:.0f}" r="21"/>'
        f'<text class="number" x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle">{entry.id}</text></a>'
        for entry, (x, y) in zip(catalogue, positions.values(), strict=True)
    ]
    return (
        f'<div class="dpkb-picture dpkb-graph"><svg role="group" aria-label="Cross-references, listed '
        f'below" viewBox="0 0 {size} {size}" width="{size}" height="{size}">'
        f"{''.join(lines)}{''.join(nodes)}</svg></div>"
    )


def _sort_pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


def _draw_edge(a: tuple[float, float], b: tuple[float, float], middle: float, kind: str) -> str:
    # The line is bent towards the middle, so that lines between neighbours do not overlap.
    bend = [0.5 * middle + 0.25 * (a[axis] + b[axis]) for axis in (0, 1)]
    return (
        f'<path class="{kind}" d="M{a[0]:.0f} {a[1]:.0f}Q{bend[0]:.0f} {bend[1]:.0f} {b[0]:.0f} {b[1]:.0f}"/>'
    )
