"""Entries and problems as plain values for JSON, and the README's table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpkb.entry import Entry, Family, Pattern, Problem
from dpkb.plain import one_line


def summary(entry: Entry) -> dict[str, Any]:
    """One entry in a list."""
    return {"id": entry.id, "title": entry.title, "summary": entry.summary,
            "kind": entry.kind.value, "family": entry.family, "scripts": list(entry.script_names)}


def to_dict(entry: Entry) -> dict[str, Any]:
    """One entry, whole."""
    return {
        "version": 1, **summary(entry), "keywords": list(entry.keywords),
        "asked_as": list(entry.asked_as), "affects": dict(entry.affects),
        "signatures": [{**_pattern(p), "weak": p.weak, "near": p.near} for p in entry.signatures],
        "see_also": list(entry.see_also),
        "confused_with": [{"id": c.id, "check": c.check} for c in entry.confused_with],
        "sources": [{"title": s.title, "url": s.url} for s in entry.sources],
        "scripts": {
            s.name: {"claim": s.claim, "shows": s.shows.value, "path": str(s.path),
                     "patterns": [_pattern(p) for p in s.patterns], **dict(s.range.specifiers)}
            for s in entry.scripts
        },
        "sections": {s.heading: s.text for s in entry.sections}, "withdrawn": entry.withdrawn,
    }


def family(found: Family, members: Iterable[Entry]) -> dict[str, Any]:
    """The overview of a family, with its entries in short."""
    return {"version": 1, "family": found.letters, "title": found.title, "summary": found.summary,
            "sections": {s.heading: s.text for s in found.sections},
            "entries": [summary(entry) for entry in members]}


def _pattern(pattern: Pattern) -> dict[str, str]:
    return {"match": pattern.match, **dict(pattern.range.specifiers)}


def problem(found: Problem, path: str) -> dict[str, Any]:
    """One problem of the catalogue."""
    return {"path": path, "line": found.line, "key": found.key, "message": found.message}


def markdown_table(entries: Iterable[Entry]) -> str:
    """The table of the README."""
    rows = ["| id | what is wrong | kind | scripts |", "|---|---|---|---|"]
    for entry in entries:
        title = one_line(entry.title).replace("|", "\\|")
        rows.append(f"| [{entry.id}](kb/{entry.path.name}) | {title} | {entry.kind.value} | "
                    f"{len(entry.scripts)} |")
    return "\n".join(rows)
