"""The hits of a search as text or JSON. Without rich, which takes longer to load than a search takes."""

from __future__ import annotations

import re

from dpkb.output.documents import url_fields
from dpkb.output.terminal import choose_ansi_codes
from dpkb.search.rank import SearchResult
from dpkb.text import escape_controls, join_lines, wrap

# Also shown by the search of the site.
WEAK_HEADING = "Nothing here fits well; nearest:"
# For a question that does not say what failed: what may have, and the entries that lead to others. Without one,
# the words of the error are what leads on.
UNCLEAR_HEADING = "This does not say what failed. Which is it?"
UNCLEAR_CASES = (
    ("It raised an error", ()),
    ("It hangs or stops", ("Q1",)),
    ("The loss is nan, or does not fall", ("Q2", "O1")),
    ("Memory runs out, or it is too slow", ("Q3", "T8")),
)
LAST_LINE = "search its last line"
_INDENT = "      "
EMPHASIS = re.compile(r"\*\*(.+?)\*\*")


def search_fields(question: str, result: SearchResult) -> dict[str, object]:
    """The JSON fields of `dpkb search`."""
    return {
        "query": question,
        "weak": result.weak,
        "unclear": result.unclear,
        "hits": [
            {
                "id": hit.id,
                "title": hit.title,
                "kind": hit.kind,
                "score": hit.score,
                **url_fields(hit.id),
                "matched": list(hit.matched),
            }
            for hit in result.hits
        ],
    }


def render_search(question: str, result: SearchResult, colour: bool, width: int = 100) -> str:
    """The hits, best first, each with why it matched; then the answer of a clear first hit."""
    if not result.hits:
        return (
            f"Nothing in the catalogue matches {join_lines(question, 60)!r}. "
            "Try the last line of the traceback, or fewer words."
        )
    if result.unclear:
        cases = "\n".join(
            f"  {case:<36}{', '.join(f'dpkb {i}' for i in ids) or LAST_LINE}" for case, ids in UNCLEAR_CASES
        )
        return f"{UNCLEAR_HEADING}\n\n{cases}\n\nThe whole log: dpkb diagnose train.log"
    bold, dim, end = choose_ansi_codes(colour)
    lines = [f"{WEAK_HEADING}\n"] if result.weak else []
    for hit in result.hits:
        kind = f"{hit.kind}, withdrawn" if hit.is_withdrawn else hit.kind
        title = wrap(f"{hit.title} ({kind})", width, _INDENT)[len(_INDENT) :].removesuffix(f"({kind})")
        lines.append(f"{bold}{hit.id:<5} {title}{end}{dim}({kind}){end}")
        if not result.weak:
            lines.append(wrap(hit.summary, width, _INDENT))
        why = "matched " + (hit.line or "; ".join(hit.matched))
        lines.append(f"{dim}{wrap(why, width, _INDENT)}{end}")
    first = result.hits[0].id
    if result.answer:
        lines += ["", f"{bold}{first} in short{end}", "", *render_answer_lines(result.answer, width)]
    next_step = (
        "Other words may help: the last line of the traceback, or what you see."
        if result.weak
        else f"More: dpkb show {first} · see it happen: dpkb repro {first}"
    )
    lines.append(f"\n{dim}{next_step}{end}")
    return "\n".join(lines)


def render_only_others(question: str, kind: str | None, family: str | None, count: int) -> str:
    """What to do if only entries of other kinds or families match. count: how many these are."""
    filters = {"kind": kind, "family": family}
    given = " and ".join(f"{name} {value}" for name, value in filters.items() if value)
    options = " and ".join(f"--{name}" for name, value in filters.items() if value)
    match = f"{count} entries match" if count > 1 else "1 entry matches"
    return f"No entry of {given} matches {join_lines(question, 60)!r}. Without {options}, {match}."


def render_answer_lines(markdown: str, width: int) -> list[str]:
    """Markdown as lines: wraps paragraphs and list items, keeps code, and removes emphasis."""
    lines: list[str] = []
    paragraph: list[str] = []

    def end_paragraph() -> None:
        if paragraph:
            text = EMPHASIS.sub(r"\1", " ".join(paragraph))
            is_item = text.startswith("- ")
            block = wrap(text.removeprefix("- "), width, "    " if is_item else "  ")
            lines.append("  - " + block[4:] if is_item else block)
            paragraph.clear()

    in_code = False
    for line in escape_controls(markdown).strip().split("\n"):
        if line.startswith("```"):
            end_paragraph()
            in_code = not in_code
        elif in_code:
            lines.append(f"      {line}".rstrip())
        elif line.strip():
            if line.startswith("- "):
                end_paragraph()
            paragraph.append(line.strip())
        else:
            end_paragraph()
            if lines and lines[-1]:
                lines.append("")
    end_paragraph()
    return lines
