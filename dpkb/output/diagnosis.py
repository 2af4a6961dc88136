"""A diagnosis as text or JSON."""

from __future__ import annotations

import re

from dpkb.catalogue.load import Catalogue
from dpkb.diagnosis.match import Diagnosis, Match
from dpkb.model import Certainty, Entry
from dpkb.output.documents import finding_fields
from dpkb.output.terminal import Ansi, choose_ansi_codes
from dpkb.text import join_lines, wrap

_MAX_SHOWN = 4
# Lines of the log that are shown for a match.
_MAX_LINES = 3
_FIX = re.compile(r"^- \*\*Fix:\*\* (.*?)(?=\n\n|\n- |\n```|\Z)", re.MULTILINE | re.DOTALL)


def diagnosis_fields(diagnosis: Diagnosis, catalogue: Catalogue) -> dict[str, object]:
    """The JSON fields of `dpkb diagnose`. Without an entry that explains the log, "matches" is empty."""
    next_step = diagnosis.next_step
    return {
        "matches": [
            {
                **finding_fields(
                    m.id,
                    m.title,
                    Certainty.LIKELY,
                    m.evidence[0].text,
                    _find_fix_in_short(catalogue.entries[m.id]),
                    {"line": m.evidence[0].line},
                    [{"line": e.line, "text": e.text, "signature": e.signature} for e in m.evidence],
                ),
                "score": m.score,
            }
            for m in diagnosis.matches
        ],
        "hints": [
            {"ids": list(hint.ids), "certainty": "hint", "message": hint.message, "line": hint.line}
            for hint in diagnosis.hints
        ],
        "next": {"id": next_step.id, "advice": next_step.advice} if next_step else None,
    }


def _find_fix_in_short(entry: Entry) -> str | None:
    """The line of the page that says what to do."""
    fix = _FIX.search(entry.find_section("In short"))
    return join_lines(fix[1]) if fix else None


def render_diagnosis(diagnosis: Diagnosis, catalogue: Catalogue, colour: bool, width: int = 100) -> str:
    """The matches with the lines of the log that show them, and the checks that tell them apart."""
    codes = choose_ansi_codes(colour)
    bold, dim, end = codes
    if not diagnosis.matches:
        return _render_no_match(diagnosis, catalogue, width, codes)
    shown, others = diagnosis.matches[:_MAX_SHOWN], diagnosis.matches[_MAX_SHOWN:]
    lines = []
    for match in shown:
        lines.append(f"{bold}{match.id:<5} {join_lines(match.title)}{end}")
        texts = {e.line: e.text for e in match.evidence}  # several signatures may match the same line
        lines += [
            f"{dim}      line {line}: {join_lines(text, max(width - 20, 20))}{end}"
            for line, text in list(texts.items())[:_MAX_LINES]
        ]
        lines.append(wrap(catalogue.entries[match.id].summary, width, "      "))
    if others:
        lines.append(f"{dim}Also possible: {', '.join(match.id for match in others)}{end}")
    checks = _render_checks(shown, catalogue, width)
    if checks:
        heading = "Which of these is it?" if len(shown) > 1 else "Or is it another entry?"
        lines += ["", f"{bold}{heading}{end}", *checks]
    if diagnosis.hints:
        lines += ["", *_render_hints(diagnosis, catalogue, width, codes)]
    lines.append(f"\n{dim}More: dpkb show {shown[0].id}{end}")
    return "\n".join(lines)


def _render_hints(diagnosis: Diagnosis, catalogue: Catalogue, width: int, codes: Ansi) -> list[str]:
    bold, _, end = codes
    lines = [f"{bold}What the numbers in the log suggest (a hint){end}"]
    for hint in diagnosis.hints:
        lines.append(wrap(hint.message, width, "  "))
        lines += [
            f"      {entry_id:<5} {join_lines(catalogue.entries[entry_id].title, max(width - 12, 20))}"
            for entry_id in hint.ids
        ]
    return lines


def _render_no_match(diagnosis: Diagnosis, catalogue: Catalogue, width: int, codes: Ansi) -> str:
    _, dim, end = codes
    lines = ["No entry of the catalogue explains this log."]
    if diagnosis.errors:
        lines.append(f"{dim}The last error in the log: {join_lines(diagnosis.errors[-1], 200)}{end}")
    if diagnosis.hints:
        lines += ["", *_render_hints(diagnosis, catalogue, width, codes), ""]
    if diagnosis.next_step:
        step = diagnosis.next_step
        lines.append(wrap(f"Collect next: {step.advice} (dpkb show {step.id})", width, ""))
    lines.append(f"{dim}To search for a symptom in your own words: dpkb search WORDS{end}")
    return "\n".join(lines)


def _render_checks(matches: tuple[Match, ...], catalogue: Catalogue, width: int) -> list[str]:
    """The checks that tell the first match from the others, or from entries often confused with it."""
    first, *others = (match.id for match in matches)
    # A check may say "this entry", which is only clear on the entry's page.
    checks = {
        other.id: other.check.replace("this entry", first)
        for other in catalogue.entries[first].confused_with
        if not others or other.id in others
    }
    for other in others:
        for back in catalogue.entries[other].confused_with:
            if back.id == first and other not in checks:
                checks[other] = back.check.replace("this entry", other)
    lines = []
    for other, check in checks.items():
        known = catalogue.entries.get(other)
        title = f" ({join_lines(known.title, 60)})" if known else ""
        lines += [f"  {first} or {other}{title}?", wrap(check, width, "      ")]
    return lines
