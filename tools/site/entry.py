"""The page of one entry: the answer on the first screen, the evidence for it below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dpkb.catalogue.load import Catalogue
from dpkb.evidence.report import summarize_runs
from dpkb.evidence.store import State
from dpkb.judge.observed import describe_key, format_cell, read_grid
from dpkb.model import Entry, Outcome, Script
from dpkb.output.wording import (
    describe_environment,
    format_repro_command,
    list_affected_versions,
    list_finders,
    shorten_versions,
)
from dpkb.scripts.diff import render_unified_diff
from dpkb.text import join_lines
from tools.site.markdown import (
    create_anchor,
    escape,
    link_ids,
    render_code,
    render_code_block,
    render_heading,
    render_in_both,
    render_markdown,
    render_page,
    render_table,
    render_title,
    render_web_link,
)
from tools.site.pictures import draw_comparison, draw_lists, find_largest_amounts
from tools.site.recorded_scripts import RecordedRun, RecordedScripts

# The sections of the first screen, each with the CSS class that places it there.
_ANSWER_SECTIONS = (
    ("In short", "short"),
    ("Which case is yours?", "cases"),
    ("How to check your own code", "check"),
)
_OTHER_SECTIONS = ("Symptom", "Fix", "Why it happens", "Traps", "Versions")
_ROLES = {"broken": "the failure", "fixed": "the fix"}
_ROLES_BY_PREFIX = {"broken": "another form of the failure", "fix": "another fix", "trap": "a trap"}
_STATES = {
    State.CONFIRMED: "affected: the failure and its fix were seen",
    State.NOT_AFFECTED: "not affected: the failure did not come",
    State.REFUTED: "a run disagrees with this entry",
}
# The markup of a picture -> how to read its colours.
_LEGENDS = {
    'class="cell same': " Equal cells have the same colour.",
    'class="cell shade': " A darker shade is a larger number.",
    'class="colour"': " The colour after a row is that of its three numbers: red, green and blue.",
}


class EntryPage:
    """The page of one entry."""

    def __init__(self, entry: Entry, catalogue: Catalogue, scripts: RecordedScripts) -> None:
        self.entry, self._catalogue, self._scripts = entry, catalogue, scripts

    def render(self) -> str:
        """The whole page, for mkdocs."""
        blocks = [
            self._render_heading(),
            self._render_answer_section(),
            '<div class="more"><div>',
            self._render_diff_section(),
            self._render_picture_section(),
            *map(self._render_text_section, _OTHER_SECTIONS),
            self._render_evidence_section(),
            self._render_message_section(),
            # In a wide window they stand beside the rest.
            '</div><div class="beside">',
            self._render_look_alike_section(),
            self._render_see_also_section(),
            self._render_source_section(),
            self._render_run_section(),
            "</div></div>",
        ]
        source = f"kb/{self.entry.path.name}"
        return render_page(f"{self.entry.id}: {self.entry.title}", blocks, self.entry.summary, source=source)

    # -- the answer ---------------------------------------------------------------------------------

    def _render_heading(self) -> str:
        entry = self.entry
        family = self._catalogue.families.get(entry.family)
        facts = [f'<strong class="kind">{entry.kind.value}</strong>', escape(list_affected_versions(entry))]
        if finders := list_finders(entry):
            facts.append(escape(finders))
        if seen := summarize_runs(entry, self._scripts.evidence):
            facts.append(f'<a href="#evidence">{escape(shorten_versions(seen, "to"))}</a>')
        if family:
            facts.append(f'<a href="../families/{entry.family}.html">{escape(family.title)}</a>')
        lines = [
            render_heading(
                1, f"{entry.id} · {render_in_both(entry.title, entry.title_zh)}", entry.id.lower()
            ),
            f'<p class="facts">{" · ".join(facts)}</p>',
        ]
        if entry.withdrawn:
            lines.append(
                '<div class="warning"><p><strong>Withdrawn.</strong> '
                f"{link_ids(join_lines(entry.withdrawn), self._find_entry_address)}</p></div>"
            )
        return "\n".join(lines)

    def _render_answer_section(self) -> str:
        """The answer for a reader in a hurry, in one block that fills the first screen."""
        summary = self.entry.summary_zh
        chinese = {"In short": f'<p lang="zh">{render_title(summary)}</p>'} if summary else {}
        sections = [
            f'<section class="{name}" aria-labelledby="{create_anchor(heading)}"><h2 id="{create_anchor(heading)}">'
            f"{heading}</h2>{chinese.get(heading, '')}{self._render_html(text)}</section>"
            for heading, name in _ANSWER_SECTIONS
            if (text := self.entry.find_section(heading)).strip()
        ]
        return f'<div class="answer">{"".join(sections)}</div>'

    def _render_text_section(self, heading: str) -> str:
        text = self.entry.find_section(heading).strip()
        return _render_section(
            heading, create_anchor(heading), text and f"<div>{self._render_html(text)}</div>"
        )

    def _render_html(self, markdown: str) -> str:
        return render_markdown(markdown, self._find_entry_address, self._find_script_address)

    def _find_entry_address(self, entry_id: str) -> str | None:
        is_known = entry_id in self._catalogue.entries and entry_id != self.entry.id
        return f"{entry_id.lower()}.html" if is_known else None

    def _find_script_address(self, name: str) -> str | None:
        stem = name.removesuffix(".py")
        return f"#{stem}" if name.endswith(".py") and self.entry.find_script(stem) else None

    # -- the evidence -------------------------------------------------------------------------------

    def _render_diff_section(self) -> str:
        """The diff from broken.py to fixed.py, without their docstrings."""
        scripts = [script for name in ("broken", "fixed") if (script := self.entry.find_script(name))]
        texts = [
            reproducer.source for script in scripts if (reproducer := self._scripts.find_reproducer(script))
        ]
        if len(texts) < 2:
            return ""
        lines = render_unified_diff(texts[0], texts[1], context=2)
        return (
            f'{render_heading(2, "The fix as a diff", "diff")}\n<p>From <a href="#broken"><code>broken.py</code></a>, which '
            'shows the failure, to <a href="#fixed"><code>fixed.py</code></a>, without their '
            f"docstrings:</p>\n\n{render_code_block(chr(10).join(lines), 'diff')}"
        )

    def _render_evidence_section(self) -> str:
        """Where the entry was seen, and each script with its claim, its result and its source."""
        scripts = "".join(self._render_script_block(script) for script in self.entry.scripts)
        unseen = (
            f"<p>Neither lint nor audit finds it: {escape(self.entry.unseen)}</p>"
            if self.entry.unseen
            else ""
        )
        return (
            render_heading(2, "Evidence", "evidence") + f"\n<div>{self._render_environment_table()}"
            f"<p>The entry states that it {escape(list_affected_versions(self.entry))}. "
            f"<code>dpkb show {self.entry.id}</code> tells "
            f"whether your torch is affected.</p>{unseen}"
            f"{_render_details(f'Each of the {len(self.entry.scripts)} scripts: its claim, its result, its source', scripts)}</div>"
        )

    def _render_environment_table(self) -> str:
        """The result in each environment: folded below a summary, but open if a run disagrees."""
        states = [(e, e.state_of(self.entry)) for e in self._scripts.evidence]
        rows = [
            [
                escape(describe_environment(e.environment, brief=True)),
                _STATES[state],
                max(run.date for run in e.runs_of(self.entry)),
            ]
            for e, state in states
            if state is not State.NOT_RUN
        ]
        if not rows:
            return "<p>No run of this entry is recorded yet.</p>"
        environments = render_table(["run on", "result", "last run"], rows)
        if any(state is State.REFUTED for _, state in states):
            return environments
        summary = summarize_runs(self.entry, self._scripts.evidence)
        summary = summary[:1].upper() + summary[1:]
        return f"<p>{escape(summary)}.</p>{_render_details('Each environment', environments)}"

    def _render_script_block(self, script: Script) -> str:
        role = _ROLES.get(script.name) or _ROLES_BY_PREFIX[script.name.split("_")[0]]
        bounds = f" Holds for {escape(str(script.range))}." if script.range.specifiers else ""
        reproducer = self._scripts.find_reproducer(script)
        source = (
            _render_details(f"Source of {script.name}.py", render_code_block(reproducer.source))
            if reproducer
            else "<p>Its source cannot be read.</p>"
        )
        return (
            f'<h3 id="{script.name}">{render_code(script.name + ".py")}: {role}</h3>'
            f"<p>{self._render_claim(script)}{bounds} {self._render_result(script)} Run it: "
            f"{render_code(format_repro_command(script))}</p>{source}"
        )

    def _render_claim(self, script: Script) -> str:
        return f"Claim: {link_ids(join_lines(script.claim).removesuffix('.'), self._find_entry_address)}."

    def _render_result(self, script: Script) -> str:
        recorded = self._scripts.find_newest_run(script)
        if recorded is None:
            return "No run of it is recorded."
        numbers = render_observed(recorded.run.observed)
        outside = "" if recorded.run.affected else " (outside the versions of the claim, as stated)"
        return (
            f"Result: <strong>{recorded.run.outcome.value}</strong>{outside}"
            f"{'; ' + escape(numbers) if numbers else ''} ({escape(recorded.environment)}, "
            f"{recorded.run.date}, {recorded.run.verdict.value})."
        )

    # -- pictures -----------------------------------------------------------------------------------

    def _render_picture_section(self) -> str:
        """The numbers of a failure and of a fix, as pictures and as tables; and which are missing."""
        blocks = [*self._render_comparison_of_pair(), *self._render_lists_of_pair()]
        missing = self._explain_missing_pictures()
        if not blocks and not missing:
            return ""
        legend = "".join(text for mark, text in _LEGENDS.items() if any(mark in block for block in blocks))
        intro = f"<p>Drawn from recorded runs.{legend}</p>" if blocks else ""
        missing = f"<p>{missing}</p>" if missing else ""
        return "\n".join(
            filter(None, [render_heading(2, "What it looks like", "picture"), intro, *blocks, missing])
        )

    def _render_lists_of_pair(self) -> Iterator[str]:
        """The lists of a failure and of a fix: the picture, the claim, and the numbers as tables."""
        pair = self._choose_pair_with_lists()
        max_amounts = find_largest_amounts([recorded.observed for _, recorded in pair])
        for script, recorded in pair:
            tables = "".join(render_grid(key, recorded.observed) for key in recorded.observed)
            caption = f"{script.name}.py: {recorded.run.outcome.value}"
            yield draw_lists(recorded.observed, caption, max_amounts)
            yield f"<p>{self._render_claim(script)}</p>"
            yield _render_details(f"The numbers of {script.name}.py", tables)

    def _render_comparison_of_pair(self) -> Iterator[str]:
        """The plain numbers in which broken.py and fixed.py differ, if broken.py has no list to draw."""
        runs = {script.name: recorded for script, recorded in self._list_recorded_runs()}
        broken, fixed = runs.get("broken"), runs.get("fixed")
        if broken and fixed and not broken.drawable_keys and broken.observed and fixed.observed:
            picture = draw_comparison({"broken.py": broken.observed, "fixed.py": fixed.observed})
            if picture:
                yield picture

    def _explain_missing_pictures(self) -> str:
        """Why there is no picture of the failure: it ends before it prints a number, or it was never run."""
        sentences = []
        recorded = {script.name: run for script, run in self._list_recorded_runs()}
        broken = recorded.get("broken")
        if broken and not broken.observed and any(run.drawable_keys for run in recorded.values()):
            sentences.append(
                '<a href="#broken"><code>broken.py</code></a> ends before it can print a number '
                f"({broken.run.outcome.value})."
            )
        without_run = [
            script
            for script in self.entry.scripts
            if script.name not in recorded and self._scripts.needs_gpu(script)
        ]
        if without_run:
            names = ", ".join(f'<a href="#{s.name}">{render_code(s.name + ".py")}</a>' for s in without_run)
            sentences.append(f"Not drawn, because no run on a GPU is recorded: {names}.")
        return " ".join(sentences)

    def _list_recorded_runs(self) -> list[tuple[Script, RecordedRun]]:
        return [
            (script, run) for script in self.entry.scripts if (run := self._scripts.find_newest_run(script))
        ]

    def _choose_pair_with_lists(self) -> list[tuple[Script, RecordedRun]]:
        """The first failure with lists, and the first fix with one of the same lists, or else fixed.py."""
        drawable = [(script, run) for script, run in self._list_recorded_runs() if run.drawable_keys]
        failing = [pair for pair in drawable if pair[0].shows is not Outcome.HEALTHY][:1]
        healthy = [pair for pair in drawable if pair[0].shows is Outcome.HEALTHY]
        keys = failing[0][1].drawable_keys if failing else set()
        with_same_key = [pair for pair in healthy if keys & pair[1].drawable_keys or not keys]
        return failing + (with_same_key or [pair for pair in healthy if pair[0].name == "fixed"])[:1]

    # -- other entries, sources, commands -----------------------------------------------------------

    def _render_look_alike_section(self) -> str:
        """Each entry with a similar symptom, and the check that tells the two apart."""
        items = [
            f"{self._render_reference(other.id)} {self._render_html(other.check)}"
            for other in self.entry.confused_with
        ]
        return _render_section("Or is it another entry?", "confused", _render_list(items))

    def _render_see_also_section(self) -> str:
        items = map(self._render_reference, self.entry.see_also)
        return _render_section("See also", "see-also", _render_list(items))

    def _render_reference(self, other: str) -> str:
        address, target = self._find_entry_address(other), self._catalogue.entries.get(other)
        reference = f'<a href="{address}">{other}</a>' if address else escape(other)
        return f"{reference} {render_in_both(target.title, target.title_zh)}" if target else reference

    def _render_source_section(self) -> str:
        items = (render_web_link(source.title, source.url) for source in self.entry.sources)
        return _render_section("Sources", "sources", _render_list(items))

    def _render_run_section(self) -> str:
        entry_id = self.entry.id
        lines = [
            f"dpkb repro {entry_id}            # the failure, live",
            f"dpkb repro {entry_id} --fixed    # the fix",
            f"dpkb diff {entry_id}             # the fix as a diff",
            f"dpkb verify {entry_id}           # every script, judged against its claim",
        ]
        return (
            f"{render_heading(2, 'Run it yourself', 'run')}\n{render_code_block(chr(10).join(lines), 'console')}\n\n"
            f"<p>{escape(self._describe_needs())} The entry as it is written: "
            f'<a href="../raw/{entry_id}.md.txt">Markdown</a>.</p>'
        )

    def _render_message_section(self) -> str:
        """What wrong calls say, folded below everything else: it is found by search, and seldom read."""
        rows = [
            [render_code(row.message), render_code(row.call), escape(", ".join(row.seen))]
            for row in self.entry.messages
        ]
        table = render_table(["message", "one call that raises it", "seen on torch"], rows)
        return (
            f"<div>{_render_details(f'Recorded messages that lead here: {len(rows)}', table)}</div>"
            if rows
            else ""
        )

    def _describe_needs(self) -> str:
        """The needs of broken.py, in one sentence."""
        script = self.entry.find_script("broken")
        reproducer = self._scripts.find_reproducer(script) if script else None
        if reproducer is None:
            return "It needs torch."
        needs = reproducer.needs
        things = [
            *needs.packages,
            *(["Linux"] if needs.linux else []),
            *(["root"] if needs.root else []),
            *([f"{needs.shm_mb} MB of /dev/shm"] if needs.shm_mb else []),
            *([f"{needs.open_files} open files"] if needs.open_files else []),
        ]
        device = " or ".join({"cpu": "a CPU", "cuda": "a GPU with CUDA"}[name] for name in needs.devices)
        needed = " and ".join(filter(None, (", ".join(things), device)))
        return f"broken.py needs {needed}, and takes about {needs.about_seconds:g} s."


def render_observed(observed: dict[str, Any] | None) -> str:
    """The numbers of an OBSERVED line as one line of text."""
    return "; ".join(
        f"{describe_key(key)}: {_render_value(value)}"
        for key, value in (observed or {}).items()
        if key != "healthy"
    )


def _render_value(value: Any) -> str:
    if isinstance(value, list):
        has_rows = isinstance(value[0], list) if value else False
        return (" | " if has_rows else ", ").join(_render_value(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_render_value(item)}" for key, item in value.items())
    return format_cell(value)


def render_grid(key: str, observed: dict[str, Any]) -> str:
    """A grid of an OBSERVED line as a table; empty if the key has no grid."""
    shown = read_grid(key, observed[key], observed)
    if shown is None:
        return ""
    return render_table(
        [escape(shown.quantity), *map(escape, shown.columns)],
        [[escape(name), *map(escape, row)] for name, row in zip(shown.rows, shown.cells, strict=True)],
    )


def _render_details(title: str, inner: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{inner}</details>"


def _render_section(heading: str, anchor: str, body: str) -> str:
    """A heading and what is below it; empty if there is nothing below it."""
    return f"{render_heading(2, heading, anchor)}\n{body}" if body else ""


def _render_list(items: Iterable[str]) -> str:
    inner = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{inner}</ul>" if inner else ""
