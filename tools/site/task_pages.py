"""The pages of two tasks: to watch a run, and to judge how far to trust all of this."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dpkb.catalogue.load import Catalogue
from dpkb.evidence.report import select_broad
from dpkb.evidence.store import Evidence, State
from dpkb.output.wording import describe_environment
from tools.site.markdown import (
    escape,
    render_code_block,
    render_entry_link,
    render_heading,
    render_in_both,
    render_markdown,
    render_page,
    render_table,
)

# The page about trust quotes it: each figure is written in one place.
README = Path(__file__).resolve().parents[2] / "README.md"
_WATCH = """\
dpkb audit -- python train.py                # runs it unchanged, and reports at its end
dpkb audit --steps 200 -- python train.py    # ends it after 200 steps
pytest --dpkb-audit                          # each test that trains"""
_WATCH_IN_PYTHON = """\
import dpkb

with dpkb.audit.watch() as report:
    train()
print(report)"""
_CHECK_IT = """\
dpkb show DP1              # which versions an entry was seen on, and whether yours is affected
dpkb repro DP1             # the failure, live, with your torch
dpkb repro DP1 --fixed     # the fix
dpkb verify DP1            # each script of an entry, judged against its claim
dpkb matrix                # every entry and every recorded environment"""


def render_audit_page(catalogue: Catalogue) -> str:
    """The page about `dpkb audit`: how to run it, and a row for each entry that it finds."""
    rows = [
        [
            render_entry_link(entry.id, "entries/"),
            render_in_both(entry.title, entry.title_zh),
            entry.kind.value,
            dict(entry.found_by)["audit"],
        ]
        for entry in catalogue
        if "audit" in dict(entry.found_by)
    ]
    return render_page(
        "Watch a run",
        [
            render_heading(1, "Watch a run", "audit"),
            "<p>Nothing failed, and the numbers look wrong. <code>dpkb audit</code> runs your program unchanged, "
            "looks at what the training really does, and names the failures that it has: with numbers of this "
            "run, the line, and the fix.</p>",
            render_code_block(_WATCH, "console"),
            "<p>In Python and in notebooks:</p>",
            render_code_block(_WATCH_IN_PYTHON, "python"),
            render_heading(2, "What it finds", "checks"),
            f"<p>{len(rows)} entries. <em>certain</em>: the failure was seen in the run. <em>likely</em>: wrong in "
            "most programs. No finding does not mean that the program is right.</p>",
            render_table(["id", "what is wrong", "kind", "how sure at best"], rows),
        ],
    )


def render_look_alikes_page(catalogue: Catalogue) -> str:
    """The page with each two entries that look alike, and the check that tells them apart."""

    def link(entry_id: str) -> str | None:
        return f"entries/{entry_id.lower()}.html" if entry_id in catalogue.entries else None

    def render_name(entry_id: str) -> str:
        entry = catalogue.entries[entry_id]
        return f"{render_entry_link(entry_id, 'entries/')} {render_in_both(entry.title, entry.title_zh)}"

    # Both name each other: a pair stands where its first entry does.
    rows: dict[frozenset[str], list[str]] = {}
    for entry in catalogue:
        for other in entry.confused_with:
            if other.id in catalogue.entries:
                check = render_markdown(other.check, link)
                row = [render_name(entry.id), render_name(other.id), check]
                rows.setdefault(frozenset((entry.id, other.id)), row)
    return render_page(
        "Look-alikes",
        [
            render_heading(1, "Look-alikes", "look-alikes"),
            f"<p>{len(rows)} times two entries look alike. The check tells them apart on your machine.</p>",
            render_table(["it looks like", "but may be", "the check"], list(rows.values())),
        ],
    )


def render_about_page(catalogue: Catalogue, evidence: list[Evidence]) -> str:
    """The page that says what was run, what was not, and how a reader can check it."""
    return render_page(
        "How far can I trust this?",
        [
            render_heading(1, "How far can I trust this?", "about"),
            render_markdown(_read_section("Why trust it"), lambda _: None),
            render_heading(2, "What was run, and what was not", "runs"),
            *_render_runs(catalogue, select_broad(evidence, catalogue)),
            render_heading(2, "Check it yourself", "check"),
            render_code_block(_CHECK_IT, "console"),
            "<p>A script of an entry is a program that you can read and run without dpkb: its source is under "
            "Evidence on the page of the entry.</p>",
            render_heading(2, "What it does not do", "limits"),
            render_markdown(_read_section("What it does not do"), lambda _: None),
            render_heading(2, "An entry is wrong", "wrong"),
            "<p>Run <code>dpkb verify ID</code>, and report its output: a run beats a source. An entry that stops "
            "being true is withdrawn, and its page stays. CONTRIBUTING.md has the rules, CHANGELOG.md what "
            "changed, CITATION.cff how to cite. The licence is MIT.</p>",
        ],
    )


def _render_runs(catalogue: Catalogue, evidence: list[Evidence]) -> Iterable[str]:
    """A row for each environment: how many entries were seen, absent, refuted and not run."""
    rows = []
    for recorded in evidence:
        states = [recorded.state_of(entry) for entry in catalogue]
        counts = [
            states.count(state)
            for state in (State.CONFIRMED, State.NOT_AFFECTED, State.REFUTED, State.NOT_RUN)
        ]
        rows.append(
            [escape(describe_environment(recorded.environment, brief=True)), *(f"{n}" for n in counts)]
        )
    if not rows:
        return ["<p>No run is recorded yet.</p>"]
    unseen = sum(not entry.found_by for entry in catalogue)
    return [
        "<p>The entries by what the recorded runs of their scripts showed. Not run never counts as passed: the "
        "script needs a GPU, a package, or a newer version.</p>",
        render_table(["run on", "affected", "not affected", "refuted", "not run"], rows),
        f"<p>Neither lint nor audit finds {unseen} of the {len(catalogue.entries)} entries: they raise an error "
        "that search and diagnose know, or their pages say why nothing finds them.</p>",
    ]


def _read_section(heading: str) -> str:
    """The text of a section of the README."""
    text = README.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    return text.partition("\n## ")[0]
