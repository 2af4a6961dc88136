"""The page of one entry, and of one family, as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from packaging.version import Version

from dpkb.catalogue import Catalogue, ready_to_run, source_of
from dpkb.entry import Entry, Family, Outcome, Script, release
from dpkb.errors import DpkbError
from dpkb.evidence import Evidence, Seen, State, summary
from dpkb.grids import cell_text, grid, words
from dpkb.pairs import difference
from dpkb.pictures import comparison, largest, pictures
from dpkb.plain import one_line
from dpkb.site_text import attribute, code, escaped, fence, linked, page_text, table, web_link

_ROLES = {"broken": "The failure", "fixed": "The fix", "fix": "Another fix", "trap": "A trap"}
_STATES = {
    State.CONFIRMED: "affected: the failure and its fix were seen",
    State.NOT_AFFECTED: "not affected: the failure was looked for and did not come",
    State.REFUTED: "a run disagrees with this entry",
}
# What a picture shows by colour -> how to read it.
_LEGENDS = {'class="cell same': " Equal cells share a colour.",
            'class="cell shade': " A deeper shade is more.",
            'class="colour"': " The colour after a row is what a model takes its three numbers for."}
# The parts of an entry before its proofs, and those after them.
_FIRST, _LAST = ("Root cause", "Fix"), ("How to check your own code", "Notes")


@dataclass(frozen=True)
class Proof:
    """One recorded run of a script, and where it was."""

    seen: Seen
    evidence: Evidence

    @property
    def where(self) -> str:
        return f"{environment_words(self.evidence)}, {self.seen.date}"


class EntryPage:
    """Writes the page of one entry; what it needs of the others is in the catalogue."""

    def __init__(self, entry: Entry, catalogue: Catalogue, evidence: list[Evidence]) -> None:
        self.entry, self._catalogue, self._evidence = entry, catalogue, evidence
        self._proofs = {script.name: proof(script, evidence) for script in entry.scripts}

    def text(self) -> str:
        """The whole page."""
        parts = [front_matter(f"{self.entry.id}: {self.entry.title}", self.entry.summary), self._head(),
                 self._affected(), self._section("Symptom"), self._pictures(),
                 *(self._section(heading) for heading in _FIRST), self._diff(), self._section("Traps"),
                 self._proofs_told(), self._confusions(),
                 *(self._section(heading) for heading in _LAST), self._see_also(), self._sources(),
                 self._run_it()]
        return "\n\n".join(filter(None, parts)) + "\n"

    def _link(self, entry_id: str) -> str | None:
        known = entry_id in self._catalogue.entries and entry_id != self.entry.id
        return f"{entry_id.lower()}.md" if known else None

    def _script_link(self, name: str) -> str | None:
        stem = name.removesuffix(".py")
        return f"#{stem}" if name.endswith(".py") and self.entry.script(stem) else None

    def _body(self, markdown: str) -> str:
        return page_text(markdown, self._link, self._script_link)

    def _head(self) -> str:
        entry = self.entry
        family = self._catalogue.families.get(entry.family)
        way = [f"[{escaped(family.title)}](../families/{entry.family}.md)"] if family else []
        lines = [f"# {entry.id} · {escaped(entry.title)} {{#{entry.id.lower()}}}",
                 " · ".join([*way, f"<strong>{entry.kind.value}</strong>", affects(entry)])]
        if entry.withdrawn:
            lines.append(_note("warning", "Withdrawn", linked(one_line(entry.withdrawn), self._link)))
        return "\n\n".join([*lines, linked(one_line(entry.summary), self._link)])

    def _affected(self) -> str:
        """The stated versions, then those on which it was tried."""
        states = {id(one): state for one in self._evidence
                  if (state := one.state(self.entry)) is not State.NOT_RUN}
        rows = [[environment_words(one), _STATES[states[id(one)]], max(self._dates(one))]
                for one in self._evidence if id(one) in states]
        told = table(["run on", "what was seen", "last run"], rows) if rows else ""
        short = summary(self.entry, self._evidence)
        # A run that disagrees stands in sight; where all agree, their sum does.
        if short and State.REFUTED not in states.values():
            told = f"{escaped(short[0].upper() + short[1:])}.\n\n{_details('Each run', told)}"
        told = told or "No run of this entry is recorded yet."
        return (f"## Are you affected? {{#affected}}\n\nAs stated, it {affects(self.entry)}.\n\n{told}\n\n"
                f"`dpkb show {self.entry.id}` says whether the torch on your machine is affected.")

    def _dates(self, evidence: Evidence) -> Iterable[str]:
        return [seen.date for script in self.entry.scripts if (seen := evidence.of(script))]

    def _section(self, heading: str) -> str:
        text = self.entry.section(heading)
        return f"## {heading} {{#{anchor(heading)}}}\n\n{self._body(text)}" if text.strip() else ""

    def _pictures(self) -> str:
        """What was recorded of a failure and of a fix, drawn and in numbers; and what was not recorded."""
        parts = [*self._compared(), *self._drawn()]
        unseen = self._unseen()
        if not parts:
            return unseen and f"## What it looks like {{#picture}}\n\n{unseen}"
        legend = "".join(text for mark, text in _LEGENDS.items() if any(mark in part for part in parts))
        return "\n\n".join(filter(None, ["## What it looks like {#picture}",
                                         f"Drawn from recorded runs.{legend}", *parts, unseen]))

    def _drawn(self) -> Iterable[str]:
        """The lists of the first script that has any, and of a fix."""
        shown = self._pair()
        observed = {script.name: self._proofs[script.name].seen.observed for script in shown}
        most = largest(list(observed.values()))
        for script in shown:
            found = observed[script.name]
            numbers = "\n\n".join(grid_table(key, found) for key in found if grid(key, found[key]))
            yield pictures(found, f"{script.name}.py: {self._proofs[script.name].seen.outcome.value}", most)
            yield self._claim(script)
            yield _details(f"The numbers of {code(script.name + '.py')}", numbers)

    def _compared(self) -> Iterable[str]:
        """Where broken.py has no list to draw: the plain numbers in which it and fixed.py differ."""
        broken, fixed = self.entry.script("broken"), self.entry.script("fixed")
        if not (broken and fixed) or self._has_lists(broken):
            return
        runs = {f"{script.name}.py": self._observed(script) for script in (broken, fixed)}
        if all(runs.values()) and (drawn := comparison(runs)):
            yield drawn

    def _unseen(self) -> str:
        """Why a picture lacks the failure: it ended before it could print a number, or it was never run."""
        told = []
        broken = self._proofs.get("broken")
        if broken and not broken.seen.observed and any(map(self._has_lists, self.entry.scripts)):
            told.append(f"[`broken.py`](#broken) ends before it can print a number "
                        f"({broken.seen.outcome.value}).")
        waiting = [script for script in self.entry.scripts if not self._proofs[script.name]
                   and needs_gpu(script)]
        if waiting:
            names = ", ".join(f"[{code(script.name + '.py')}](#{script.name})" for script in waiting)
            told.append(f"Not drawn, as no run on a GPU is recorded: what {names} would print.")
        return " ".join(told)

    def _pair(self) -> list[Script]:
        """The first failure with something to draw, and the first fix with the same, or else fixed.py."""
        drawable = [script for script in self.entry.scripts if self._has_lists(script)]
        healthy = [script for script in drawable if script.shows is Outcome.HEALTHY]
        failing = next((script for script in drawable if script not in healthy), None)
        keys = self._lists(failing) if failing else set()
        fitting = next((script for script in healthy if keys & self._lists(script) or not keys), None)
        fitting = fitting or next((script for script in healthy if script.name == "fixed"), None)
        return [script for script in (failing, fitting) if script]

    def _observed(self, script: Script) -> dict[str, Any]:
        found = self._proofs[script.name]
        return (found.seen.observed if found else None) or {}

    def _lists(self, script: Script) -> set[str]:
        return {key for key, value in self._observed(script).items() if grid(key, value)}

    def _has_lists(self, script: Script) -> bool:
        return bool(self._lists(script))

    def _diff(self) -> str:
        """From broken to fixed, as `dpkb diff` prints it."""
        sources = [source(self.entry.script(name)) for name in ("broken", "fixed")]
        if None in sources:
            return ""
        lines = difference(*sources, context=2)
        return ("## The fix as a diff {#diff}\n\nFrom "
                "[`broken.py`](#broken), which shows the failure, to [`fixed.py`](#fixed):\n\n"
                + fence("\n".join(lines), "diff"))

    def _proofs_told(self) -> str:
        """Every script: its claim, what was seen when it ran, and how to run it."""
        parts = ["## What was run, and what was seen {#proofs}"]
        return "\n\n".join([*parts, *(self._proof(script) for script in self.entry.scripts)])

    def _proof(self, script: Script) -> str:
        role = _ROLES.get(script.name) or {"broken": "Another form", "fix": "Another fix"}.get(
            script.name.split("_")[0], _ROLES["trap"])
        bounds = f" Holds for {escaped(str(script.range))}." if script.range.specifiers else ""
        lines = [f"### {code(script.name + '.py')} · {role} {{#{script.name}}}",
                 f"{self._claim(script)}{bounds}", self._seen(script)]
        address = script_address(script)
        where = f" · [source](../{address})" if source(script) is not None else ""
        return "\n\n".join([*lines, f"Run it: `{repro_command(script)}`{where}"])

    def _claim(self, script: Script) -> str:
        return f"Claim: {linked(one_line(script.claim), self._link)}."

    def _seen(self, script: Script) -> str:
        found = self._proofs[script.name]
        if not found:
            return "Not yet run where it is recorded."
        numbers = observed_words(found.seen.observed)
        affected = "" if found.seen.affected else " (outside the range of the claim, as stated)"
        return (f"Seen: <strong>{found.seen.outcome.value}</strong>{affected}"
                f"{'; ' + escaped(numbers) if numbers else ''}. "
                f"{escaped(found.where)}; {found.seen.verdict.value}.")

    def _confusions(self) -> str:
        """A decision list: one check each, and the entry that it leads to."""
        if not self.entry.confused_with:
            return ""
        items = []
        for other in self.entry.confused_with:
            title = self._title(other.id)
            check = self._body(other.check).replace("\n", "\n    ")
            items.append(f"1.  {self._reference(other.id)} {title}\n\n    {check}")
        return "## Or is it another one? {#confused}\n\n" + "\n\n".join(items)

    def _see_also(self) -> str:
        items = [f"-   {self._reference(other)} {self._title(other)}" for other in self.entry.see_also]
        return "## See also {#see-also}\n\n" + "\n".join(items) if items else ""

    def _reference(self, other: str) -> str:
        address = self._link(other)
        return f"[{other}]({address})" if address else escaped(other)

    def _title(self, other: str) -> str:
        found = self._catalogue.entries.get(other)
        return escaped(found.title) if found else ""

    def _sources(self) -> str:
        items = [f"-   {web_link(source.title, source.url)}" for source in self.entry.sources]
        return "## Sources {#sources}\n\n" + "\n".join(items) if items else ""

    def _run_it(self) -> str:
        entry_id = self.entry.id
        needs = needs_words(self.entry)
        lines = [f"dpkb repro {entry_id}            # the failure, live",
                 f"dpkb repro {entry_id} --fixed    # the fix",
                 f"dpkb diff {entry_id}             # the fix as a diff",
                 f"dpkb verify {entry_id}           # every script, judged against its claim"]
        return ("## Run it yourself {#run}\n\n" + fence("\n".join(lines), "console")
                + f"\n\n{escaped(needs)}\n\nThe entry as it is written: "
                f"[raw Markdown](../raw/{entry_id}.md.txt)")


def family_page(family: Family, catalogue: Catalogue) -> str:
    """The overview of a family, and its entries."""
    def link(entry_id: str) -> str | None:
        return f"../entries/{entry_id.lower()}.md" if entry_id in catalogue.entries else None

    members = [entry for entry in catalogue if entry.family == family.letters]
    rows = [[f"[{e.id}]({link(e.id)})", escaped(e.title), e.kind.value] for e in members]
    sections = [f"## {s.heading} {{#{anchor(s.heading)}}}\n\n{page_text(s.text, link)}"
                for s in family.sections]
    return "\n\n".join([front_matter(f"{family.letters}: {family.title}", family.summary),
                        f"# {family.letters} · {escaped(family.title)} {{#{family.letters.lower()}}}",
                        linked(one_line(family.summary), link), *sections,
                        "## Its entries {#entries}", table(["id", "what is wrong", "kind"], rows)]) + "\n"


def front_matter(title: str, description: str = "", **more: bool) -> str:
    """Title and description of a page, which the theme prints as they are; start, feed: what else it has."""
    lines = ["---", f"title: {json.dumps(attribute(title))}"]
    if description:
        lines.append(f"description: {json.dumps(attribute(description))}")
    return "\n".join([*lines, *(f"{key}: true" for key, there in more.items() if there), "---"])


def proof(script: Script, evidence: list[Evidence]) -> Proof | None:
    """The run that speaks for a script: the newest torch on which its claim holds."""
    runs = [Proof(seen, one) for one in evidence if (seen := one.of(script))]
    return max(runs, default=None, key=lambda run: (
        run.seen.affected, release(run.evidence.torch) or Version("0"), run.seen.date))


def affects(entry: Entry) -> str:
    """The stated range in words, escaped."""
    parts = [f"{name.replace('_', ' ')} {value}" for name, value in entry.affects]
    return escaped("affects " + ", ".join(parts) if parts else "affects every version")


def environment_words(evidence: Evidence) -> str:
    """torch, Python, system and device of some evidence."""
    told = evidence.environment
    device = "" if told["device"] == "cpu" else f", {told['device']}"
    torch = str(told["torch"]).split("+")[0]
    return one_line(f"torch {torch}, Python {told['python']}, {told['os']}{device}")


def observed_words(observed: dict[str, Any] | None) -> str:
    """The numbers of an OBSERVED line as one line of text."""
    parts = []
    for key, value in (observed or {}).items():
        if key != "healthy":
            parts.append(f"{words(key)}: {_value_words(value)}")
    return "; ".join(parts)


def _value_words(value: Any) -> str:
    if isinstance(value, list):
        rows = isinstance(value[0], list) if value else False
        return (" | " if rows else ", ").join(_value_words(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_value_words(item)}" for key, item in value.items())
    return cell_text(value)


def grid_table(key: str, observed: dict[str, Any]) -> str:
    """A grid of an OBSERVED line as a Markdown table."""
    made = grid(key, observed[key], observed)
    heads = [escaped(made.what), *map(escaped, made.columns)]
    return table(heads, [[escaped(name), *map(escaped, row)]
                         for name, row in zip(made.rows, made.cells, strict=True)])


def source(script: Script | None) -> str | None:
    """The text of a script; None where it cannot be read."""
    try:
        return source_of(script) if script else None
    except DpkbError:
        return None


def script_address(script: Script) -> str:
    """Where the site keeps a script, seen from its start page."""
    return f"scripts/{script.entry.lower()}/{script.name}.py.txt"


def needs_words(entry: Entry) -> str:
    """What the failure's script needs."""
    try:
        needs = ready_to_run(entry.script("broken")).needs if entry.script("broken") else None
    except DpkbError:
        needs = None
    if needs is None:
        return "It needs torch."
    places = [" or ".join(needs.devices), *(["Linux"] if needs.linux else []),
              *(["root"] if needs.root else []),
              *([f"{needs.shm_mb} MB /dev/shm"] if needs.shm_mb else []),
              *([f"{needs.open_files} open files"] if needs.open_files else [])]
    packages = ", ".join(needs.packages)
    return f"broken.py needs {packages}; {', '.join(places)}; about {needs.about_seconds:g} s."


def needs_gpu(script: Script | None) -> bool:
    """Whether a script runs on a GPU only."""
    try:
        return bool(script) and ready_to_run(script).needs.devices == ("cuda",)
    except DpkbError:
        return False


def repro_command(script: Script) -> str:
    """The command line that runs this script."""
    if script.name in ("broken", "fixed"):
        return f"dpkb repro {script.entry}{' --fixed' if script.name == 'fixed' else ''}"
    return f"dpkb repro {script.entry} --script {script.name}"


def anchor(heading: str) -> str:
    """The stable anchor of a heading of an entry."""
    return heading.lower().replace(" ", "-")


def _note(kind: str, title: str, text: str) -> str:
    return f'!!! {kind} "{title}"\n\n    {text}'


def _details(title: str, markdown: str) -> str:
    body = "\n".join(f"    {line}".rstrip() for line in markdown.split("\n"))
    return f'??? note "{title}"\n\n{body}'


