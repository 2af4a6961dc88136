"""The answer of each tool: a page of the document that its command prints with --json.

Everything here runs in a thread of the server. Slow tools get `stop`, an event that is set when the client
cancels the call.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import threading
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from dpkb import files, views
from dpkb.catalogue.load import Catalogue, load, read_entry_text
from dpkb.diagnosis.conclusion import diagnose_files
from dpkb.diagnosis.match import Signatures
from dpkb.diagnosis.sources import LogFile, list_logs
from dpkb.errors import DpkbError, Stopped, UnmetNeed, UsageError
from dpkb.lint.run import lint as lint_paths
from dpkb.lint.settings import read_selections
from dpkb.mcp.paging import render_page, render_whole
from dpkb.output.audit import strip_report
from dpkb.output.diagnosis import diagnosis_fields, signpost_fields
from dpkb.output.entry import view_fields
from dpkb.output.evidence import matrix_fields
from dpkb.output.lint import lint_fields
from dpkb.output.repro import repro_fields
from dpkb.output.search import search_fields
from dpkb.output.versions import explanation_fields, versions_fields
from dpkb.paths import find_catalogue_folders
from dpkb.relay.stacks import take_stacks
from dpkb.runner import verify
from dpkb.runner.interpreter import probe
from dpkb.runner.scratch import remove_abandoned, scratch_folder
from dpkb.runner.session import open_session
from dpkb.runner.trust import require_trust
from dpkb.runner.unattended_program import run_unattended
from dpkb.search import MAX_HITS
from dpkb.search.store import find_entries
from dpkb.text import escape_controls, join_lines
from dpkb.versions import explain_names
from dpkb.versions.report import examine
from dpkb.versions.requirements import find_installed, newest_set

# The most seconds that a script may run, as on the command line.
_SCRIPT_SECONDS = 120.0
# The fields of an entry beside the section that was asked for; `section="all"` has every field.
_SUMMARY_FIELDS = (
    "id",
    "title",
    "summary",
    "kind",
    "found_by",
    "unseen",
    "affects",
    "see_also",
    "confused_with",
    "withdrawn",
    "seen",
    "here",
)
# The most characters of an audited program's output, from its end.
_MAX_OUTPUT_CHARACTERS = 4000
# Runs dpkb in a separate process, which must not import modules from the folder of the program.
_RUN_DPKB = (
    "import sys; sys.path = [p for p in sys.path if p]; sys.path.append({root!r}); "
    "from dpkb.cli.main import main; main()"
)
_RUNNING_NOT_ALLOWED = (
    "this server may not run programs. Only the user can allow that: ask for the server to be "
    'started with `dpkb mcp --allow-running` (in the settings of the client: "args": ["mcp", '
    '"--allow-running"]), or ask the user to run this in a terminal: {instead}'
)


@dataclass(frozen=True)
class Tools:
    """The tools of one server. folder: the folder in which it was created; no path may be outside of it."""

    # Relative paths are opened as they are, so it has to be the current folder.
    folder: Path = field(init=False, default_factory=lambda: Path.cwd().resolve())
    kb: tuple[Path, ...] = ()
    python: str | None = None
    allow_running: bool = False
    trust: bool = False

    def diagnose(
        self,
        stop: threading.Event,
        text: str | None,
        path: str | None,
        offset: int,
        limit: int,
        pid: int | None = None,
    ) -> str:
        """The entries that explain a log, the logs in a folder, or the stacks of a job that hangs."""
        if [text, path, pid].count(None) != 2:
            raise UsageError(
                "give either the text of a log or the path of one, or the pid of a job that hangs"
            )
        if pid is not None:
            self._require_permission(f"dpkb diagnose --pid {pid}")  # py-spy is a program
            text = take_stacks([pid])
        catalogue = self._load_catalogue()
        logs, notes = [LogFile(Path(), "")], list[str]()
        if path is not None:
            logs, notes = list_logs([str(self._resolve_inside(path))])

        def open_log(log: LogFile) -> BinaryIO:
            data = BytesIO((text or "").encode("utf-8", "replace"))
            return data if not log.name else files.open_regular(self._resolve_inside(log.name))

        diagnosis, unreadable = diagnose_files(
            logs, Signatures(catalogue, catalogue.signposts), open_log, stop
        )
        if len(unreadable) == len(logs):
            raise DpkbError("; ".join(notes) or f"{path}: {next(iter(unreadable.values()))}")
        fields = {
            **diagnosis_fields(diagnosis, catalogue, unreadable),
            "history": explanation_fields(explain_names(diagnosis.tail)),
        }
        return render_page(fields, "matches", offset, limit)

    def search(self, query: str, offset: int, limit: int) -> str:
        """The entries for a message or a symptom."""
        found = find_entries(self._find_folders(), query, MAX_HITS)
        fields = search_fields(join_lines(query, 200), found)
        # Every field of an entry that has a word of the question would be half of the answer.
        fields["hits"] = [
            dict(
                id=hit.id,
                title=hit.title,
                kind=hit.kind,
                summary=hit.summary,
                matched=join_lines(hit.line or hit.matched[0], 120),
            )
            for hit in found.hits
        ]
        fields = {
            **fields,
            "history": explanation_fields(explain_names(query.split("\n"))),
            "signpost": signpost_fields(found.signpost),
        }
        return render_page(fields, "hits", offset, limit)

    def show(self, entry_id: str, section: str, offset: int, limit: int) -> str:
        """An entry: its answer, one section or all of them; or the overview of a family."""
        view = views.load_view(
            self._load_catalogue(), entry_id, lambda: probe(self.python, "cpu").versions, _ignore_unreadable
        )
        fields = view_fields(view)
        if isinstance(view, views.FamilyView):
            return render_page(fields, "entries", offset, limit)
        entry = view.entry
        headings = [s.heading for s in entry.sections]
        if section.lower() == "all":
            return render_page(fields, "sections", offset, limit)
        known = {heading.lower(): heading for heading in headings}
        if section.lower() not in known:
            raise UsageError(f"{entry.id} has no section {section!r}. It has {', '.join(headings)}; or all")
        heading = known[section.lower()]
        return render_page(
            {
                **{name: fields[name] for name in _SUMMARY_FIELDS},
                "scripts": list(entry.script_names),
                "sections": {heading: entry.find_section(heading)},
                "other_sections": [other for other in headings if other != heading],
            },
            "sections",
            offset,
            limit,
        )

    def lint(self, stop: threading.Event, paths: list[str], hints: bool, offset: int, limit: int) -> str:
        """The failures in code."""
        named = [self._resolve_inside(path) for path in paths or ["."]]
        unreadable: dict[str, str] = {}
        selections = read_selections(named, hints=hints, top=self.folder)
        result = lint_paths(selections, 1, stop, partial(self._is_inside, stop, unreadable))
        result = replace(result, unreadable={**result.unreadable, **unreadable})
        return render_page(lint_fields(result, self._load_catalogue().titles), "findings", offset, limit)

    def versions(self, stop: threading.Event, paths: list[str], offset: int, limit: int) -> str:
        """The releases of its libraries that code needs, and what the installed ones break."""
        unreadable: dict[str, str] = {}
        report = examine(
            [self._resolve_inside(path) for path in paths or ["."]],
            find_installed(self.python),
            partial(self._is_inside, stop, unreadable),
        )
        report.unreadable |= unreadable
        lines = newest_set({package.name: package.good for package in report.packages})
        return render_page(versions_fields(report, lines), "packages", offset, limit)

    def matrix(self, ids: list[str], offset: int, limit: int) -> str:
        """The recorded runs of these entries, or of all."""
        matrix = views.load_matrix(self._load_catalogue(), ids, False, _ignore_unreadable)
        return render_page(matrix_fields(matrix), "entries", offset, limit)

    def audit(
        self, stop: threading.Event, command: list[str], steps: int, seconds: float, ignore: list[str]
    ) -> str:
        """Run a training program, and return the failures that it really has."""
        self._require_permission(f"dpkb audit -- {shlex.join(command)}")
        if os.name != "posix":
            raise UnmetNeed("audit needs Linux or macOS")
        if not command:
            raise UsageError('the command is empty; give it as a list: ["python", "train.py"]')
        remove_abandoned()
        with scratch_folder() as scratch:
            document = scratch / "audit.json"
            # In a separate process, because an audit takes over signals and standard streams.
            end = run_unattended(self._build_audit_argv(document, steps, ignore, command), seconds, stop)
            output = end.output.decode("utf-8", "replace")
            if not document.exists():
                raise DpkbError(f"no report was written; the last output: {join_last_lines(output)}")
            fields = json.loads(document.read_text("utf-8"))
        del fields["version"]  # render_page() adds it
        fields["watched"] = sorted(fields["watched"])
        fields["ended_after_seconds"] = seconds if end.timed_out else None
        fields["output"] = escape_controls(strip_report(output)[-_MAX_OUTPUT_CHARACTERS:])
        # A next page would have to run the program again.
        return render_page(fields, "findings", 0, len(fields["findings"]), has_next=False)

    def _build_audit_argv(
        self, document: Path, steps: int, ignore: list[str], command: list[str]
    ) -> list[str]:
        """The arguments of a `dpkb audit` that writes its report to this document."""
        argv = [
            sys.executable,
            "-c",
            _RUN_DPKB.format(root=str(Path(__file__).resolve().parents[2])),
            "audit",
            "--json",
            str(document),
        ]
        argv += ["--steps", str(steps)] if steps else []
        argv += [word for entry_id in ignore for word in ("--ignore", entry_id)]
        argv += [word for folder in self.kb for word in ("--kb", str(folder))]
        return [*argv, "--", *command]

    def reproduce(self, stop: threading.Event, entry_id: str, script_name: str) -> str:
        """Run one script of an entry, and judge it."""
        catalogue = self._load_catalogue()
        script = catalogue.load_reproducer(entry_id, script_name)
        self._require_permission(f"dpkb repro {script.entry} --script {script.name}")
        require_trust(script, catalogue.folders, self.trust, ask=lambda _: False, note=lambda _: None)
        with open_session(self.python, "auto", _SCRIPT_SECONDS, stop=stop) as session:
            warning = session.confinement_of(script.needs).warning
            result = verify.reproduce(script, session)
        return render_whole({**repro_fields(session.environment, result), "note": warning})

    def read_entry(self, entry_id: str) -> str:
        """The whole page of an entry in Markdown."""
        return escape_controls(read_entry_text(self._load_catalogue().find_entry(entry_id)))

    def list_entries(self) -> list[tuple[str, str, str]]:
        """The id, title and summary of every entry."""
        return [(entry.id, entry.title, entry.summary) for entry in self._load_catalogue()]

    def _find_folders(self) -> list[Path]:
        return find_catalogue_folders(list(self.kb))

    def _load_catalogue(self) -> Catalogue:
        return load(self._find_folders())

    def _require_permission(self, instead: str) -> None:
        if not self.allow_running:
            raise UnmetNeed(_RUNNING_NOT_ALLOWED.format(instead=instead))

    def _is_inside(self, stop: threading.Event, unreadable: dict[str, str], path: Path) -> bool:
        """Whether a path is in the folder of the server; if not, `unreadable` says so."""
        if stop.is_set():
            raise Stopped
        try:
            self._resolve_inside(str(path))
        except UsageError as error:  # a link to a file or folder outside
            unreadable[str(path)] = str(error)
            return False
        return True

    def _resolve_inside(self, name: str) -> Path:
        """The path without links, relative to the folder. Raises UsageError if it is outside of it."""
        try:
            path = (self.folder / name).resolve()
        except (OSError, RuntimeError, ValueError):
            raise UsageError(f"{name!r} is not a valid path") from None
        if not path.is_relative_to(self.folder):
            raise UsageError(
                f"{name} is outside of {self.folder}, the folder that this server was started "
                "for; the user can start it for another folder: dpkb mcp --folder DIR"
            )
        return path.relative_to(self.folder)


def _ignore_unreadable(_: DpkbError) -> None:
    """Ignore a file of evidence that cannot be read: an agent cannot repair it."""


def join_last_lines(output: str) -> str:
    """The last five lines of an output on one line, at most 1000 characters."""
    return escape_controls(" ".join(output.strip().splitlines()[-5:]))[-1000:] or "the command wrote nothing"
