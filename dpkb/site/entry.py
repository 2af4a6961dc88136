"""The page of one entry: the answer on the first screen, the evidence for it below."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpkb.catalogue.load import Catalogue
from dpkb.evidence.report import summarize_runs
from dpkb.evidence.store import State
from dpkb.judge.observed import cell_text, grid, words
from dpkb.model import Entry, Outcome, Script
from dpkb.output.wording import affected_versions, environment_line, found_by, repro_command, shorten_versions
from dpkb.scripts.diff import difference
from dpkb.site.markdown import (
    anchor,
    code,
    code_block,
    escaped,
    front_matter,
    page_html,
    table,
    title_html,
    web_link,
    with_links,
)
from dpkb.site.pictures import comparison, largest, pictures
from dpkb.site.sources import RecordedRun, Sources
from dpkb.text import one_line

# The first screen, each with the class that places it there.
_ANSWER = (("In short", "short"), ("Which case is yours?", "cases"), ("How to check your own code", "check"))
_BELOW = ("Symptom", "Fix", "Why it happens", "Traps", "Versions")
_ROLES = {"broken": "the failure", "fixed": "the fix"}
_ROLES_BY_PREFIX = {"broken": "another form of the failure", "fix": "another fix", "trap": "a trap"}
_STATES = {
    State.CONFIRMED: "affected: the failure and its fix were seen",
    State.NOT_AFFECTED: "not affected: the failure did not come",
    State.REFUTED: "a run disagrees with this entry",
}
# What a picture shows by colour -> how to read it.
_LEGENDS = {'class="cell same': " Equal cells have the same colour.",
            'class="cell shade': " A darker shade is a larger number.",
            'class="colour"': " The colour after a row is the one that its three numbers make."}


class EntryPage:
    """Writes the page of one entry."""

    def __init__(self, entry: Entry, catalogue: Catalogue, sources: Sources) -> None:
        self.entry, self._catalogue, self._sources = entry, catalogue, sources

    def text(self) -> str:
        """The whole page, for mkdocs: headings in Markdown, everything else in HTML."""
        blocks = [front_matter(f"{self.entry.id}: {self.entry.title}", self.entry.summary),
                  self._head(), self._answer(), *map(self._section, _BELOW), self._look_alikes(),
                  self._diff(), self._evidence(), self._pictures(), self._see_also(), self._read(),
                  self._run_it()]
        return "\n\n".join(filter(None, blocks)) + "\n"

    # -- the answer ---------------------------------------------------------------------------------

    def _head(self) -> str:
        entry = self.entry
        family = self._catalogue.families.get(entry.family)
        facts = [f'<strong class="kind">{entry.kind.value}</strong>', escaped(affected_versions(entry))]
        if finders := found_by(entry):
            facts.append(escaped(finders))
        if seen := summarize_runs(entry, self._sources.evidence):
            facts.append(f'<a href="#evidence">{escaped(shorten_versions(seen, "to"))}</a>')
        if family:
            facts.append(f'<a href="../families/{entry.family}.html">{escaped(family.title)}</a>')
        lines = [f"# {entry.id} · {title_html(entry.title)} {{#{entry.id.lower()}}}",
                 f'<p class="facts">{" · ".join(facts)}</p>']
        if entry.withdrawn:
            lines.append('<div class="warning"><p><strong>Withdrawn.</strong> '
                         f"{with_links(one_line(entry.withdrawn), self._link)}</p></div>")
        return "\n\n".join(lines)

    def _answer(self) -> str:
        """What a reader in a hurry needs, in one block that fills the first screen."""
        sections = [f'<section class="{name}" aria-labelledby="{anchor(heading)}">'
                    f'<h2 id="{anchor(heading)}">{heading}</h2>{self._body(text)}</section>'
                    for heading, name in _ANSWER if (text := self.entry.section(heading)).strip()]
        return f'<div class="answer">{"".join(sections)}</div>'

    def _section(self, heading: str) -> str:
        text = self.entry.section(heading)
        return f"## {heading} {{#{anchor(heading)}}}\n\n<div>{self._body(text)}</div>" if text.strip() else ""

    def _body(self, markdown: str) -> str:
        return page_html(markdown, self._link, self._script_link)

    def _link(self, entry_id: str) -> str | None:
        is_known = entry_id in self._catalogue.entries and entry_id != self.entry.id
        return f"{entry_id.lower()}.html" if is_known else None

    def _script_link(self, name: str) -> str | None:
        stem = name.removesuffix(".py")
        return f"#{stem}" if name.endswith(".py") and self.entry.script(stem) else None

    # -- the evidence -------------------------------------------------------------------------------

    def _diff(self) -> str:
        """From broken.py to fixed.py, without their docstrings."""
        scripts = [script for name in ("broken", "fixed") if (script := self.entry.script(name))]
        texts = [one.source for script in scripts if (one := self._sources.reproducer(script))]
        if len(texts) < 2:
            return ""
        lines = difference(texts[0], texts[1], context=2)
        return ('## The fix as a diff {#diff}\n\n<p>From <a href="#broken"><code>broken.py</code></a>, which '
                'shows the failure, to <a href="#fixed"><code>fixed.py</code></a>, without their '
                f"docstrings:</p>\n\n{code_block(chr(10).join(lines), 'diff')}")

    def _evidence(self) -> str:
        """Where the entry was seen, and every script with its claim, its result and its source."""
        scripts = "".join(self._script(script) for script in self.entry.scripts)
        unseen = (f"<p>Neither lint nor audit finds it: {escaped(self.entry.unseen)}</p>"
                  if self.entry.unseen else "")
        return (f"## Evidence {{#evidence}}\n\n<div>{self._environments()}<p>The entry states that it "
                f"{escaped(affected_versions(self.entry))}. <code>dpkb show {self.entry.id}</code> tells "
                f"whether your torch is affected.</p>{unseen}{scripts}</div>")

    def _environments(self) -> str:
        """The result in each environment: open to see where a run disagrees, else folded below a summary."""
        states = [(one, one.state(self.entry)) for one in self._sources.evidence]
        rows = [[environment_line(one.environment, brief=True), _STATES[state],
                 max(run.date for run in one.runs_of(self.entry))]
                for one, state in states if state is not State.NOT_RUN]
        if not rows:
            return "<p>No run of this entry is recorded yet.</p>"
        environments = table(["run on", "result", "last run"], rows)
        if any(state is State.REFUTED for _, state in states):
            return environments
        short = summarize_runs(self.entry, self._sources.evidence)
        return f"<p>{escaped(short[:1].upper() + short[1:])}.</p>{_details('Each environment', environments)}"

    def _script(self, script: Script) -> str:
        role = _ROLES.get(script.name) or _ROLES_BY_PREFIX[script.name.split("_")[0]]
        bounds = f" Holds for {escaped(str(script.range))}." if script.range.specifiers else ""
        reproducer = self._sources.reproducer(script)
        source = (_details(f"Source of {script.name}.py", code_block(reproducer.source)) if reproducer
                  else "<p>Its source cannot be read.</p>")
        return (f'<h3 id="{script.name}">{code(script.name + ".py")}: {role}</h3>'
                f"<p>{self._claim(script)}{bounds} {self._result(script)} Run it: "
                f"{code(repro_command(script))}</p>{source}")

    def _claim(self, script: Script) -> str:
        return f"Claim: {with_links(one_line(script.claim).removesuffix('.'), self._link)}."

    def _result(self, script: Script) -> str:
        recorded = self._sources.run(script)
        if recorded is None:
            return "No run of it is recorded."
        numbers = observed_words(recorded.run.observed)
        outside = "" if recorded.run.affected else " (outside the versions of the claim, as stated)"
        return (f"Result: <strong>{recorded.run.outcome.value}</strong>{outside}"
                f"{'; ' + escaped(numbers) if numbers else ''} ({escaped(recorded.environment)}, "
                f"{recorded.run.date}, {recorded.run.verdict.value}).")

    # -- pictures -----------------------------------------------------------------------------------

    def _pictures(self) -> str:
        """The numbers of a failure and of a fix, drawn and as tables; and what was not recorded."""
        drawn = [*self._compared(), *self._drawn()]
        missing = self._not_drawn()
        if not drawn and not missing:
            return ""
        legend = "".join(text for mark, text in _LEGENDS.items() if any(mark in one for one in drawn))
        intro = f"<p>Drawn from recorded runs.{legend}</p>" if drawn else ""
        missing = f"<p>{missing}</p>" if missing else ""
        return "\n\n".join(filter(None, ["## What it looks like {#picture}", intro, *drawn, missing]))

    def _drawn(self) -> Iterator[str]:
        """The lists of the first script that has any, and of a fix."""
        shown = self._pair()
        most = largest([recorded.observed for _, recorded in shown])
        for script, recorded in shown:
            tables = "".join(grid_table(key, recorded.observed) for key in recorded.observed)
            yield pictures(recorded.observed, f"{script.name}.py: {recorded.run.outcome.value}", most)
            yield f"<p>{self._claim(script)}</p>"
            yield _details(f"The numbers of {script.name}.py", tables)

    def _compared(self) -> Iterator[str]:
        """If broken.py has no list to draw: the plain numbers in which it and fixed.py differ."""
        runs = {script.name: recorded for script, recorded in self._recorded()}
        broken, fixed = runs.get("broken"), runs.get("fixed")
        if broken and fixed and not broken.lists and broken.observed and fixed.observed:
            yield from filter(None, [comparison({"broken.py": broken.observed, "fixed.py": fixed.observed})])

    def _not_drawn(self) -> str:
        """Why a picture lacks the failure: it ended before it printed a number, or it was never run."""
        sentences = []
        recorded = dict((script.name, run) for script, run in self._recorded())
        broken = recorded.get("broken")
        if broken and not broken.observed and any(run.lists for run in recorded.values()):
            sentences.append('<a href="#broken"><code>broken.py</code></a> ends before it can print a number '
                             f"({broken.run.outcome.value}).")
        waiting = [script for script in self.entry.scripts
                   if script.name not in recorded and self._sources.needs_gpu(script)]
        if waiting:
            names = ", ".join(f'<a href="#{s.name}">{code(s.name + ".py")}</a>' for s in waiting)
            sentences.append(f"Not drawn, because no run on a GPU is recorded: {names}.")
        return " ".join(sentences)

    def _recorded(self) -> list[tuple[Script, RecordedRun]]:
        return [(script, run) for script in self.entry.scripts if (run := self._sources.run(script))]

    def _pair(self) -> list[tuple[Script, RecordedRun]]:
        """The first failure with lists, and the first fix with one of the same lists, or else fixed.py."""
        drawable = [(script, run) for script, run in self._recorded() if run.lists]
        failing = [pair for pair in drawable if pair[0].shows is not Outcome.HEALTHY][:1]
        healthy = [pair for pair in drawable if pair[0].shows is Outcome.HEALTHY]
        keys = failing[0][1].lists if failing else set()
        fitting = [pair for pair in healthy if keys & pair[1].lists or not keys]
        return failing + (fitting or [pair for pair in healthy if pair[0].name == "fixed"])[:1]

    # -- around it ----------------------------------------------------------------------------------

    def _look_alikes(self) -> str:
        """Each entry with a like symptom, and the check that tells the two apart."""
        if not self.entry.confused_with:
            return ""
        items = "".join(f"<li>{self._reference(other.id)} {self._body(other.check)}</li>"
                        for other in self.entry.confused_with)
        return f"## Or is it another entry? {{#confused}}\n\n<ul>{items}</ul>"

    def _see_also(self) -> str:
        items = "".join(f"<li>{self._reference(other)}</li>" for other in self.entry.see_also)
        return f"## See also {{#see-also}}\n\n<ul>{items}</ul>" if items else ""

    def _reference(self, other: str) -> str:
        address, target = self._link(other), self._catalogue.entries.get(other)
        reference = f'<a href="{address}">{other}</a>' if address else escaped(other)
        return f"{reference} {title_html(target.title)}" if target else reference

    def _read(self) -> str:
        items = "".join(f"<li>{web_link(source.title, source.url)}</li>" for source in self.entry.sources)
        return f"## Sources {{#sources}}\n\n<ul>{items}</ul>" if items else ""

    def _run_it(self) -> str:
        entry_id = self.entry.id
        lines = [f"dpkb repro {entry_id}            # the failure, live",
                 f"dpkb repro {entry_id} --fixed    # the fix",
                 f"dpkb diff {entry_id}             # the fix as a diff",
                 f"dpkb verify {entry_id}           # every script, judged against its claim"]
        return (f"## Run it yourself {{#run}}\n\n{code_block(chr(10).join(lines), 'console')}\n\n"
                f'<p>{escaped(self._needs())} The entry as it is written: <a href="../raw/{entry_id}.md.txt">'
                "Markdown</a>.</p>")

    def _needs(self) -> str:
        """What broken.py needs."""
        script = self.entry.script("broken")
        reproducer = self._sources.reproducer(script) if script else None
        if reproducer is None:
            return "It needs torch."
        needs = reproducer.needs
        places = [" or ".join(needs.devices), *(["Linux"] if needs.linux else []),
                  *(["root"] if needs.root else []),
                  *([f"{needs.shm_mb} MB /dev/shm"] if needs.shm_mb else []),
                  *([f"{needs.open_files} open files"] if needs.open_files else [])]
        return f"broken.py needs {', '.join(needs.packages)}; {', '.join(places)}; {needs.about_seconds:g} s."


def observed_words(observed: dict[str, Any] | None) -> str:
    """The numbers of an OBSERVED line as one line of text."""
    return "; ".join(f"{words(key)}: {_value_words(value)}" for key, value in (observed or {}).items()
                     if key != "healthy")


def _value_words(value: Any) -> str:
    if isinstance(value, list):
        has_rows = isinstance(value[0], list) if value else False
        return (" | " if has_rows else ", ").join(_value_words(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_value_words(item)}" for key, item in value.items())
    return cell_text(value)


def grid_table(key: str, observed: dict[str, Any]) -> str:
    """A grid of an OBSERVED line as a table; empty if the key has no grid."""
    drawn = grid(key, observed[key], observed)
    if drawn is None:
        return ""
    return table([escaped(drawn.quantity), *map(escaped, drawn.columns)],
                 [[escaped(name), *map(escaped, row)]
                  for name, row in zip(drawn.rows, drawn.cells, strict=True)])


def _details(title: str, inner: str) -> str:
    return f"<details><summary>{escaped(title)}</summary>{inner}</details>"


