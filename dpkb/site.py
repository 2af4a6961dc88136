"""The documentation site: every page as plain Markdown in one folder, and what machines read beside them.

mkdocs makes HTML of it (mkdocs.yml); nothing of the site is made by plugins or hooks.
"""

from __future__ import annotations

import html
import json
import math
import shutil
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from dpkb import __version__, entry_json, search_data, site_feed
from dpkb.catalogue import Catalogue
from dpkb.entry import Entry, Script
from dpkb.errors import DpkbError, UsageError
from dpkb.evidence import Evidence, Seen, State, broad, fingerprint, summary
from dpkb.plain import one_line, plain
from dpkb.site_entry import (
    EntryPage,
    affects,
    environment_words,
    family_page,
    front_matter,
    needs_gpu,
    script_address,
    source,
)
from dpkb.site_feed import Known
from dpkb.site_text import attribute, escaped, table

ASSETS = Path(__file__).resolve().parent / "site_assets"
SCHEMA = Path(__file__).resolve().parent / "catalog.schema.json"
SEARCH_DATA = "assets/search-data.js"
# In a folder that holds something else, nothing is written, and nothing removed.
_MARK = ".dpkb-pages"
# More nodes than this are no picture any more; the list tells them all.
_MOST_NODES = 150
_MARKS = {State.CONFIRMED: "✓ affected", State.NOT_AFFECTED: "– not affected", State.REFUTED: "✗ refuted",
          State.NOT_RUN: "· not run"}


def write(catalogue: Catalogue, evidence: list[Evidence], folder: Path,
          changes: dict[str, Known] | None = None) -> int:
    """Write the whole site's pages into a folder of its own, anew; how many entries.

    changes: what the feed tells of, as site_feed reads it.
    Raises UsageError where the folder holds something else, DpkbError where it cannot be written.
    """
    evidence = _current(catalogue, evidence)
    try:
        _emptied(folder)
        for name, text in _pages(catalogue, evidence, changes or {}):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        _write_assets(catalogue, folder)
    except OSError as error:
        raise DpkbError(f"{error.filename or folder}: cannot be written: {error.strerror}") from None
    return len(catalogue.entries)


def record(catalogue: Catalogue, evidence: list[Evidence], folder: Path, day: str) -> list[str]:
    """Add what changed since the last time to the record that the feed is made of; the ids of what did."""
    return site_feed.record(catalogue, _current(catalogue, evidence), folder, day)


class _Current(Evidence):
    """Runs of scripts that are known to be as they are now: no script is read again."""

    def of(self, script: Script) -> Seen | None:
        return self.scripts.get(f"{script.entry}/{script.name}")


def _current(catalogue: Catalogue, evidence: list[Evidence]) -> list[Evidence]:
    """The runs that still speak, each script looked at once; of several catalogues one for an environment."""
    prints = {f"{s.entry}/{s.name}": fingerprint(s.path) for entry in catalogue for s in entry.scripts}
    found: dict[str, _Current] = {}
    for one in evidence:
        kept = {key: seen for key, seen in one.scripts.items() if prints.get(key) == seen.sha256}
        found.setdefault(one.name, _Current(one.environment, {})).scripts.update(kept)
    return list(found.values())


def _emptied(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder for the pages")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).exists():
        raise UsageError(f"{folder} holds something that is no page of this site; name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    # The mark is there all the time: what is cut short can be made anew.
    (folder / _MARK).write_text("Written by `dpkb site`, which removes all of this folder.\n")
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != _MARK:
            path.unlink()


def _write_assets(catalogue: Catalogue, folder: Path) -> None:
    shutil.copytree(ASSETS, folder / "assets", dirs_exist_ok=True)
    search_data.write(catalogue, folder / SEARCH_DATA)


def _pages(catalogue: Catalogue, evidence: list[Evidence],
           changes: dict[str, Known]) -> Iterator[tuple[str, str]]:
    """Every file that is made of the entries: its path in the folder, and its text."""
    yield "index.md", _start(catalogue, bool(changes))
    for entry in catalogue:
        lower = entry.id.lower()
        yield f"entries/{lower}.md", EntryPage(entry, catalogue, evidence).text()
        yield f"raw/{entry.id}.md.txt", plain(entry.path.read_text(encoding="utf-8"))
        for name in (entry.id, lower):
            # Where small and capital letters are one to the file system, both are the same file.
            yield f"id/{name}.html", _forward(f"../entries/{lower}.html", entry)
        for script in entry.scripts:
            if (text := source(script)) is not None:
                yield script_address(script), text
    yield "families/index.md", _families(catalogue)
    for family in catalogue.families.values():
        yield f"families/{family.letters}.md", family_page(family, catalogue)
    yield "matrix.md", _matrix(catalogue, evidence)
    yield "graph.md", _graph(catalogue)
    yield "catalog.json", json.dumps(catalog(catalogue, evidence), indent=1, ensure_ascii=True) + "\n"
    yield "catalog.schema.json", SCHEMA.read_text(encoding="utf-8")
    yield "llms.txt", _llms(catalogue)
    if feed := site_feed.atom(catalogue, changes):
        yield "feed.xml", feed


# -- pages ------------------------------------------------------------------------------------------


def _start(catalogue: Catalogue, has_feed: bool) -> str:
    """The search box, and the list of all entries, which needs no script."""
    feed = "[feed of changes](feed.xml)" if has_feed else "no feed of changes, as none is recorded yet"
    return "\n\n".join([
        front_matter("dpkb, an executable error index for PyTorch training", start=True, feed=has_feed),
        "# PyTorch training fails: find out why {#start}",
        "Every failure in this index is explained, was reproduced by a script, and is shown fixed. Paste an "
        "error, or say what you see; nothing that you type leaves this page.",
        f'<div id="dpkb-search" data-index="{SEARCH_DATA}"><noscript>The search needs JavaScript; the list '
        "below does not.</noscript></div>",
        "## All entries {#entries}",
        # Filled by assets/filter.js.
        '<div id="dpkb-filter"></div>',
        *_lists(catalogue),
        "## For machines {#machines}",
        "[catalog.json](catalog.json) and its [schema](catalog.schema.json) · [llms.txt](llms.txt) · "
        f"{feed} · "
        "each entry's Markdown is linked at the end of its page · a link by id, in capitals or not: "
        f"`id/{next(iter(catalogue.entries), 'DP1')}.html`",
    ]) + "\n"


def _lists(catalogue: Catalogue) -> Iterator[str]:
    for letters, members in groupby(catalogue, key=lambda entry: entry.family):
        family = catalogue.families.get(letters)
        title = (f"[{letters} · {escaped(family.title)}](families/{letters}.md)" if family else letters)
        yield f"### {title} {{#family-{letters.lower()}}}"
        yield table(["id", "what is wrong", "kind", "versions", "needs"], [_row(e) for e in members])


def _row(entry: Entry) -> list[str]:
    title = escaped(entry.title) + (" (withdrawn)" if entry.withdrawn else "")
    failure = entry.script("broken")
    narrower = f", {escaped(str(failure.range))}" if failure and failure.range.specifiers else ""
    versions = affects(entry).removeprefix("affects ") + narrower
    return [f"[{entry.id}](entries/{entry.id.lower()}.md)", title, entry.kind.value, versions,
            "GPU" if needs_gpu(entry.script("broken")) else "CPU"]


def _families(catalogue: Catalogue) -> str:
    rows = []
    for letters, family in sorted(catalogue.families.items()):
        count = sum(entry.family == letters for entry in catalogue)
        told = [escaped(family.title), escaped(family.summary), str(count)]
        rows.append([f"[{letters}]({letters}.md)", *told])
    return "\n\n".join([front_matter("Families"), "# Families {#families}",
                        "Entries that share their letters fail in the same part of a training.",
                        table(["id", "what", "when to look here", "entries"], rows)]) + "\n"


def _matrix(catalogue: Catalogue, evidence: list[Evidence]) -> str:
    """Entries against the environments of the recorded runs."""
    parts = [front_matter("Matrix of versions"), "# Matrix of versions {#matrix}",
             "What the recorded runs have shown, entry by entry. A cell is <em>affected</em> where the "
             "failure and its fix were both seen; what was not run is never counted as passed."]
    evidence = broad(evidence, catalogue)
    if not evidence:
        return "\n\n".join([*parts, "No run is recorded yet: `dpkb verify --record`."]) + "\n"
    heads = ["entry", *(escaped(environment_words(one)) for one in evidence)]
    rows = [[f"[{e.id}](entries/{e.id.lower()}.md)", *(_MARKS[one.state(e)] for one in evidence)]
            for e in catalogue]
    return "\n\n".join([*parts, table(heads, rows)]) + "\n"


def _graph(catalogue: Catalogue) -> str:
    """Which entries are taken for one another, drawn and as a list."""
    lines = []
    for entry in catalogue:
        told = [f"{how} {', '.join(_entry_link(other, catalogue) for other in others)}" for how, others in (
            ("taken for", [c.id for c in entry.confused_with]), ("see also", entry.see_also)) if others]
        lines.append(f"-   [{entry.id}](entries/{entry.id.lower()}.md) {escaped(entry.title)}"
                     + (f": {'; '.join(told)}" if told else ""))
    drawn = (_drawn(catalogue) if len(catalogue.entries) <= _MOST_NODES else
             f"More than {_MOST_NODES} entries: no picture, only the list.")
    return "\n\n".join([front_matter("Graph of entries"), "# Who is taken for whom {#graph}",
                        "Full lines: entries that are easily confused, each with a check that tells them "
                        "apart. Faint lines: see also.", drawn, "## As a list {#list}",
                        "\n".join(lines)]) + "\n"


def _entry_link(entry_id: str, catalogue: Catalogue) -> str:
    known = entry_id in catalogue.entries
    return f"[{entry_id}](entries/{entry_id.lower()}.md)" if known else escaped(entry_id)


def _drawn(catalogue: Catalogue) -> str:
    """All entries on a circle, in order, so that families stand together."""
    size, middle, radius = 900, 450.0, 390.0
    places = {}
    for number, entry_id in enumerate(catalogue.entries):
        angle = 2 * math.pi * number / len(catalogue.entries) - math.pi / 2
        places[entry_id] = (middle + radius * math.cos(angle), middle + radius * math.sin(angle))
    edges: dict[tuple[str, str], str] = {}
    for entry in catalogue:
        for other in entry.see_also:
            edges.setdefault(tuple(sorted((entry.id, other))), "see")
        for confused in entry.confused_with:
            edges[tuple(sorted((entry.id, confused.id)))] = "confused"
    lines = [_edge(places[a], places[b], middle, kind) for (a, b), kind in edges.items()
             if a in places and b in places]
    nodes = [f'<a href="entries/{entry.id.lower()}.html" '
             f'aria-label="{attribute(f"{entry.id}: {entry.title}")}">'
             f'<circle class="node" cx="{x:.0f}" cy="{y:.0f}" r="21"/>'
             f'<text class="number" x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle">{entry.id}</text></a>'
             for entry, (x, y) in zip(catalogue, places.values(), strict=True)]
    return (f'<div class="dpkb-picture dpkb-graph"><svg role="group" aria-label="Cross-references, told as a '
            f'list below" viewBox="0 0 {size} {size}" width="{size}" height="{size}">'
            f'{"".join(lines)}{"".join(nodes)}</svg></div>')


def _edge(a: tuple[float, float], b: tuple[float, float], middle: float, kind: str) -> str:
    # Bent towards the middle, so that neighbours' lines do not lie on each other.
    bend = [0.5 * middle + 0.25 * (a[axis] + b[axis]) for axis in (0, 1)]
    return (f'<path class="{kind}" d="M{a[0]:.0f} {a[1]:.0f}Q{bend[0]:.0f} {bend[1]:.0f} '
            f'{b[0]:.0f} {b[1]:.0f}"/>')


def _forward(address: str, entry: Entry) -> str:
    """A page that leads on to an entry's own: the link that stays by id."""
    title = html.escape(one_line(f"{entry.id}: {entry.title}"))
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; base-uri \'none\'; '
            'form-action \'none\'"><meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="color-scheme" content="light dark">'
            f'<meta http-equiv="refresh" content="0; url={address}"><link rel="canonical" href="{address}">'
            f'<title>{title}</title></head><body><p><a href="{address}">{title}</a></p></body></html>\n')


# -- for machines -----------------------------------------------------------------------------------


def catalog(catalogue: Catalogue, evidence: list[Evidence]) -> dict[str, Any]:
    """All entries, whole, with where they were seen and where their pages are."""
    entries = []
    for entry in catalogue:
        told = entry_json.to_dict(entry)
        for script in entry.scripts:
            told["scripts"][script.name]["path"] = script_address(script)
        states = {one.name: state.value for one in evidence
                  if (state := one.state(entry)) is not State.NOT_RUN}
        told |= {"page": f"entries/{entry.id.lower()}.html", "raw": f"raw/{entry.id}.md.txt",
                 "seen": summary(entry, evidence), "states": states}
        entries.append({key: value for key, value in told.items() if key != "version"})
    families = [{"family": f.letters, "title": f.title, "summary": f.summary,
                 "page": f"families/{f.letters}.html"} for _, f in sorted(catalogue.families.items())]
    return {"$schema": "catalog.schema.json", "version": 1, "dpkb": __version__,
            "families": families, "entries": entries}


def _llms(catalogue: Catalogue) -> str:
    """The index for language models, in the form of llmstxt.org."""
    parts = ["# dpkb", "> An executable error index for PyTorch training: every failure is explained, "
             "reproduced by a script, and shown fixed. All of it as JSON: catalog.json."]
    for letters, members in groupby(catalogue, key=lambda entry: entry.family):
        family = catalogue.families.get(letters)
        parts.append(f"## {one_line(family.title) if family else letters}")
        parts.append("\n".join(f"- [{e.id}: {_bracketless(e.title)}](raw/{e.id}.md.txt): "
                               f"{one_line(e.summary)}" for e in members))
    return "\n\n".join(parts) + "\n"


def _bracketless(text: str) -> str:
    return one_line(text).replace("[", "(").replace("]", ")")
