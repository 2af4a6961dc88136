"""A diagnosis as text or JSON."""

from __future__ import annotations

from typing import Any

from dpkb.catalogue import Catalogue
from dpkb.diagnose import Diagnosis, Match
from dpkb.plain import one_line, wrapped

_MOST = 4


def to_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """The matches in the shape that others may rely on. None of these: an empty list."""
    return {"version": 1, "matches": [
        {"id": m.id, "title": m.title, "score": m.score,
         "evidence": [{"line": e.line, "text": e.text, "signature": e.signature} for e in m.evidence]}
        for m in diagnosis.matches
    ]}


def to_text(diagnosis: Diagnosis, catalogue: Catalogue, colour: bool, width: int = 100) -> str:
    """The matches with the lines that show them, and how to tell them apart."""
    bold, dim, end = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if colour else ("", "", "")
    if not diagnosis.matches:
        return _none(diagnosis, dim, end)
    lines = []
    for match in diagnosis.matches[:_MOST]:
        lines.append(f"{bold}{match.id:<5} {one_line(match.title)}{end}")
        lines += [f"{dim}      line {e.line}: {one_line(e.text, max(width - 20, 20))}{end}"
                  for e in match.evidence[:3]]
        lines.append(wrapped(catalogue.entries[match.id].summary, width, "      "))
    if len(diagnosis.matches) > _MOST:
        others = ", ".join(match.id for match in diagnosis.matches[_MOST:])
        lines.append(f"{dim}Also possible: {others}{end}")
    apart = _apart(diagnosis.matches[:_MOST], catalogue, width)
    if apart:
        lines += ["", f"{bold}Which of them?{end}", *apart]
    lines.append(f"\n{dim}All of it: dpkb show {diagnosis.matches[0].id}{end}")
    return "\n".join(lines)


def _none(diagnosis: Diagnosis, dim: str, end: str) -> str:
    lines = ["None of these: no entry of the catalogue explains this log."]
    if diagnosis.errors:
        lines.append(f"{dim}Its last error: {one_line(diagnosis.errors[-1], 200)}{end}")
    lines.append(f"{dim}If you know the symptom in your own words: dpkb search WORDS{end}")
    return "\n".join(lines)


def _apart(matches: tuple[Match, ...], catalogue: Catalogue, width: int) -> list[str]:
    """The checks that tell the first match from the others, or from what it is often taken for."""
    first, *others = (match.id for match in matches)
    shown = {other.id: other.check for other in catalogue.entries[first].confused_with
             if not others or other.id in others}
    for other in others:
        for back in catalogue.entries[other].confused_with:
            if back.id == first and other not in shown:
                shown[other] = back.check
    return [line for other, check in shown.items()
            for line in (f"  {first} or {other} ({one_line(catalogue.entries[other].title, 60)})?"
                         if other in catalogue.entries else f"  {first} or {other}?",
                         wrapped(check, width, "      "))]
