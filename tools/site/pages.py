"""Writes the documentation site: every page, and the files for machines, into one folder.

mkdocs puts the theme around the pages (mkdocs.yml). It needs no plugin and no hook.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from textwrap import indent
from typing import Any
from urllib.parse import quote_plus

from dpkb import __version__
from dpkb.catalogue.load import Catalogue, read_entry_text
from dpkb.errors import CannotWrite, UsageError
from dpkb.evidence.report import group_versions_by_state, select_broad, summarize_runs
from dpkb.evidence.store import Evidence, State
from dpkb.model import Entry, Family
from dpkb.output.entry import entry_fields
from dpkb.output.wording import describe_environment, list_affected_versions
from dpkb.text import escape_controls, join_lines
from tools.site import search_data
from tools.site.entry import EntryPage
from tools.site.lint_page import render_lint_page
from tools.site.markdown import (
    create_anchor,
    escape,
    link_ids,
    render_code_block,
    render_entry_link,
    render_heading,
    render_in_both,
    render_markdown,
    render_page,
    render_table,
)
from tools.site.recorded_scripts import RecordedScripts
from tools.site.task_pages import render_about_page, render_audit_page, render_look_alikes_page

ASSETS = Path(__file__).resolve().parent / "assets"
SCHEMA = Path(__file__).resolve().parent / "catalog.schema.json"
SEARCH_DATA = "assets/search-data.js"
# The version of the format of catalog.json: a new field does not change it.
CATALOG_VERSION = 1
# A folder that has files but not this one was not written by dpkb: it stays as it is.
_MARKER_FILE = ".dpkb-pages"
_STATE_TEXTS = {
    State.CONFIRMED: "✓ affected",
    State.NOT_AFFECTED: "– not affected",
    State.REFUTED: "✗ refuted",
    State.NOT_RUN: "· not run",
}


def write(catalogue: Catalogue, evidence: list[Evidence], folder: Path) -> int:
    """Write all pages of the site into an emptied folder; return the number of entries.

    Raises UsageError if the folder holds something else, CannotWrite if it cannot be written.
    """
    scripts = RecordedScripts(catalogue, evidence)
    built = json.dumps(escape(describe_build()))
    try:
        _empty_folder(folder)
        for name, text in _render_files(catalogue, scripts):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".md":
                text = text.replace("---\n", f"---\nbuilt: {built}\n", 1)
            path.write_text(text, encoding="utf-8", newline="\n")
        shutil.copytree(ASSETS, folder / "assets", dirs_exist_ok=True)
        search_data.write(catalogue, folder / SEARCH_DATA)
    except OSError as error:
        raise CannotWrite(f"{error.filename or folder}: cannot be written: {error.strerror}") from None
    return len(catalogue.entries)


def describe_build() -> str:
    """What the site was built from: the version, and in a clone the commit and its date."""
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        done = subprocess.run(
            ["git", "log", "-1", "--format=commit %h of %cs"],
            cwd=ASSETS,
            capture_output=True,
            text=True,
            check=True,
        )
        return f"dpkb {__version__}, {done.stdout.strip()}"
    return f"dpkb {__version__}"


def _empty_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder for the pages")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARKER_FILE).exists():
        raise UsageError(f"{folder} holds something that is not a page of this site; name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    # Written first and never removed, so that the folder is still recognised after an interruption.
    (folder / _MARKER_FILE).write_text("Written by tools.site, which removes all of this folder.\n")
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != _MARKER_FILE:
            path.unlink()


def _render_files(catalogue: Catalogue, scripts: RecordedScripts) -> Iterator[tuple[str, str]]:
    """Every file but the assets: its path in the folder, and its text.

    A `<script>` could name any file of the site, so none of these may be valid JavaScript. The sources of
    scripts are shown inside pages, and the other files begin with something that no script can begin with.
    """
    yield "index.md", _render_start_page(catalogue, scripts)
    for entry in catalogue:
        lower = entry.id.lower()
        yield f"entries/{lower}.md", EntryPage(entry, catalogue, scripts).render()
        yield f"raw/{entry.id}.md.txt", escape_controls(read_entry_text(entry))
    yield "families/index.md", _render_families_page(catalogue)
    for family in catalogue.families.values():
        yield f"families/{family.letters}.md", _render_family_page(family, catalogue)
    yield "matrix.md", _render_matrix_page(catalogue, scripts.evidence)
    yield "lint.md", render_lint_page(catalogue)
    yield "audit.md", render_audit_page(catalogue)
    yield "look_alikes.md", render_look_alikes_page(catalogue)
    yield "about.md", render_about_page(catalogue, scripts.evidence)
    yield "catalog.json", json.dumps(catalog_fields(catalogue, scripts), indent=1, ensure_ascii=True) + "\n"
    yield "catalog.schema.json", SCHEMA.read_text(encoding="utf-8")
    yield "llms.txt", _render_llms_text(catalogue, scripts.evidence)


# -- pages ------------------------------------------------------------------------------------------


def _render_start_page(catalogue: Catalogue, scripts: RecordedScripts) -> str:
    """The search box, what dpkb is, and the list of all entries, which needs no JavaScript."""
    count = sum(len(entry.scripts) for entry in catalogue)
    examples = ("bus error", "loss is nan", "accuracy stays at chance", "training hangs")
    return render_page(
        "dpkb, an executable error index for PyTorch training",
        [
            render_heading(1, "PyTorch training fails: find out why", "start"),
            f'<div id="dpkb-search" data-index="{SEARCH_DATA}"><noscript>The search needs JavaScript; the list '
            "below does not.</noscript></div>",
            "<p>For example: "
            + " · ".join(f'<a href="#q={quote_plus(text)}">{text}</a>' for text in examples)
            + ". Your text stays on this page.</p>",
            f"<p><strong>dpkb is an executable error index</strong>: {len(catalogue.entries)} failures of "
            f"PyTorch training, each with its cause, a check, a fix, and scripts that show them. The {count:,} "
            'scripts were run, and <a href="matrix.html">where and on which versions</a> is recorded: '
            '<a href="about.html">how far can I trust this?</a></p>',
            '<p>The command line also reads your logs, <a href="lint.html">checks your code</a> and '
            '<a href="audit.html">watches a run</a> for failures that raise nothing:</p>',
            render_code_block(
                "pip install .  # from a clone; it never changes your torch\n"
                "dpkb diagnose train.log\ndpkb lint train.py\ndpkb audit -- python train.py",
                "console",
            ),
            render_heading(2, "All entries", "entries"),
            '<p>By <a href="families/index.html">stage of training</a>, or <a href="look_alikes.html">two that look '
            "alike</a>. <em>silent</em>: nothing is raised, and "
            "the result is wrong.</p>",
            # Filled by assets/filter.js.
            '<div id="dpkb-filter"></div>',
            *_render_family_tables(catalogue),
            render_heading(2, "For machines", "machines"),
            "<p>For coding agents: <code>dpkb mcp</code>, a server of the Model Context Protocol, and "
            "<code>dpkb skill</code>, which writes a SKILL.md.</p>",
            '<p><a href="catalog.json">catalog.json</a> and its <a href="catalog.schema.json">schema</a> · '
            '<a href="llms.txt">llms.txt</a> · the Markdown of an entry is linked at the end of its page</p>',
        ],
        is_start=True,
    )


def _render_family_tables(catalogue: Catalogue) -> Iterator[str]:
    for letters, members in groupby(catalogue, key=lambda entry: entry.family):
        family = catalogue.families.get(letters)
        title = (
            f'<a href="families/{letters}.html">{letters} · {escape(family.title)}</a>' if family else letters
        )
        yield render_heading(3, title, f"family-{letters.lower()}")
        yield render_table(
            ["id", "what is wrong", "kind", "found by", "versions"],
            [_render_entry_row(entry) for entry in members],
        )


def _render_entry_row(entry: Entry) -> list[str]:
    failure = entry.find_script("broken")
    narrower = f", {escape(str(failure.range))}" if failure and failure.range.specifiers else ""
    versions = escape(list_affected_versions(entry).removeprefix("affects ")) + narrower
    return [
        render_entry_link(entry.id, "entries/"),
        f'<a href="entries/{entry.id.lower()}.html">{_render_title_cell(entry)}</a>',
        entry.kind.value,
        ", ".join(name for name, _ in entry.found_by),
        versions,
    ]


def _render_title_cell(entry: Entry) -> str:
    return render_in_both(entry.title, entry.title_zh) + (" (withdrawn)" if entry.withdrawn else "")


def _render_families_page(catalogue: Catalogue) -> str:
    rows = []
    for letters, family in sorted(catalogue.families.items()):
        count = sum(entry.family == letters for entry in catalogue)
        rows.append(
            [
                f'<a href="{letters}.html">{letters}</a>',
                escape(family.title),
                escape(family.summary),
                str(count),
            ]
        )
    return render_page(
        "Families",
        [
            render_heading(1, "Families", "families"),
            "<p>The entries of a family fail at the same stage of training.</p>",
            render_table(["id", "stage of training", "when to look here", "entries"], rows),
        ],
    )


def _render_family_page(family: Family, catalogue: Catalogue) -> str:
    """The overview of a family, and its entries."""

    def link(entry_id: str) -> str | None:
        return f"../entries/{entry_id.lower()}.html" if entry_id in catalogue.entries else None

    members = [entry for entry in catalogue if entry.family == family.letters]
    rows = [[render_entry_link(e.id, "../entries/"), _render_title_cell(e), e.kind.value] for e in members]
    sections = [
        f"{render_heading(2, escape(s.heading), create_anchor(s.heading))}\n<div>{render_markdown(s.text, link)}</div>"
        for s in family.sections
    ]
    return render_page(
        f"{family.letters}: {family.title}",
        [
            render_heading(1, f"{family.letters} · {escape(family.title)}", family.letters.lower()),
            f"<p>{link_ids(join_lines(family.summary), link)}</p>",
            *sections,
            render_heading(2, "Its entries", "entries"),
            render_table(["id", "what is wrong", "kind"], rows),
        ],
        family.summary,
    )


def _render_matrix_page(catalogue: Catalogue, evidence: list[Evidence]) -> str:
    """Entries against the environments of the recorded runs."""
    blocks = [
        render_heading(1, "Matrix of versions", "matrix"),
        "<p>The results of the recorded runs. A cell is <em>affected</em> if the failure and its fix "
        "were both seen. An entry that was not run never counts as passed.</p>",
    ]
    evidence = select_broad(evidence, catalogue)
    if not evidence:
        blocks.append("<p>No run is recorded yet: <code>dpkb verify --record</code>.</p>")
        return render_page("Matrix of versions", blocks)
    heads = ["entry", *(escape(describe_environment(e.environment, brief=True)) for e in evidence)]
    rows = [
        [render_entry_link(entry.id, "entries/"), *(_STATE_TEXTS[e.state_of(entry)] for e in evidence)]
        for entry in catalogue
    ]
    return render_page("Matrix of versions", [*blocks, render_table(heads, rows)])


# -- for machines -----------------------------------------------------------------------------------


def catalog_fields(catalogue: Catalogue, scripts: RecordedScripts) -> dict[str, Any]:
    """The JSON fields of catalog.json: all entries, the runs of each, and the addresses of their pages."""
    entries = []
    for entry in catalogue:
        page = f"entries/{entry.id.lower()}.html"
        fields: dict[str, Any] = entry_fields(entry)
        for script in entry.scripts:
            fields["scripts"][script.name]["path"] = f"{page}#{script.name}"
        states = {
            e.name: state.value for e in scripts.evidence if (state := e.state_of(entry)) is not State.NOT_RUN
        }
        entries.append(
            {
                **fields,
                "page": page,
                "raw": f"raw/{entry.id}.md.txt",
                "seen": summarize_runs(entry, scripts.evidence),
                "states": states,
                "recorded": group_versions_by_state(entry, scripts.evidence),
            }
        )
    families = [
        {"family": f.letters, "title": f.title, "summary": f.summary, "page": f"families/{f.letters}.html"}
        for _, f in sorted(catalogue.families.items())
    ]
    return {
        "$schema": "catalog.schema.json",
        "version": CATALOG_VERSION,
        "dpkb": __version__,
        "families": families,
        "entries": entries,
    }


def _render_llms_text(catalogue: Catalogue, evidence: list[Evidence]) -> str:
    """The index for language models, in the form of llmstxt.org, with the answer of each entry."""
    blocks = [
        "# dpkb",
        "> An executable error index for PyTorch training: every failure is explained, "
        "reproduced by a script, and shown fixed. All of it as JSON: catalog.json. "
        "For coding agents: `dpkb mcp` serves it, `dpkb skill` says when to use which command.",
    ]
    for letters, members in groupby(catalogue, key=lambda entry: entry.family):
        family = catalogue.families.get(letters)
        blocks.append(f"## {join_lines(family.title) if family else letters}")
        blocks += [_render_llms_item(entry, evidence) for entry in members]
    return "\n\n".join(blocks) + "\n"


def _render_llms_item(entry: Entry, evidence: list[Evidence]) -> str:
    """An entry as an item of a list, with its section In short inside."""
    facts = [f"dpkb {name} finds it ({certainty})" for name, certainty in entry.found_by]
    facts += [
        f"{state} on torch {', '.join(versions)}"
        for state, versions in group_versions_by_state(entry, evidence).items()
    ]
    title = join_lines(f"{entry.id}: {entry.title}").replace("[", "(").replace("]", ")")
    head = f"- [{title}](raw/{entry.id}.md.txt): {join_lines(entry.summary)}"
    return "\n\n".join(
        [
            head,
            *(
                indent(text, "  ")
                for text in (
                    "; ".join(facts) or "not run yet",
                    escape_controls(entry.find_section("In short").strip()),
                )
                if text
            ),
        ]
    )
