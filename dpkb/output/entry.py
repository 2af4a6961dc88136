"""An entry or a family as text or JSON: what `dpkb show` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dpkb.model import Entry, LinePattern, Outcome, Section
from dpkb.output.console import create_text_console, text_of
from dpkb.output.listing import create_entry_table, summary_fields
from dpkb.output.markdown import print_markdown, render_prose
from dpkb.output.wording import (
    describe_affected,
    format_repro_command,
    list_affected_versions,
    list_finders,
    shorten_versions,
)
from dpkb.text import escape_controls
from dpkb.views import EntryView, FamilyView

# The most lines of the first screen of `dpkb show`, in a window with 100 columns.
_SCREEN = 40
_CASES = "Which case is yours?"
_CHECK = "How to check your own code"


def entry_fields(entry: Entry) -> dict[str, object]:
    """The JSON fields of an entry."""
    return {
        **summary_fields(entry),
        "keywords": list(entry.keywords),
        "asked_as": list(entry.asked_as),
        "affects": dict(entry.affects),
        "signatures": [{**_pattern_fields(p), "weak": p.weak, "near": p.near} for p in entry.signatures],
        "see_also": list(entry.see_also),
        "confused_with": [{"id": c.id, "check": c.check} for c in entry.confused_with],
        "sources": [{"title": s.title, "url": s.url} for s in entry.sources],
        "scripts": {
            s.name: {
                "claim": s.claim,
                "shows": s.shows.value,
                "path": str(s.path),
                "patterns": [_pattern_fields(p) for p in s.patterns],
                **dict(s.range.specifiers),
            }
            for s in entry.scripts
        },
        "sections": {s.heading: s.text for s in entry.sections},
        "withdrawn": entry.withdrawn,
    }


def view_fields(view: EntryView | FamilyView) -> dict[str, object]:
    """The JSON fields of `dpkb show`."""
    if isinstance(view, EntryView):
        return {
            **entry_fields(view.entry),
            "seen": view.recorded_runs,
            "here": describe_affected(view.entry, view.versions),
        }
    family = view.family
    return {
        "family": family.letters,
        "title": family.title,
        "summary": family.summary,
        "sections": {s.heading: s.text for s in family.sections},
        "entries": [summary_fields(entry) for entry in view.entries],
    }


def _pattern_fields(pattern: LinePattern) -> dict[str, str]:
    return {"match": pattern.match, **dict(pattern.range.specifiers)}


def render_first_screen(view: EntryView) -> str:
    """The answer of an entry: cause, fix, the cases, and the check if a screen has room for it."""
    entry = view.entry
    answer, check, footer = create_text_console(), create_text_console(), create_text_console()
    _print_head(answer, view)
    print_markdown(answer, escape_controls(entry.find_section("In short")))
    _print_sections(answer, (s for s in entry.sections if s.heading == _CASES))
    _print_sections(check, (s for s in entry.sections if s.heading == _CHECK))
    footer.print(Text(f"All of it: dpkb show {entry.id} --all", style="dim"))
    text, more = answer.end_capture(), check.end_capture()
    if (text + more).count("\n") < _SCREEN:
        text += more
    return text + text_of(footer)


def render_entry(view: EntryView) -> str:
    """All of an entry."""
    out, entry = create_text_console(), view.entry
    _print_head(out, view)
    _print_sections(out, entry.sections)
    _print_lookalikes(out, view)
    _print_scripts(out, entry)
    if entry.see_also:
        out.print(_create_heading("See also"))
        out.print(_create_title_list(entry.see_also, view.titles))
        out.print()
    out.print(_create_heading("Sources"))
    for source in entry.sources:
        out.print(Text(escape_controls(f"  {source.title}\n    {source.url}")), soft_wrap=True)
    return text_of(out)


def render_family(view: FamilyView) -> str:
    """The overview of a family, and its entries."""
    out, family = create_text_console(), view.family
    out.print(Text.assemble((family.letters, "bold cyan"), "  ", (escape_controls(family.title), "bold")))
    out.print(Text(escape_controls(family.summary)), "\n")
    _print_sections(out, family.sections)
    out.print(_create_heading("Its entries"))
    out.print(create_entry_table(view.entries))
    return text_of(out)


def _print_head(out: Console, view: EntryView) -> None:
    entry = view.entry
    known = (
        entry.kind.value,
        list_affected_versions(entry),
        list_finders(entry),
        escape_controls(describe_affected(entry, view.versions)),
    )
    facts = " · ".join(filter(None, known))
    out.print(Text.assemble((entry.id, "bold cyan"), "  ", (facts, "dim")))
    out.print(Text(escape_controls(entry.title), style="bold"))
    if view.with_summary:
        out.print(Text(escape_controls(entry.summary)))
    if view.recorded_runs:
        out.print(Text(escape_controls(shorten_versions(view.recorded_runs, "…")), style="dim"))
    if entry.unseen:
        out.print(Text(f"Neither lint nor audit finds it: {escape_controls(entry.unseen)}", style="dim"))
    if entry.withdrawn:
        out.print(Text(f"Withdrawn: {escape_controls(entry.withdrawn)}", style="bold yellow"))
    out.print()


def _print_sections(out: Console, sections: Iterable[Section]) -> None:
    for section in sections:
        out.print(_create_heading(section.heading))
        print_markdown(out, escape_controls(section.text))


def _create_heading(text: str) -> Text:
    return Text(escape_controls(text), style="bold underline")


def _print_lookalikes(out: Console, view: EntryView) -> None:
    if not view.entry.confused_with:
        return
    out.print(_create_heading("Or is it another entry?"))
    for other in view.entry.confused_with:
        out.print(_create_title_list([other.id], view.titles))
        out.print(Padding(render_prose(escape_controls(other.check)), (0, 0, 0, 4)))
    out.print()


def _create_title_list(ids: Iterable[str], titles: Mapping[str, str]) -> Padding:
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(style="cyan", no_wrap=True)
    rows.add_column(overflow="fold")
    for entry_id in ids:
        rows.add_row(entry_id, escape_controls(titles.get(entry_id, "")))
    return Padding(rows, (0, 0, 0, 2))


def _print_scripts(out: Console, entry: Entry) -> None:
    out.print(_create_heading("See it on your machine"))
    for script in entry.scripts:
        mark = ("✓ ", "green") if script.shows is Outcome.HEALTHY else ("✗ ", "red")
        versions = escape_controls(f"  ({script.range})") if script.range.specifiers else ""
        out.print(Text.assemble("  ", mark, (format_repro_command(script), "cyan"), (versions, "dim")))
        out.print(Padding(Text(escape_controls(script.claim)), (0, 0, 0, 6)))
    out.print()
