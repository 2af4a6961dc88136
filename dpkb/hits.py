"""Search hits as text or JSON. Apart from render_entry.py: a search must not wait for rich to load."""

from __future__ import annotations

from collections.abc import Sequence

from dpkb.index import Hit
from dpkb.plain import one_line, wrapped

_INDENT = "      "


def to_text(question: str, hits: Sequence[Hit], colour: bool, width: int = 100) -> str:
    """The hits, best first, each with why it matched; or what to do where there are none."""
    if not hits:
        return (f"Nothing in the catalogue matches {one_line(question, 60)!r}. "
                "Try the last line of the traceback, or fewer words.")
    bold, dim, end = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if colour else ("", "", "")
    lines = []
    for hit in hits:
        lines.append(f"{bold}{hit.id:<5} {one_line(hit.title)}{end}  {dim}({hit.kind}){end}")
        lines.append(wrapped(hit.summary, width, _INDENT))
        why = "matched " + (hit.line or "; ".join(hit.matched))
        lines.append(f"{dim}{wrapped(why, width, _INDENT)}{end}")
    lines.append(f"\n{dim}All of it: dpkb show {hits[0].id} · see it happen: dpkb repro {hits[0].id}{end}")
    return "\n".join(lines)


def to_json(question: str, hits: Sequence[Hit]) -> str:
    """The hits in the shape that others may rely on."""
    import json

    rows = [
        {"id": hit.id, "title": hit.title, "kind": hit.kind, "score": hit.score,
         "matched": list(hit.matched)}
        for hit in hits
    ]
    return json.dumps({"version": 1, "query": question, "hits": rows}, indent=2)
